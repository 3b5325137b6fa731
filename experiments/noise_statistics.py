"""What noise does to the pages themselves: the paper's tables S2 and S3 and its figure S2.

``python -m experiments.noise_statistics [CONFIG.yaml] [key=value ...] --out DIR`` counts three
things, which are not the same:

- **format_counts.csv** (table S2): formatting commands a page, *all* that are there, in the
  engines' text and in the ground truth with formatting noise at each level;
- **block_errors.csv** (table S3): the share of blocks that were read with errors, and of the
  commands a page only those that the ground truth does *not* have;
- **realism.csv** and its figure (figure S2): the pages' edit distance at each level of image
  noise, for engines that read images.
"""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Annotated

import pandas as pd
import typer

from experiments._command import CommandLine, report_troubles, with_errors
from experiments.analysis.block_errors import block_errors
from experiments.analysis.format_counts import count_knowledge_bases
from experiments.block_errors import EXPLANATION, errors_table
from experiments.block_errors import FILE as BLOCK_FILE
from experiments.format_counts import counts_table
from experiments.realism import compare_distances
from experiments.reports.terminal import show
from ohr import registry
from ohr.errors import OhrError
from ohr.plugins import KnowledgeBaseSource, OcrBackend
from ohr.registry import PluginSpec
from ohr.store.atomic import write_text
from ohr.study.config import StudyConfig, load_config
from ohr.study.csv import write_csv
from ohr.study.noise import perturbation_class
from ohr.study.progress import Progress
from ohr.study.run import run_study

DEFAULTS = {"noise": ["formatting", "semantic"], "stages": ["ocr"]}

main = CommandLine()


@main.command(help="Formatting commands a page, blocks with errors, pages' edit distances.")
def command(
    settings: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[CONFIG.yaml] [key=value ...]",
            help='Such as "engines=[gt,precomputed:MinerU,tesseract]"; quote brackets.',
        ),
    ] = None,
    out: Annotated[Path | None, typer.Option(help="Folder for the results.")] = None,
    debug: Annotated[
        bool, typer.Option("--debug", help="Print a traceback with an error.")
    ] = False,
) -> None:
    """Measure the noise of pages."""
    logging.basicConfig(level=logging.WARNING, format="%(message)s")
    with_errors(lambda: _run(load_config(settings or [], DEFAULTS), out), debug)


def _run(config: StudyConfig, out: Path | None) -> int:
    if out is None:
        raise OhrError("where should the results go? give --out DIR, such as --out runs/noise")
    code = noise_statistics(config, out)
    print(f"results: {out}")
    return code


def noise_statistics(config: StudyConfig, out: Path) -> int:
    """Write and print whatever of the three the engines allow; 1 if all pages of a knowledge base
    failed. Raises OhrError.
    """
    given, images = [], []
    for spec in config.engines:
        engine = registry.create("engine", spec)
        if isinstance(engine, KnowledgeBaseSource):
            given.append(spec)
        elif isinstance(engine, OcrBackend) and "image" in engine.accepts:
            images.append(spec)
    if given:
        print("\nTable S2: formatting commands a page")
        counts = count_knowledge_bases(_part(config, given, "formatting"))
        write_text(
            out / "format_counts.csv", counts.to_csv(index_label="kind", float_format="%.4f")
        )
        show(counts_table(counts))
    readings = [spec for spec in config.engines if spec.name != "gt"]
    if readings:
        print("\nTable S3: blocks with errors, and commands that the ground truth does not have")
        parts = [_part(config, [spec for spec in readings if spec not in images], "")]
        parts.append(_part(config, images, "semantic"))
        found = [block_errors(part, Progress()) for part in parts if part.engines]
        errors = pd.concat(found, ignore_index=True)
        write_csv(out / BLOCK_FILE, errors)
        show(errors_table(errors))
        print(EXPLANATION)
    distorted = _part(config, images, "semantic")
    if distorted.engines and distorted.noise:
        print("\nFigure S2: the pages' edit distance at each level")
        result = run_study(distorted, out / "distorted", progress=Progress())
        compare_distances(out / "distorted", out)
        return report_troubles(result.troubles, result.failed)
    return 0


def _part(config: StudyConfig, engines: list[PluginSpec], kind: str) -> StudyConfig:
    """The configuration for some engines and one kind of noise."""
    noise = tuple(spec for spec in config.noise if perturbation_class(spec).kind == kind)
    return config.model_copy(
        update={
            "engines": tuple(engines),
            "noise": noise,
            "stages": ("ocr",),
            "ground_truth": False,
        }
    )


if __name__ == "__main__":
    main()
