"""How much noise a promised loss allows: a noise curve read backwards, for further documents."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np

from ohr.statistics.clusters import Clusters
from ohr.statistics.curves import NoiseCurve

SURE = 0.95
"""Share of further sets of documents in which a promise is to hold."""

Kind = Literal["within", "exceeded", "undecided", "few"]


@dataclass(frozen=True)
class Promise:
    """At one level of noise: the share of the clean score that is lost, and its upper bound.

    ``level`` is its place among the curve's levels. A further set of as many documents loses at
    most ``bound`` in :data:`SURE` of all cases.
    """

    level: int
    noise: float
    loss: float
    bound: float


@dataclass(frozen=True)
class LossBudget:
    """The most noise under which a share ``lose`` of the clean score is not exceeded.

    ``kind`` is ``within`` if some level keeps the promise; ``exceeded`` if already the least noise
    loses more on these documents; ``undecided`` if it loses less, but its bound is above ``lose``;
    and ``few`` if there are too few clusters for bounds, or nothing to lose. ``largest`` is the
    level with the most noise that keeps the promise, ``next`` the one after it; None if there is
    none.
    """

    lose: float
    kind: Kind
    largest: Promise | None
    next: Promise | None


def loss_budget(curve: NoiseCurve, lose: float) -> LossBudget:
    """The budget of a curve for the share ``lose`` of its clean score, in (0, 1).

    Levels are taken in the order of their mean noise, and the first one that does not keep the
    promise ends the search, so that no correction for several levels is needed (a fixed sequence
    of tests). Nothing is interpolated: ``largest`` was measured. The bound of a level is one-sided:
    Student's, with the standard error of a ratio of sums over clusters, times the square root of 2,
    since the further documents vary as these do. They are taken to be as many.
    """
    clusters = curve.clusters
    levels = promises(curve.noise, curve.quality, clusters)
    if not levels or not all(math.isfinite(each.bound) for each in levels):
        return LossBudget(lose, "few", None, None)
    count = 0
    while count < len(levels) and levels[count].bound <= lose:
        count += 1
    following = levels[count] if count < len(levels) else None
    if count:
        return LossBudget(lose, "within", levels[count - 1], following)
    kind: Kind = "exceeded" if levels[0].loss > lose else "undecided"
    return LossBudget(lose, kind, None, following)


def promises(noise: np.ndarray, quality: np.ndarray, clusters: Clusters) -> list[Promise]:
    """The loss and its bound at each noisy level, the least noise first.

    ``noise`` and ``quality`` are float ``(levels, n)``, the clean level first. Bounds are NaN if
    there are fewer than three clusters, or the clean score is 0.
    """
    clean = float(quality[0].sum())
    results = []
    for level in range(1, len(quality)):
        lost = quality[0] - quality[level]
        loss = float(lost.sum()) / clean if clean > 0 else math.nan
        error = _standard_error(lost - loss * quality[0], clean, clusters)
        bound = loss + _quantile(clusters) * math.sqrt(2) * error
        results.append(Promise(level, float(noise[level].mean()), loss, bound))
    return sorted(results, key=lambda each: each.noise)


def _standard_error(residuals: np.ndarray, total: float, clusters: Clusters) -> float:
    """Of a ratio of sums over clusters, by linearisation; NaN without enough clusters."""
    if not clusters.unit or not total > 0:
        return math.nan
    sums = clusters.sums(residuals)
    size = clusters.size
    return math.sqrt(size / (size - 1) * float((sums**2).sum())) / total


def _quantile(clusters: Clusters) -> float:
    from scipy.special import stdtrit  # a tenth of a second: only where it is needed

    return float(stdtrit(clusters.degrees_of_freedom(), SURE)) if clusters.unit else math.nan


@dataclass(frozen=True)
class Coverage:
    """How often a budget by half of the documents held on the other half.

    ``budgets`` is the number of ``draws`` in which there was a budget, ``held`` of those in which
    the other half lost no more than promised.
    """

    draws: int
    budgets: int
    held: int


def budget_coverage(curve: NoiseCurve, lose: float, draws: int = 200, seed: int = 0) -> Coverage:
    """Split the clusters at random into halves, ``draws`` times: one says, the other checks."""
    rng = np.random.default_rng(seed)
    budgets = held = 0
    for _ in range(draws if curve.clusters.size >= 2 * 3 else 0):
        order = rng.permutation(curve.clusters.size)
        is_first = np.zeros(curve.clusters.size, dtype=bool)
        is_first[order[: len(order) // 2]] = True
        mine = is_first[curve.clusters.index]
        budget = loss_budget(_part(curve, mine), lose)
        if budget.largest is None:
            continue
        budgets += 1
        lost = curve.quality[0] - curve.quality[budget.largest.level]
        held += bool(lost[~mine].sum() <= lose * curve.quality[0][~mine].sum())
    return Coverage(draws, budgets, held)


def _part(curve: NoiseCurve, members: np.ndarray) -> NoiseCurve:
    return NoiseCurve(
        curve.noise[:, members],
        curve.quality[:, members],
        curve.floor[members],
        curve.clusters.only(members),
    )
