"""Notes about failures: how many, why, and which conditions failed completely."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, cast

from ohr.files.safe_text import plain
from ohr.scoring.measuring import JUDGE
from ohr.scoring.tallies import UNREAD
from ohr.study.conditions import CONDITION_COLUMNS, Condition, name_of
from ohr.study.config import Stage
from ohr.study.metrics import NO_CONTEXT
from ohr.study.output.rows import UNIT_COLUMNS
from ohr.study.scoring.measuring import Scores
from ohr.types import FAILED, Status

if TYPE_CHECKING:
    import pandas as pd


_NAMED_REASONS = 3
_ANSWERED: tuple[Stage, ...] = ("generation", "overall")


def failure_lines(failures: Mapping[str, Mapping[str, Any]], protocol: str) -> list[str]:
    """A line for each knowledge base or reader with failures: counts by status, and reasons.

    The line also counts answers that are empty for a reason. A judge's verdicts that could not be
    read, and pages with a note, get lines of their own. ``failures`` are entries of the manifest,
    with ``by_status``, ``reasons`` and, for knowledge bases, ``notes``.
    """
    fate = "left out of the mean" if protocol == "reference" else "they count with the worst value"
    lines = []
    for name, entry in failures.items():
        unread, n_empty = entry.get("unread", 0), entry.get("empty_for_a_reason", 0)
        counts = {status: n for status, n in entry["by_status"].items() if status in FAILED}
        if unread:
            counts[str(Status.ERROR)] -= unread
            lines.append(_unread_line(name, entry, unread))
        counted = [f"{n} {status}{'s' * (n > 1)}" for status, n in counts.items() if n]
        counted += [f"{n_empty} empty"] if n_empty else []
        if counted:
            why = [
                f"{plain(reason)} ({count})"
                for reason, count in entry["reasons"].items()
                if not reason.startswith(UNREAD)
            ]
            more = len(why) - _NAMED_REASONS
            rest = f"; {more} other reasons: see manifest.json" if more > 0 else ""
            named = "; ".join(why[:_NAMED_REASONS]) + rest
            lines.append(f"{plain(name)}: {' and '.join(counted)} ({fate}): {named}")
        if noted := entry.get("notes"):
            lines.append(_noted_line(name, noted))
    return lines


def _noted_line(name: str, noted: Mapping[str, int]) -> str:
    notes = [f"{plain(note)} ({count})" for note, count in noted.items()]
    more = len(notes) - _NAMED_REASONS
    rest = f"; {more} other notes: see manifest.json" if more > 0 else ""
    total = sum(noted.values())
    pages = f"{total} page{'s' * (total > 1)} with a note"
    return f"{plain(name)}: {pages}: {'; '.join(notes[:_NAMED_REASONS])}{rest}"


def _unread_line(name: str, entry: Mapping[str, Any], unread: int) -> str:
    reason = next((text for text in entry["reasons"] if text.startswith(UNREAD)), UNREAD)
    verdicts = sum(entry["by_status"].values())
    return (
        f"{plain(name)}: {unread} of {verdicts} verdicts could not be read"
        f"{plain(reason.removeprefix(UNREAD))} (they count as incorrect; retry_failed=true asks "
        "for them again)"
    )


def empty_lines(readers: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """A line for each reader and system that answered nothing, from the manifest."""
    return [
        f"{plain(name)}: all of its {sum(entry['by_status'].values())} answers are empty"
        for name, entry in readers.items()
        if entry.get("all_empty") and name != JUDGE
    ]


_Score = tuple[Condition, str, str]
"""Condition, stage and metric."""


@dataclass
class FailureCounts:
    """Counts outcomes, and finds what failed completely, as scores come in."""

    _counts: dict[str, Counter[str]] = field(default_factory=dict)
    _failed: dict[_Score, tuple[int, bool]] = field(default_factory=dict)
    """How many units a score has, and whether all of them failed in each draw so far."""

    def add(self, scores: Iterable[Scores]) -> None:
        """Count the outcomes of some scores."""
        for score in scores:
            counts = self._counts.setdefault(score.stage, Counter())
            counts.update(str(status) for status in score.statuses)
            if score.unit == "page" or score.stage in _ANSWERED:
                key = (score.condition, str(score.stage), score.metric)
                failed = bool(score.statuses) and FAILED.issuperset(score.statuses)
                failed &= self._failed.get(key, (0, True))[1]
                self._failed[key] = len(score.statuses), failed

    def counts(self) -> dict[str, dict[str, int]]:
        """The number of scores of each stage, by status of the unit."""
        return {stage: dict(sorted(counter.items())) for stage, counter in self._counts.items()}

    def failed(self) -> list[str]:
        """Knowledge bases whose pages all failed, and conditions whose answers all failed.

        Only those that failed in every draw of the noise.
        """
        return _failed_lines({key: n for key, (n, failed) in self._failed.items() if failed})


def failed_in_rows(rows: pd.DataFrame) -> list[str]:
    """:meth:`FailureCounts.failed`, from a run's rows."""
    import pandas as pd

    rows = rows[(rows["qid"] == "") | rows["stage"].isin(_ANSWERED)]
    failed: dict[_Score, int] = {}
    keys = [*CONDITION_COLUMNS, "stage", "metric"]
    for key, scores in rows.groupby(keys, sort=False, observed=True, dropna=False):
        values: dict[str, Any] = {
            # pd.NA equals nothing, not even itself
            name: None if pd.isna(cast(Any, value)) else value
            for name, value in zip(keys, key, strict=True)
        }
        stage, metric = str(values.pop("stage")), str(values.pop("metric"))
        if scores["status"].isin([str(status) for status in FAILED]).all():
            units = scores[list(UNIT_COLUMNS)].drop_duplicates()
            failed[Condition(**values), stage, metric] = len(units)
    return _failed_lines(failed)


def _failed_lines(failed: Mapping[_Score, int]) -> list[str]:
    """A line for each condition and stage, by the first of its metrics whose units all failed.

    Closed-book answers get lines of their own.
    """
    lines: dict[tuple[Condition, str, bool], str] = {}
    for (condition, stage, metric), units in failed.items():
        what = "pages" if stage == "ocr" else f"answers ({stage} {metric})"
        key = (condition, stage, metric.endswith(NO_CONTEXT))
        lines.setdefault(key, f"{plain(name_of(condition))}: all {units} {what}")
    return list(lines.values())
