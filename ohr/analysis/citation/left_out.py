"""What a run left out, could not measure, or counts as failed, each with its reason."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pandas as pd

from ohr.display.text_tables import TextTable
from ohr.display.wording import counted, listed
from ohr.study.results import StudyRun, uncounted_conditions
from ohr.types import Status

_PROBLEMS = "problems.csv"
_MOST = 20
"""Lines of one kind; the run's files have all of them."""


def left_out_items(run: StudyRun) -> list[str]:
    """A line for each thing that is missing from the scores, or doubtful in them."""
    return [line for part in (_data_lines, _plan_lines, _score_lines) for line in _first(part(run))]


def _first(lines: Iterator[str]) -> list[str]:
    every = list(lines)
    more = len(every) - _MOST
    return every[:_MOST] + ([f"{more} more lines like these"] if more > 0 else [])


def _data_lines(run: StudyRun) -> Iterator[str]:
    dataset = run.manifest["dataset"]
    for kind, count in Counter(problem_kinds(run.path)).items():
        yield f"{counted(count, 'problem')} of the data: {kind} (each is in {_PROBLEMS})"
    if by_review := dataset.get("left_out_by_review"):
        kinds = listed([f"{count} {verdict}" for verdict, count in by_review.items()])
        yield f"questions left out after a review: {kinds}"
    if pages := dataset.get("pages_without_truth"):
        yield f"{counted(pages, 'page')} without a truth: not compared"
    for name, value in dataset.get("truth_holes", {}).items():
        yield f"holes of the truth, {name.replace('_', ' ')}: {value:,}"
    if ties := dataset.get("on_repeated_pages"):
        yield f"{counted(ties, 'question')} on pages that occur more than once"


def problem_kinds(folder: Path) -> list[str]:
    """The kind of each problem of the data."""
    try:
        table = pd.read_csv(folder / _PROBLEMS, dtype=str, keep_default_na=False)
    except (OSError, ValueError):
        return []
    return list(table["kind"]) if "kind" in table else []


def _plan_lines(run: StudyRun) -> Iterator[str]:
    yield from (f"not measured: {note}" for note in run.manifest.get("unreachable", []))
    yield from (f"missing: {line}" for line in run.missing)
    for engine in run.manifest.get("same_as_truth", []):
        yield f"{engine}: its text equals the truth, so it is not ranked"


def _score_lines(run: StudyRun) -> Iterator[str]:
    yield from run.failures
    yield from (f"failed as a whole: {line}" for line in run.failed)
    pairs = [(info.stage, info.metric) for info in run.metric_infos if info.shown]
    yield from (f"no score counts: {name}" for name in uncounted_conditions(run, pairs))


def status_table(run: StudyRun) -> TextTable | None:
    """How many scores of each stage are of pages or answers that were empty or failed."""
    counts: dict[str, dict[str, int]] = run.manifest.get("counts", {})
    if not counts:
        return None
    statuses = [str(status) for status in Status]
    rows = [
        [stage, *(f"{by_status.get(status, 0):,}" for status in statuses)]
        for stage, by_status in counts.items()
    ]
    caption = "Scores of all conditions by stage and status; each counts in its mean"
    if run.config.scoring != "default":
        caption = "Scores of all conditions by stage and status"
    return TextTable(["stage", *statuses], rows, caption)
