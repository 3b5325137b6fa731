"""Writes a submission to a suite in the Hugging Face Hub's files of evaluation results.

``eval.yaml`` belongs into the repository of the benchmark, a dataset; ``.eval_results/SUITE.yaml``
into that of the model. Format: huggingface.co/docs/hub/eval-results, as of 2026.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from ohr.errors import OhrError
from ohr.store.atomic import write_text
from ohr.suites.check import faults
from ohr.suites.submission import Submission, read_submission
from ohr.suites.suite import load_suite
from ohr.suites.table import suite_table

TASKS: Mapping[str, str] = {
    "evidence_clean": "clean",
    "evidence_noisy": "noisy",
    "answers_clean": "answers_clean",
    "answers_noisy": "answers_noisy",
    "changed_numbers": "changed_numbers",
    "invented_words": "invented_words",
}
"""Identifiers of tasks -> columns of ``suite.csv``."""
_PARTS: Mapping[str, str] = {
    "full": "",
    "quick": "; of these, the part of the quick track",
    "text": "; noise of the true text alone",
}
FRAMEWORK_NOTE = (
    "the Hub has a list of the frameworks that eval.yaml may name, and in 2026 ohr was not on it; "
    "until it is, the Hub may refuse the file"
)
_REPOSITORY = re.compile(r"[\w.-]+/[\w.-]+", re.ASCII)
_DIGITS = 4


def export_submission(path: Path, out: Path, repository: str) -> None:
    """Write both files. ``repository`` is the benchmark's dataset on the Hub, such as ``org/name``.

    Raises OhrError for another name, and for a submission that is not whole.
    """
    if not _REPOSITORY.fullmatch(repository):
        raise OhrError(
            "--format hub-eval needs --hub-dataset, the benchmark's dataset on the Hub, such as "
            "my-org/ohr-c-1"
        )
    submission = read_submission(path)
    if found_faults := faults(submission):
        raise OhrError(f"{path}: {found_faults[0]}; ohr board check {path} lists all")
    entries = _entries(submission, repository)
    name = f"{submission.suite}{'' if submission.track == 'full' else f'-{submission.track}'}"
    _write(out / "eval.yaml", _benchmark(submission))
    _write(out / ".eval_results" / f"{name}.yaml", entries)
    print(f"note: {FRAMEWORK_NOTE}")


def _benchmark(submission: Submission) -> dict[str, Any]:
    suite = load_suite(submission.suite)
    return {
        "name": f"{suite.name} ({submission.track} track)",
        "description": f"OCR for RAG under noise: {suite.about}{_PARTS[submission.track]}.",
        "evaluation_framework": "ohr",
        "tasks": [{"id": task, "config": "default", "split": "test"} for task in TASKS],
    }


def _entries(submission: Submission, repository: str) -> list[dict[str, Any]]:
    [row] = suite_table([submission]).to_dict("records")
    notes = f"{submission.track} track, submission {submission.digest[:8]}"
    return [
        {
            "dataset": {"id": repository, "task_id": task},
            "value": round(float(row[column]), _DIGITS),
            **({"source": {"url": submission.link}} if submission.link else {}),
            "notes": notes,
        }
        for task, column in TASKS.items()
        if not math.isnan(row.get(column, math.nan))
    ]


def _write(path: Path, content: Any) -> None:
    write_text(path, yaml.safe_dump(content, sort_keys=False, allow_unicode=True, width=100))
    print(f"written: {path}")
