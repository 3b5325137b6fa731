"""Scores of readers and judges that are asked several times: means, and what the model adds."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import astuple, dataclass, field, fields, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ohr.plugins import Reader
from ohr.statistics import Clusters
from ohr.statistics.numbers import percent
from ohr.statistics.repeats import RepeatSpread, repeat_spread, same_pairs
from ohr.study.conditions import CONDITION_COLUMNS, Condition, name_of
from ohr.study.plan import Plan
from ohr.study.scoring.measuring import Scores
from ohr.types import Answer, Outcome

if TYPE_CHECKING:
    import pandas as pd

FILE = "repeats.csv"
COLUMNS = (
    *CONDITION_COLUMNS,
    *("stage", "metric"),
    *(name.name for name in fields(RepeatSpread)),
    "same_answers",
)
_SHOWN = 8


@dataclass
class Repeats:
    """Joins the scores of repeats, and keeps their spread by condition, stage and metric."""

    plan: Plan
    _scores: dict[tuple[Condition, str, str], list[np.ndarray]] = field(default_factory=dict)
    """By draw of the noise: ``(repeats, n)``, NaN where the metric does not apply."""
    _same: dict[tuple[Condition, str, str], list[float]] = field(default_factory=dict)

    def joined(
        self, repeats: Sequence[Sequence[Scores]], answers: Sequence[Sequence[Outcome[Answer]]]
    ) -> list[Scores]:
        """The scores of one stage: for each question the mean over the repeats, with the worst
        status.

        ``answers`` are those of each repeat; a single one if only the judge was asked again.
        """
        if len(repeats) == 1:
            return list(repeats[0])
        texts = [
            ["" if outcome.value is None else outcome.value.text for outcome in outcomes]
            for outcomes in answers
        ]
        same = same_pairs(texts)
        return [self._joined(each, same) for each in zip(*repeats, strict=True)]

    def _joined(self, repeats: Sequence[Scores], same: float) -> Scores:
        first = repeats[0]
        scores = np.array([each.values for each in repeats], float)
        key = (first.condition, first.stage, first.metric)
        self._scores.setdefault(key, []).append(scores)
        self._same.setdefault(key, []).append(same)
        statuses = tuple(
            max(column, key=lambda status: status.severity)
            for column in zip(*(each.statuses for each in repeats), strict=True)
        )
        sure = [each.confidences for each in repeats if each.confidences is not None]
        confidences = np.mean(sure, axis=0) if len(sure) == len(repeats) else None
        return replace(
            first, values=scores.mean(axis=0), statuses=statuses, confidences=confidences
        )

    def table(self) -> pd.DataFrame:
        """A row for each condition, stage and metric with repeats: the columns :data:`COLUMNS`."""
        import pandas as pd

        return pd.DataFrame(list(self._rows()), columns=list(COLUMNS))

    def _rows(self) -> Iterator[tuple[Any, ...]]:
        places = [question.place for question in self.plan.questions]
        documents = np.array([ref.doc_id for ref in places])
        pages = np.array([f"{ref.doc_id}\x1f{ref.page_no}" for ref in places])
        for (condition, stage, metric), draws in self._scores.items():
            scores = np.concatenate(draws, axis=1)
            applies = np.isfinite(scores).all(axis=0)
            if not applies.any():
                continue
            labels = [np.tile(each, len(draws))[applies] for each in (documents, pages)]
            spread = repeat_spread(scores[:, applies], Clusters.from_labels(*labels))
            same = float(np.mean(self._same[condition, stage, metric]))
            yield (*astuple(condition), stage, metric, *astuple(spread), same)

    def entries(self) -> list[dict[str, Any]]:
        """For the manifest: the means whose answers differ between repeats, and by how much."""
        return [
            {
                "condition": name_of(Condition(*row[: len(CONDITION_COLUMNS)])),
                **{
                    name: round(value, 6) if isinstance(value, float) else value
                    for name, value in zip(
                        COLUMNS[len(CONDITION_COLUMNS) :],
                        row[len(CONDITION_COLUMNS) :],
                        strict=True,
                    )
                    if not (isinstance(value, float) and math.isnan(value))
                },
            }
            for row in self._rows()
        ]


def is_repeated(plan: Plan, reader: Reader) -> bool:
    """Whether a reader or judge is asked more than once."""
    return plan.config.repeats > 1 and reader.repeat(1) is not None


def repeat_notes(plan: Plan) -> list[str]:
    """What the option ``repeats`` does not reach in a study; empty without repeats."""
    if plan.config.repeats == 1:
        return []
    judge = {} if plan.judge is None else {"judge": plan.judge}
    readers = {f"reader {label!r}": reader for label, reader in plan.readers.items()} | judge
    lines = []
    for name, reader in readers.items():
        if not is_repeated(plan, reader):
            lines.append(f"repeats: {name} always gives the same answer, and is asked once")
        elif not _temperature(reader):
            lines.append(
                f"repeats: {name} is asked at temperature 0, where repeats show only what its "
                "server varies; request: {temperature: 0.7} also varies its choice of words"
            )
    systems = [f"repeats: system {label!r} is asked once" for label in plan.systems]
    return lines + systems


def _temperature(reader: Reader) -> float:
    request = getattr(reader.params, "request", {})
    value = request.get("temperature", 0) if isinstance(request, dict) else 0
    return float(value) if isinstance(value, int | float) else 1.0  # null: the server's own


def spread_lines(entries: Sequence[dict[str, Any]]) -> list[str]:
    """Lines for the end of a run about the spread of its repeats."""
    differing = [entry for entry in entries if entry["sd_within"] > 0]
    if entries and not differing:
        return ["repeats: all repeats gave the same scores"]
    lines = []
    for entry in differing[:_SHOWN]:
        line = (
            f"repeats: {entry['metric']} ({entry['stage']}; {entry['condition']}): mean "
            f"{entry['mean']:.3f} of {entry['repeats']} repeats, which alone give "
            f"{entry['lowest_mean']:.3f} to {entry['highest_mean']:.3f}"
        )
        if "share_of_variance" in entry:
            share = percent(entry["share_of_variance"])
            line += f"; {share} of the variance of a score is the model's"
        if "same_answers" in entry:
            line += f"; {percent(entry['same_answers'])} of pairs of answers are the same"
        lines.append(line)
    if len(differing) > _SHOWN:
        lines.append(f"repeats: {len(differing) - _SHOWN} more such means: see {FILE}")
    return lines
