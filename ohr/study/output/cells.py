"""Computes cells from rows: the one place that computes means, also for imported runs."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ohr.statistics import NO_INTERVAL, Clusters, mean_interval
from ohr.study.conditions import CONDITION_COLUMNS, Condition, conditions
from ohr.study.metrics import NOISE_COLUMNS, MetricInfo, metric_info
from ohr.study.output.groups import group_names
from ohr.study.plan import Plan
from ohr.types import Status

if TYPE_CHECKING:
    import pandas as pd

    from ohr.study.output.scores import Key, ReadScore


KEY_COLUMNS = (*CONDITION_COLUMNS, "stage", "metric", "group")
LABEL_COLUMNS = tuple(name for name in KEY_COLUMNS if name not in ("intensity", "top_k", "seed"))
"""The columns of a cell's key that hold text."""
CELL_COLUMNS = (
    *KEY_COLUMNS,
    *("mean", "ci_low", "ci_high", "ci_unit", "n", "n_empty", "n_error", "n_timeout"),
    *("draws", "draw_sd"),
    *NOISE_COLUMNS,
)
"""``draws``: number of draws of the noise; ``draw_sd``: standard deviation (n - 1) of the means of
the draws. ``n`` and the counts are of units; a unit has the status of its worst draw."""

_STATUSES = list(Status)
_KNOWLEDGE_BASE = ("perturbation", "level", "intensity", "engine")


def planned_cells(plan: Plan) -> list[tuple[Condition, str, str, str]]:
    """(condition, stage, metric, group) of every cell, in the order of ``cells.csv``."""
    groups = group_names(plan)
    return [
        (condition, info.stage, info.metric, group)
        for info in plan.metric_infos
        for condition in conditions(plan, info.stage)
        if info.top_k in (None, condition.top_k)
        for group in groups
    ]


def aggregate(
    rows: Path | pd.DataFrame,
    metric_infos: Sequence[MetricInfo] | None = None,
    groups: Sequence[str] | None = None,
) -> pd.DataFrame:
    """The content of ``cells.csv``: one row per metric, condition and group, in this order.

    ``rows`` is a file, which is read one row group at a time (all draws of a condition are in
    memory until the last one is read), or a frame with the same columns. ``metric_infos`` are the
    metrics of the cells, in order; by default all metrics of the rows, as built-in metrics are
    declared. ``groups`` are the groups of the cells; by default all groups of the rows. Raises
    OhrError for invalid rows.
    """
    import pandas as pd

    from ohr.study.output.scores import ReadScores

    scores = ReadScores(rows)
    means: dict[Key, list[dict[str, Any]]] = {}
    noise: dict[tuple[Key, str], dict[str, float]] = {}
    declared = {(info.stage, info.metric): info for info in metric_infos or ()}
    names = list(groups) if groups is not None else scores.groups()
    for score in scores:
        stage, metric = score.key[-2:]
        info = declared.get((stage, metric)) or metric_info(stage, metric)
        cells = list(_cells(score, info, names))
        if stage == "ocr" and metric in NOISE_COLUMNS:
            base = _base(score.key)
            for cell in cells:
                noise.setdefault((base, cell["group"]), {})[metric] = cell["mean"]
        if metric_infos is None or (stage, metric) in declared:
            means[score.key] = cells
    order = {key: place for place, key in enumerate(declared)} or scores.order()
    keys = sorted(means, key=lambda key: order[key[-2:]])  # stable: conditions as they came
    records = []
    for key in keys:
        fields_of_key = dict(zip((*CONDITION_COLUMNS, "stage", "metric"), key, strict=True))
        for cell in means[key]:
            records.append(fields_of_key | cell | noise.get((_base(key), cell["group"]), {}))
    frame = pd.DataFrame(records, columns=list(CELL_COLUMNS))
    frame["top_k"] = frame["top_k"].astype("Int64")
    return frame


def _base(key: Key) -> Key:
    return tuple(key[CONDITION_COLUMNS.index(name)] for name in _KNOWLEDGE_BASE)


def _cells(score: ReadScore, info: MetricInfo, groups: Sequence[str]) -> Iterator[dict[str, Any]]:
    """A score's mean in each group, with interval and counts, as columns of ``cells.csv``."""
    excluded = info.left_out(str(score.key[CONDITION_COLUMNS.index("protocol")]))
    left_out = [_STATUSES.index(status) for status in excluded]
    has_value = ~np.isnan(score.values)
    is_counted = has_value & ~np.isin(score.statuses, left_out)
    counts = is_counted.sum(axis=0)
    values = np.where(is_counted, score.values, 0.0).sum(axis=0) / np.maximum(counts, 1)
    by_draw = np.where(is_counted, score.values, np.nan)
    worst = score.statuses.max(axis=0)
    applies = has_value.any(axis=0)
    units = score.units
    for group in groups:
        everyone = units.groups.get(group, units.nobody)
        members = everyone[applies[everyone]]
        chosen = members[counts[members] > 0]
        clusters = (
            Clusters.from_labels(units.documents[chosen], units.pages[chosen])
            if len(chosen)
            else None
        )
        yield {
            "group": group,
            **_mean_columns(values[chosen], clusters),
            **{
                f"n_{status}": int((worst[members] == _STATUSES.index(Status(status))).sum())
                for status in ("empty", "error", "timeout")
            },
            "draws": len(score.values),
            "draw_sd": _draw_sd(by_draw[:, chosen]),
        }


def _mean_columns(values: np.ndarray, clusters: Clusters | None) -> dict[str, object]:
    """``mean``, interval and ``n`` of a cell's values; NaN and no interval without values."""
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
