"""Formatting commands, blocks with errors and pages' edit distances: three studies."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pandas as pd

from experiments.papers.block_errors.report import EXPLANATION, errors_table
from experiments.papers.block_errors.report import FILE as BLOCK_FILE
from experiments.papers.block_errors.table import block_errors
from experiments.papers.format_counts.report import counts_table
from experiments.papers.format_counts.table import count_knowledge_bases
from ohr import registry
from ohr.analysis.realism.report import compare_distances
from ohr.display.terminal import report_failures, show
from ohr.ocr.noise import distorts_images
from ohr.ocr.progress import Progress
from ohr.ocr.shards import read_shards_of, shard_of_process
from ohr.plugins import KnowledgeBaseSource, OcrBackend
from ohr.registry import PluginSpec
from ohr.store.atomic import write_text
from ohr.store.csv import write_csv
from ohr.study.config import StudyConfig
from ohr.study.run import run_study


def noise_statistics(config: StudyConfig, out: Path) -> int:
    """Write and print each of the three that the engines allow. Raises OhrError.

    Returns 1 if all pages of a knowledge base failed, else 0.
    """
    knowledge_bases, images = [], []
    for spec in config.engines:
        engine = registry.create("engine", spec)
        if isinstance(engine, KnowledgeBaseSource):
            knowledge_bases.append(spec)
        elif isinstance(engine, OcrBackend) and "image" in engine.accepts:
            images.append(spec)
    if shard_of_process() is not None:
        distorted = _part(config, images, "semantic")
        read_shards_of([partial(block_errors, distorted, Progress())] if images else [])
    if knowledge_bases:
        print("\nTable S2: formatting commands per page")
        counts = count_knowledge_bases(_part(config, knowledge_bases, "formatting"))
        write_text(
            out / "format_counts.csv", counts.to_csv(index_label="kind", float_format="%.4f")
        )
        show(counts_table(counts))
    engines = [spec for spec in config.engines if spec.name != "gt"]
    if engines:
        print("\nTable S3: blocks with errors, and commands that the ground truth does not have")
        parts = [_part(config, [spec for spec in engines if spec not in images], "")]
        parts.append(_part(config, images, "semantic"))
        tables = [block_errors(part, Progress()) for part in parts if part.engines]
        errors = pd.concat(tables, ignore_index=True)
        write_csv(out / BLOCK_FILE, errors)
        show(errors_table(errors))
        print(EXPLANATION)
    distorted = _part(config, images, "semantic")
    if distorted.engines and distorted.noise:
        print("\nFigure S2: the pages' edit distance at each level")
        result = run_study(distorted, out / "distorted", progress=Progress())
        compare_distances([out / "distorted"], out)
        return report_failures(result.failures, result.failed)
    return 0


def _part(config: StudyConfig, engines: list[PluginSpec], kind: str) -> StudyConfig:
    """The configuration for some engines and one kind of noise, without a kind for none.

    Formatting noise is only for the ground truth: without it, there is none.
    """
    has_noise = kind == "semantic" or (
        kind == "formatting" and any(e.name == "gt" for e in engines)
    )
    noise = tuple(
        spec for spec in config.noise if has_noise and distorts_images(spec) == (kind == "semantic")
    )
    return config.model_copy(
        update={
            "engines": tuple(engines),
            "noise": noise,
            "stages": ("ocr",),
            "ground_truth": False,
        }
    )
