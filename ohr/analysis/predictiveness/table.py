"""Which OCR metric predicts what noise costs: rank correlations with the loss."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from ohr.analysis.comparison.names import cut_runs
from ohr.analysis.comparison.table import metrics_of
from ohr.analysis.predictiveness.damage import SETTING, damages
from ohr.analysis.predictiveness.predictors import Units, compared
from ohr.display.settings import Setting
from ohr.errors import OhrError
from ohr.study.metrics import MetricInfo
from ohr.study.output.groups import group_rows
from ohr.study.results import StudyRun

MAIN_GROUPS = ("all", "source:")
COMPARED = ("stage", "metric", "title", *SETTING, "conditions", "group", "correlation")
"""Columns that are equal for metrics that are compared with each other."""
PAIR_COLUMNS = (
    *(*COMPARED, "first", "second", "difference", "difference_ci_low", "difference_ci_high"),
    *("p", "p_holm", "alike_p_holm", "n"),
)


@dataclass(frozen=True)
class Predictors:
    """``table``: see :func:`predictiveness`. ``pairs``: one row per pair of its metrics that
    share nothing of the outcome's definition, with ``difference`` (the first's correlation less
    the second's, on the questions of both), its interval, p, ``p_holm`` over all pairs of the
    outcome, setting, conditions, group and correlation, and ``alike_p_holm`` over those of one
    kind.
    """

    table: pd.DataFrame
    pairs: pd.DataFrame


def predictiveness(
    runs: Sequence[StudyRun], metrics: Sequence[str] = (), groups: bool = False
) -> pd.DataFrame:
    """One row per outcome, setting, conditions, group of questions, correlation and metric.

    ``metrics`` are the outcomes, ``stage:metric``; by default :func:`usual_outcomes`.
    ``groups``: also each domain, answer form and task, beside each evidence source.
    ``correlation`` is Spearman's of the metric's damage and the outcome's loss (see
    :class:`ohr.analysis.predictiveness.damage.Damage`), pooled and within conditions, with a
    jackknife interval over documents, or over pages where documents are few. ``overlaps`` marks a
    metric that shares part of the outcome's definition: its correlation is partly by construction,
    and it is never the best. ``behind`` is how far another is behind the best, with interval and p
    of a test that swaps the two metrics' ranks, document by document; ``p_holm`` corrects over
    every pair of metrics, so it holds although the best was chosen on the same data. Columns that
    begin with ``alike_`` compare a metric with the best of its kind: of pages, or of the evidence,
    which must be known. Raises OhrError without noise, without a baseline, or without OCR metrics.
    """
    return predictors(runs, metrics, groups).table


def predictors(
    runs: Sequence[StudyRun], metrics: Sequence[str] = (), groups: bool = False
) -> Predictors:
    """:func:`predictiveness`, with every pair of measures. Raises OhrError."""
    runs = cut_runs(runs, metrics)
    outcomes = [
        pair for pair in metrics_of(runs, metrics or usual_outcomes(runs)) if pair[0] != "ocr"
    ]
    records: list[dict[str, Any]] = []
    pairs: list[dict[str, Any]] = []
    measured = False
    for damage in damages(runs, outcomes):
        measured = True
        columns = {"stage": damage.outcome.stage, "metric": damage.outcome.metric}
        columns |= {"title": damage.outcome.label, **damage.setting}
        for conditions, frame in _conditions(damage.frame):
            for group, members in group_rows(frame):
                every = groups or group.startswith(MAIN_GROUPS)
                if not every or (conditions != "all" and group != "all"):
                    continue
                key = columns | {"conditions": conditions, "group": group}
                of_measures, of_pairs = compared(Units(members, damage, runs[0].seed))
                records += [key | record for record in of_measures]
                pairs += [key | record for record in of_pairs]
    if not records:
        raise _nothing(runs, outcomes, measured)
    return Predictors(pd.DataFrame(records), pd.DataFrame(pairs, columns=list(PAIR_COLUMNS)))


def usual_outcomes(runs: Sequence[StudyRun]) -> list[str]:
    """The usual outcomes as ``stage:metric``: hit@k, answers, and other metrics of figures.

    Outcomes that share part of their definition with an OCR metric come last.
    """
    infos = list(dict.fromkeys(info for run in runs for info in run.metric_infos))
    ocr_metrics = [info for info in infos if info.stage == "ocr"]
    available = dict.fromkeys(metrics_of(runs))
    hits = [info for info in infos if info.name == "hit"]
    first = {info.metric for info in hits if info.top_k == hits[0].top_k}
    outcomes = [info for info in hits if info.metric in first]
    outcomes += [
        info for info in infos if (info.stage, info.metric) in available and info not in outcomes
    ]

    def overlapping(outcome: MetricInfo) -> bool:
        return any(outcome.overlaps(info) for info in ocr_metrics)

    outcomes = [info for info in outcomes if info.stage != "ocr"]
    return [f"{info.stage}:{info.metric}" for info in sorted(outcomes, key=overlapping)]


def outcomes_of(table: pd.DataFrame) -> Iterator[tuple[str, pd.DataFrame]]:
    """Each outcome and setting of the table, by name: ``Retrieval LCS, tokens, bm25, 2 hits``."""
    for key, rows in table.groupby(["title", *SETTING], sort=False):
        title, *values = map(str, key)
        setting = Setting(**dict(zip(SETTING, values, strict=True)))
        yield ", ".join(part for part in (title, *setting.parts) if part), rows


def _nothing(
    runs: Sequence[StudyRun], outcomes: Sequence[tuple[str, str]], measured: bool
) -> OhrError:
    where = ", ".join(str(run.path) for run in runs)
    if not outcomes:
        return OhrError(f"{where}: no scores of retrieval or answers: run it with these stages")
    if measured:
        return OhrError(f"{where}: no OCR metric: run it with the stage ocr")
    return OhrError(
        f"{where}: nothing to compare: it needs noise and the same engine on clean pages, "
        "or gt and another engine"
    )


def _conditions(frame: pd.DataFrame) -> Iterator[tuple[str, pd.DataFrame]]:
    """All conditions, then those of each engine and of each kind of noise, no set twice."""
    seen = {frozenset(frame["condition"])}
    yield "all", frame
    for column in ("engine", "noise"):
        for name, rows in frame.groupby(column, sort=False):
            conditions = frozenset(rows["condition"])
            if conditions not in seen:
                seen.add(conditions)
                yield f"{column}:{name}", rows
