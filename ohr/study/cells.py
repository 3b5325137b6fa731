"""From scores to rows and cells."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import pandas as pd

from ohr.statistics import NO_INTERVAL, Clusters, mean_interval
from ohr.study.conditions import CONDITION_COLUMNS, Condition, conditions
from ohr.study.groups import Grouping, group_names, make_grouping
from ohr.study.measures import NO_CONTEXT, planned
from ohr.study.plan import Plan
from ohr.study.scoring import Scores
from ohr.types import FAILED, Status

KEY_COLUMNS = (*CONDITION_COLUMNS, "stage", "metric", "group")
NOISE_COLUMNS = ("r_noise", "r_noise_content", "edit_distance")
CELL_COLUMNS = (
    *KEY_COLUMNS,
    *("mean", "ci_low", "ci_high", "ci_unit", "n", "n_empty", "n_error", "n_timeout"),
    *("draws", "draw_sd"),
    *NOISE_COLUMNS,
)
"""``draws``: how often the noise was drawn; ``draw_sd``: standard deviation (n - 1) of the draws'
means. ``n`` and the counts are of units; a unit's status is that of its worst draw."""


def planned_cells(plan: Plan) -> list[tuple[Condition, str, str, str]]:
    """(condition, stage, metric, group) of every cell, in the order of ``cells.csv``."""
    groups = group_names(plan)
    return [
        (condition, measure.stage, measure.metric, group)
        for measure in planned(plan.config)
        for condition in conditions(plan, measure.stage)
        if measure.top_k in (None, condition.top_k)
        for group in groups
    ]


@dataclass(frozen=True)
class DrawnScores:
    """One metric of one condition over all draws of its noise, in the plan's order of units.

    ``values`` are means over the draws that count, ``(units,)``, NaN where the metric does not
    apply; ``by_draw`` are ``(draws, units)``, NaN where a draw does not count; ``counted`` says
    which units have a draw that does.
    """

    condition: Condition
    stage: str
    metric: str
    values: np.ndarray
    by_draw: np.ndarray
    counted: np.ndarray
    statuses: tuple[Status, ...]


def over_draws(plan: Plan, scores: Iterable[Scores]) -> list[DrawnScores]:
    """The scores of each condition, stage and metric, over the draws of its noise."""
    draws: dict[tuple[Condition, str, str], list[Scores]] = {}
    for score in scores:
        draws.setdefault((score.condition, score.stage, score.metric), []).append(score)
    return [_over_draws(plan, *key, parts) for key, parts in draws.items()]


def _over_draws(
    plan: Plan, condition: Condition, stage: str, metric: str, parts: Sequence[Scores]
) -> DrawnScores:
    excluded = left_out(plan.config.scoring, stage, metric)
    kept = np.array([[s not in excluded for s in part.statuses] for part in parts], dtype=bool)
    values = np.stack([part.values for part in parts])
    counts = kept.sum(axis=0)
    sums = np.where(kept, values, 0.0).sum(axis=0)
    units = zip(*(part.statuses for part in parts), strict=True)
    worst = (max(unit, key=lambda status: status.severity) for unit in units)
    return DrawnScores(
        condition,
        stage,
        metric,
        # Uncounted units keep a value: whether the metric applies to them is to be seen.
        np.where(counts > 0, sums / np.maximum(counts, 1), values.mean(axis=0)),
        np.where(kept, values, np.nan),
        counts > 0,
        tuple(worst),
    )


def make_cells(plan: Plan, scores: Iterable[Scores]) -> pd.DataFrame:
    """One row for each condition, stage, metric and group."""
    grouping = make_grouping(plan)
    units = {measure.metric: measure.unit for measure in planned(plan.config)}
    order = {key: i for i, key in enumerate(planned_cells(plan))}
    drawn = over_draws(plan, scores)
    noise = _noise_means(drawn, grouping)
    cells = []
    for score in drawn:
        if score.stage not in plan.config.stages:
            continue
        unit = grouping.of(units[score.metric])
        failed = {
            status: np.array([s is status for s in score.statuses], dtype=bool)
            for status in (Status.EMPTY, Status.ERROR, Status.TIMEOUT)
        }
        applies = ~np.isnan(score.values)
        for group, everyone in unit.groups.items():
            members = everyone[applies[everyone]]
            kept = members[score.counted[members]]
            values = score.values[kept]
            clusters = Clusters.of(unit.documents[kept], unit.pages[kept]) if len(kept) else None
            cell = asdict(score.condition) | {
                "stage": score.stage,
                "metric": score.metric,
                "group": group,
                **mean_columns(values, clusters),
                "n_empty": int(failed[Status.EMPTY][members].sum()),
                "n_error": int(failed[Status.ERROR][members].sum()),
                "n_timeout": int(failed[Status.TIMEOUT][members].sum()),
                "draws": len(score.by_draw),
                "draw_sd": _draw_sd(score.by_draw[:, kept]),
            }
            cell |= noise.get((_knowledge_base(score.condition), group), {})
            position = order[(score.condition, score.stage, score.metric, group)]
            cells.append((position, cell))
    cells.sort(key=lambda pair: pair[0])
    frame = pd.DataFrame([cell for _, cell in cells], columns=list(CELL_COLUMNS))
    frame["top_k"] = frame["top_k"].astype("Int64")
    return frame


def mean_columns(values: np.ndarray, clusters: Clusters | None) -> dict[str, object]:
    """``mean``, its interval and ``n`` of the values of a cell; no mean and no interval of none."""
    interval = NO_INTERVAL
    if clusters is not None and len(values):
        interval = mean_interval(values, clusters, bounded=True)
    return {
        "mean": float(values.mean()) if len(values) else math.nan,
        "ci_low": interval.low,
        "ci_high": interval.high,
        "ci_unit": interval.unit,
        "n": len(values),
    }


def _draw_sd(by_draw: np.ndarray) -> float:
    """Standard deviation (n - 1) of the means of several draws ``(draws, units)``."""
    counts = (~np.isnan(by_draw)).sum(axis=1)
    if len(by_draw) < 2 or not counts.all():
        return math.nan
    return float((np.nansum(by_draw, axis=1) / counts).std(ddof=1))


def left_out(protocol: str, stage: str, metric: str) -> frozenset[Status]:
    """Statuses that leave the mean: none of them, except under the published protocol.

    The published evaluation leaves out missing pages, failed retrievals and empty answers. It
    has no answers without context: those count in both protocols, an empty one with 0.
    """
    unpublished = metric.startswith(("r_noise", "evidence_lcs")) or metric.endswith(NO_CONTEXT)
    if protocol == "default" or unpublished:
        return frozenset()
    return FAILED if stage == "ocr" else FAILED | {Status.EMPTY}


def _knowledge_base(condition: Condition) -> tuple[str, str, float, str]:
    return (condition.perturbation, condition.level, condition.intensity, condition.engine)


def _noise_means(
    scores: Iterable[DrawnScores], grouping: Grouping
) -> dict[tuple[tuple[str, str, float, str], str], dict[str, float]]:
    """Mean noise of each knowledge base and group, where the OCR stage measured it."""
    means: dict[tuple[tuple[str, str, float, str], str], dict[str, float]] = {}
    for score in scores:
        if score.stage != "ocr" or score.metric not in NOISE_COLUMNS:
            continue
        unit = grouping.of("page" if score.metric == "edit_distance" else "question")
        counted = score.counted & ~np.isnan(score.values)
        for group, members in unit.groups.items():
            kept = members[counted[members]]
            mean = float(score.values[kept].mean()) if len(kept) else math.nan
            means.setdefault((_knowledge_base(score.condition), group), {})[score.metric] = mean
    return means


def make_rows(plan: Plan, scores: Iterable[Scores]) -> pd.DataFrame:
    """One row for each unit, condition, draw, stage and metric.

    Texts are category columns, put together from codes: no row is ever an object of its own.
    """
    units = {measure.metric: measure.unit for measure in planned(plan.config)}
    scores = [score for score in scores if score.stage in plan.config.stages]
    if not scores:
        return pd.DataFrame()
    owners = [units[score.metric] for score in scores]
    lengths = [len(score.values) for score in scores]
    constants = [
        asdict(score.condition) | {"draw": score.draw, "stage": score.stage, "metric": score.metric}
        for score in scores
    ]
    table: dict[str, Any] = {}
    for name in constants[0]:
        values = [constant[name] for constant in constants]
        if dtype := _NUMERIC.get(name):
            table[name] = pd.Series(values, dtype=dtype).repeat(lengths).reset_index(drop=True)
        else:
            names, codes = _codes(values)
            table[name] = _categories(np.repeat(codes, lengths), names)
    by_unit = _unit_columns(plan)
    for name in by_unit["question"]:
        columns = {unit: by_unit[unit][name] for unit in by_unit}
        if name in _NUMERIC:
            numbers = {unit: np.array(column, _NUMERIC[name]) for unit, column in columns.items()}
            table[name] = np.concatenate([numbers[unit] for unit in owners])
            continue
        used = sorted({unit for unit, n in zip(owners, lengths, strict=True) if n})
        names, codes = _codes([value for unit in used for value in columns[unit]])
        ends = np.cumsum([0, *(len(columns[unit]) for unit in used)])
        parts = {unit: codes[ends[i] : ends[i + 1]] for i, unit in enumerate(used)}
        joined = np.concatenate([parts[unit] for unit in owners if unit in parts] or [codes])
        table[name] = _categories(joined, names)
    table["value"] = np.concatenate([score.values for score in scores]).astype("float64")
    names, codes = _codes([str(status) for score in scores for status in score.statuses])
    table["status"] = _categories(codes, names)
    return pd.DataFrame(table)


_NUMERIC = {
    **dict.fromkeys(("intensity", "value"), "float64"),
    **dict.fromkeys(("seed", "draw", "page_no"), "int64"),
    "top_k": "Int64",
}


def _codes(values: Sequence[str]) -> tuple[list[str], np.ndarray]:
    """The distinct values in order, and the place of each value among them."""
    names = sorted(set(values))
    places = {name: place for place, name in enumerate(names)}
    return names, np.array([places[value] for value in values], dtype=np.int32)


def _categories(codes: np.ndarray, names: list[str]) -> pd.Categorical:
    return pd.Categorical.from_codes(codes, pd.Index(names, dtype="str"))


def _unit_columns(plan: Plan) -> dict[str, dict[str, list[Any]]]:
    """The columns that say which question or page a row is about."""
    questions, dataset = plan.questions, plan.dataset
    return {
        "question": {
            "qid": [q.qid for q in questions],
            "doc_id": [q.doc_id for q in questions],
            "page_no": [q.evidence_pages[0].page_no for q in questions],
            "evidence_source": [q.evidence_source for q in questions],
            "domain": [q.domain for q in questions],
            "answer_form": [q.answer_form for q in questions],
            "task": [q.task for q in questions],
        },
        "page": {
            "qid": [""] * len(plan.reread),
            "doc_id": [ref.doc_id for ref in plan.reread],
            "page_no": [ref.page_no for ref in plan.reread],
            "evidence_source": [""] * len(plan.reread),
            "domain": [dataset.documents[ref.doc_id].domain for ref in plan.reread],
            "answer_form": [""] * len(plan.reread),
            "task": [""] * len(plan.reread),
        },
    }
