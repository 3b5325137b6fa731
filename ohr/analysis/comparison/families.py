"""The families of comparisons: the same in every command, so that one comparison has one p.

Of each metric: *engines* on clean pages, every two of a setting; *noise*, each level less the same
engine's clean pages; and whatever else a command compares. Comparisons on all questions and those
within groups of questions are families of their own.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd

from ohr.statistics import Interval, Paired, PairedComparison, compare_family
from ohr.study.baselines import ENGINE, FIRST, NOISE
from ohr.study.output.groups import GROUP_COLUMNS, group_rows
from ohr.study.output.rows import UNIT_COLUMNS
from ohr.study.results import clusters_of

ENGINES = "engines on clean pages"
LEVELS = "noise"
TRENDS = "trends"
OTHERS = "conditions"
ALL_QUESTIONS = "all questions"
GROUPS = "groups of questions"

Key = tuple[Hashable, ...]


@dataclass
class Planned:
    """One comparison before it is tested.

    ``family`` names its family; ``record`` has the columns of its row, empty where it only belongs
    to the family. ``conditions`` ends with the names of both, and ``means`` are theirs; ``curve``
    is the key of the curve that a level of noise is part of.
    """

    family: Key
    paired: Paired
    record: dict[str, Any] = field(default_factory=dict)
    conditions: Key = ()
    means: tuple[float, float] = (math.nan, math.nan)
    curve: Key = ()
    result: PairedComparison | None = field(default=None, repr=False)


def kind_of(part: str) -> str:
    """The kind of family of a part of the loss (see :mod:`ohr.study.baselines`)."""
    return {ENGINE: ENGINES, FIRST: ENGINES, NOISE: LEVELS}.get(part, OTHERS)


def other_pairs(
    parts: Mapping[str, pd.DataFrame],
    known_values: Iterable[tuple[str, str]],
    family: Key,
    place: Key,
) -> list[Planned]:
    """The pairs of conditions that are not among the ``known``, on all questions.

    ``parts`` are the rows of each condition. So that all pairs are tested together, and letters
    and "best" come from the same test as stars.
    """
    done = {frozenset(pair) for pair in known_values}
    planned = []
    for first, second in combinations(parts, 2):
        if frozenset((first, second)) in done:
            continue
        both = joined(parts[first], parts[second])
        if len(both):
            means = both["value_baseline"].mean(), both["value_other"].mean()
            conditions = (*place, first, second)
            planned.append(Planned(family, differences_of(both), {}, conditions, means))
    return planned


def joined(before: pd.DataFrame, after: pd.DataFrame) -> pd.DataFrame:
    """The units of two conditions with ``value_baseline`` and ``value_other``."""
    units = list(UNIT_COLUMNS)
    kinds = [name for name in GROUP_COLUMNS if name in before]
    return before[[*units, *kinds, "value"]].merge(
        after[[*units, "value"]], on=units, suffixes=("_baseline", "_other")
    )


def differences_of(both: pd.DataFrame) -> Paired:
    """The paired differences of joined units."""
    values = (both["value_other"] - both["value_baseline"]).to_numpy(float)
    return Paired(values, clusters_of(both))


def trends(
    clean: pd.DataFrame, levels: Sequence[pd.DataFrame], groups: Callable[[str], bool]
) -> dict[str, Paired]:
    """For each group of questions, every question's slope of the score over the intensity.

    The clean pages have intensity 0. Intensities that are missing or equal are counted upwards.
    One level has no trend: it is the level's own difference.
    """
    if len(levels) < 2:
        return {}
    intensity = [float(level["intensity"].iloc[0]) for level in levels]
    x = np.array([0.0, *intensity])
    if np.isnan(x).any() or len(set(x)) < len(x):
        x = np.arange(len(x), dtype=float)
    weights = (x - x.mean()) / ((x - x.mean()) ** 2).sum()
    units = list(UNIT_COLUMNS)
    kinds = [name for name in GROUP_COLUMNS if name in clean]
    table = clean[[*units, *kinds, "value"]].rename(columns={"value": 0})
    for number, level in enumerate(levels, start=1):
        named = level[[*units, "value"]].rename(columns={"value": number})
        table = table.merge(named, on=units)
    by_group = {}
    for group, rows in group_rows(table):
        if len(rows) and groups(group):
            slopes = rows[list(range(len(x)))].to_numpy(float) @ weights
            by_group[group] = Paired(slopes, clusters_of(rows))
    return by_group


def conclude(planned: Sequence[Planned], seed: int) -> None:
    """Test each family, and set the results.

    A level of noise is significant only if the trend of its curve is: its p is the larger of both.
    Trends are one family, and the levels another.
    """
    families: dict[Key, list[Planned]] = {}
    for each in planned:
        families.setdefault(each.family, []).append(each)
    for family, members in families.items():
        largest = math.inf if family[0] == TRENDS else 1.0
        results = compare_family([each.paired for each in members], largest=largest, seed=seed)
        for each, result in zip(members, results, strict=True):
            each.result = result
    of_curve = trend_results(planned)
    for each in planned:
        trend = of_curve.get(each.curve)
        if each.record and each.result is not None and trend is not None:
            each.result = _closed(each.result, trend)


def trend_results(planned: Iterable[Planned]) -> dict[Key, PairedComparison]:
    """The result of each curve's trend, by the key of the curve."""
    return {
        each.curve: each.result
        for each in planned
        if each.family[0] == TRENDS and each.result is not None
    }


def _closed(level: PairedComparison, trend: PairedComparison) -> PairedComparison:
    """The level with the larger p of both, and with 0 in its interval if that is above .05."""
    closed = replace(level, p_adjusted=max(level.p_adjusted, trend.p_adjusted))
    if closed.is_shown:
        return closed
    low, high = min(level.interval.low, 0.0), max(level.interval.high, 0.0)
    return replace(closed, interval=Interval(low, high, level.interval.unit))
