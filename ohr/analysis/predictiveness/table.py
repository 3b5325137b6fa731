"""Which measure of reading says what noise will cost: rank correlations with the loss."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from ohr.analysis.comparison.table import metrics_of
from ohr.analysis.predictiveness.damage import SETTING, damages
from ohr.analysis.predictiveness.predictors import Units, compared
from ohr.display.settings import Setting
from ohr.errors import OhrError
from ohr.study.output.groups import group_rows
from ohr.study.results import Run
from ohr.study.scoring.metrics import MetricInfo

MAIN_GROUPS = ("all", "source:")
COMPARED = ("stage", "metric", "title", *SETTING, "conditions", "group", "correlation")
"""What is the same for measures that are compared with each other."""
PAIR_COLUMNS = (
    *(*COMPARED, "first", "second", "difference", "difference_ci_low", "difference_ci_high"),
    *("p", "p_holm", "alike_p_holm", "n"),
)


@dataclass(frozen=True)
class Predictors:
    """``table``: see :func:`predictiveness`. ``pairs``: a row for each two of its measures that
    share nothing of the outcome's definition, with ``difference`` (the first's correlation less
    the second's, on the questions of both), its interval, p, ``p_holm`` over all pairs of the
    outcome, setting, conditions, group and correlation, and ``alike_p_holm`` over those of one
    kind.
    """

    table: pd.DataFrame
    pairs: pd.DataFrame


def predictiveness(
    runs: Sequence[Run], metrics: Sequence[str] = (), groups: bool = False
) -> pd.DataFrame:
    """A row for each outcome, setting, conditions, group of questions, correlation and measure.

    ``metrics`` are the outcomes, ``stage:metric``; by default :func:`usual_outcomes`.
    ``groups``: also each domain, answer form and task, not each evidence source alone.
    ``correlation`` is Spearman's of the measure's damage and the outcome's loss (see
    :class:`ohr.analysis.predictiveness.damage.Damage`), pooled and within conditions, with a
    jackknife interval over documents, or over pages where documents are few. ``overlaps`` marks a
    measure
    that shares part of the outcome's definition: its correlation is partly by construction, and it
    is never the best. ``behind`` is how far another lies behind the best, with interval and p of a
    test that swaps the two measures' ranks, document by document; ``p_holm`` corrects over every
    pair of measures, so it holds although the best was chosen on the same data. Columns that begin
    with ``alike_`` compare a measure with the best of its kind: of pages, or of the evidence, which
    must be known.
    Raises OhrError where there is no noise, nothing to compare it with, or no measure of reading.
    """
    return predictors(runs, metrics, groups).table


def predictors(
    runs: Sequence[Run], metrics: Sequence[str] = (), groups: bool = False
) -> Predictors:
    """:func:`predictiveness`, with every pair of measures. Raises OhrError."""
    wanted = [
        pair for pair in metrics_of(runs, metrics or usual_outcomes(runs)) if pair[0] != "ocr"
    ]
    records: list[dict[str, Any]] = []
    pairs: list[dict[str, Any]] = []
    measured = False
    for damage in damages(runs, wanted):
        measured = True
        known = {"stage": damage.outcome.stage, "metric": damage.outcome.metric}
        known |= {"title": damage.outcome.label, **damage.setting}
        for conditions, frame in _conditions(damage.frame):
            for group, members in group_rows(frame):
                every = groups or group.startswith(MAIN_GROUPS)
                if not every or (conditions != "all" and group != "all"):
                    continue
                key = known | {"conditions": conditions, "group": group}
                of_measures, of_pairs = compared(Units(members, damage, runs[0].seed))
                records += [key | record for record in of_measures]
                pairs += [key | record for record in of_pairs]
    if not records:
        raise _nothing(runs, wanted, measured)
    return Predictors(pd.DataFrame(records), pd.DataFrame(pairs, columns=list(PAIR_COLUMNS)))


def usual_outcomes(runs: Sequence[Run]) -> list[str]:
    """Whether the page is found, answers, and what else figures show, as ``stage:metric``.

    Outcomes that share part of their definition with a measure of reading come last.
    """
    measures = list(dict.fromkeys(info for run in runs for info in run.measures))
    readings = [info for info in measures if info.stage == "ocr"]
    there = dict.fromkeys(metrics_of(runs))
    hits = [info for info in measures if info.name == "hit"]
    first = {info.metric for info in hits if info.top_k == hits[0].top_k}
    chosen = [info for info in hits if info.metric in first]
    chosen += [
        info for info in measures if (info.stage, info.metric) in there and info not in chosen
    ]

    def overlapping(outcome: MetricInfo) -> bool:
        return any(outcome.overlaps(info) for info in readings)

    chosen = [info for info in chosen if info.stage != "ocr"]
    return [f"{info.stage}:{info.metric}" for info in sorted(chosen, key=overlapping)]


def outcomes_of(table: pd.DataFrame) -> Iterator[tuple[str, pd.DataFrame]]:
    """Each outcome and setting of the table by name, as ``Retrieval LCS, tokens, bm25, 2 hits``."""
    for key, rows in table.groupby(["title", *SETTING], sort=False):
        title, *values = map(str, key)
        setting = Setting(**dict(zip(SETTING, values, strict=True)))
        yield ", ".join(part for part in (title, *setting.parts) if part), rows


def _nothing(runs: Sequence[Run], wanted: Sequence[tuple[str, str]], measured: bool) -> OhrError:
    where = ", ".join(str(run.path) for run in runs)
    if not wanted:
        return OhrError(f"{where}: no score of retrieval or of answers: run it with those stages")
    if measured:
        return OhrError(f"{where}: no measure of reading: run it with the stage ocr")
    return OhrError(
        f"{where}: nothing to compare noise with: it takes noise and the clean pages that the same "
        "engine read, or gt and another engine"
    )


def _conditions(frame: pd.DataFrame) -> Iterator[tuple[str, pd.DataFrame]]:
    """All conditions, then those of each engine and of each kind of noise, no set twice."""
    seen = {frozenset(frame["condition"])}
    yield "all", frame
    for column in ("engine", "noise"):
        for name, rows in frame.groupby(column, sort=False):
            there = frozenset(rows["condition"])
            if there not in seen:
                seen.add(there)
                yield f"{column}:{name}", rows
