"""Reads some pages of a submission again, and compares the scores."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path

from ohr.files.safe_text import plain
from ohr.ocr.progress import Progress
from ohr.registry import PluginSpec
from ohr.study.config import StudyConfig
from ohr.study.run import run_study
from ohr.suites.submission import CLEAN, Submission, read_submission, scores_of
from ohr.suites.suite import Suite, load_suite

METRIC = "ocr:edit_distance"
"""What is compared: it changes with every character that an engine reads otherwise."""
_LARGEST = 1e-5
"""Scores are rounded to five decimals."""


def rerun_files(files: Sequence[Path], documents: int, cache: Path) -> int:
    """Read documents again and print how their pages' scores compare; 1 if one differs, else 0.

    Raises OhrError if the engine cannot be used here.
    """
    code = 0
    for path in files:
        submission = read_submission(path)
        if submission.track == "text":
            print(plain(f"{path}: the track of text is read by no engine"))
            continue
        compared, differing = rerun(submission, documents, cache)
        code |= bool(differing)
        text = f"{compared} scores of pages were measured again, {len(differing)} differ"
        if differing:
            text += f" (such as {differing[0]})"
        print(plain(f"{path}: {text}"))
    return code


def rerun(submission: Submission, documents: int, cache: Path) -> tuple[int, list[str]]:
    """How many scores were compared, and the pages whose scores differ.

    The documents are the first of the suite; they are read clean and at the highest severity.
    """
    suite = load_suite(submission.suite)
    config = _config(suite, submission, documents, cache)
    with tempfile.TemporaryDirectory() as folder:
        run = run_study(config, Path(folder) / "rerun", progress=Progress())
        label = config.engines[0].label
        conditions = [name for name in suite.conditions(submission.track) if _is_last(suite, name)]
        again = scores_of(run, (CLEAN, *conditions), METRIC, label)
    stated = submission.scores[METRIC]
    differing, compared = [], 0
    for condition, values in again.values.items():
        known = dict(zip(stated.units, stated.values.get(condition, ()), strict=False))
        for unit, value in zip(again.units, values, strict=True):
            compared += 1
            before = known.get(unit)
            if value != before and (
                value is None or before is None or abs(value - before) > _LARGEST
            ):
                differing.append(f"{unit} under {condition}")
    return compared, differing


def _is_last(suite: Suite, condition: str) -> bool:
    return condition.endswith(f" s{len(suite.targets)}")


def _config(suite: Suite, submission: Submission, documents: int, cache: Path) -> StudyConfig:
    engine = PluginSpec.model_validate(submission.engine)
    config = suite.config(engine, submission.track, cache, 1)
    chosen = config.dataset.documents or suite.first_documents(cache, documents)
    return StudyConfig.model_validate(
        config.model_dump()
        | {
            "dataset": config.dataset.model_dump() | {"documents": chosen[:documents]},
            "levels": [f"s{len(suite.targets)}"],
            "stages": ["ocr"],
            "metrics": ["edit_distance"],
            "ground_truth": False,
        }
    )
