"""What a run says of failures at its end: how many, why, and which conditions failed whole."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import pandas as pd

from ohr.printable import plain
from ohr.study.conditions import CONDITION_COLUMNS, Condition
from ohr.study.measuring import Scores
from ohr.study.noise import noise_name
from ohr.types import FAILED

_NAMED_REASONS = 3
_OF_PAGES = ("ocr", "edit_distance")
_OF_ANSWERS = (
    ("generation", "f1"),
    ("generation", "f1_no_context"),
    ("generation", "judged"),
    ("overall", "f1"),
    ("overall", "judged"),
)


def trouble_lines(failures: Mapping[str, Mapping[str, Any]], protocol: str) -> list[str]:
    """A line for each knowledge base, or reader, with failures: counts by status, and reasons.

    ``failures`` are entries of the manifest, with ``by_status`` and ``reasons``.
    """
    fate = "left out of the mean" if protocol == "reference" else "they count with the worst value"
    lines = []
    for name, entry in failures.items():
        counted = [
            f"{count} {status}{'s' * (count > 1)}"
            for status, count in entry["by_status"].items()
            if status in FAILED
        ]
        if counted:
            why = [f"{plain(reason)} ({count})" for reason, count in entry["reasons"].items()]
            more = len(why) - _NAMED_REASONS
            others = f"; {more} other reasons: see manifest.json" if more > 0 else ""
            named = "; ".join(why[:_NAMED_REASONS]) + others
            lines.append(f"{plain(name)}: {' and '.join(counted)} ({fate}): {named}")
    return lines


@dataclass
class Tally:
    """Counts of outcomes, and what failed whole, taken as scores come."""

    _counts: dict[str, Counter[str]] = field(default_factory=dict)
    _whole: dict[str, bool] = field(default_factory=dict)

    def add(self, scores: Iterable[Scores]) -> None:
        """Count the outcomes of some scores."""
        for score in scores:
            counts = self._counts.setdefault(score.stage, Counter())
            counts.update(str(status) for status in score.statuses)
            of_pages = (score.stage, score.metric) == _OF_PAGES
            if not of_pages and (score.stage, score.metric) not in _OF_ANSWERS:
                continue
            what = "pages" if of_pages else f"answers ({score.stage} {score.metric})"
            name = f"{_named(score.condition)}: all {len(score.statuses)} {what}"
            failed = bool(score.statuses) and all(status in FAILED for status in score.statuses)
            self._whole[name] = self._whole.get(name, True) and failed

    def counts(self) -> dict[str, dict[str, int]]:
        """How many scores of each stage are of units with each status."""
        return {stage: dict(sorted(counter.items())) for stage, counter in self._counts.items()}

    def failed(self) -> list[str]:
        """Knowledge bases all of whose pages failed, and conditions all of whose answers did.

        In every draw of the noise.
        """
        return [name for name, failed in self._whole.items() if failed]


def failed_in_rows(rows: pd.DataFrame) -> list[str]:
    """:meth:`Tally.failed` of a run's rows, as far as its stages were ``ocr`` and others."""
    keys = [*CONDITION_COLUMNS, "stage", "metric"]
    names = []
    for key, scores in rows.groupby(keys, sort=False, observed=True, dropna=False):
        values: dict[str, Any] = dict(zip(keys, key, strict=True))
        stage, metric = str(values.pop("stage")), str(values.pop("metric"))
        of_pages = (stage, metric) == _OF_PAGES
        if not of_pages and (stage, metric) not in _OF_ANSWERS:
            continue
        if scores["status"].isin([str(status) for status in FAILED]).all():
            what = "pages" if of_pages else f"answers ({stage} {metric})"
            units = len(scores[["qid", "doc_id", "page_no"]].drop_duplicates())
            names.append(f"{_named(Condition(**values))}: all {units} {what}")
    return names


def _named(condition: Condition) -> str:
    noise = noise_name(condition.perturbation, condition.level, condition.intensity)
    parts = (condition.engine, noise, condition.chunker, condition.retriever, condition.reader)
    return plain(", ".join(part for part in parts if part))
