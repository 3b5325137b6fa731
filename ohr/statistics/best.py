"""Several candidates on the same questions: which is best, and which are significantly worse.

The candidate with the best mean is chosen with the same data that test it, so plain p-values of
the others against it are too small: it was also lucky. The statements here hold whichever candidate
is chosen. Rates of false statements with both methods: ``docs/reference/intervals-checked.md``,
made by ``python -m benchmarks.best``.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ohr.statistics.clusters import Clusters
from ohr.statistics.flips import FLIPS
from ohr.statistics.inference import ALPHA, Inferred, infer
from ohr.statistics.intervals import NO_INTERVAL, Interval
from ohr.statistics.pairs import all_pairs


@dataclass(frozen=True)
class Standing:
    """One candidate among the others of its condition.

    ``behind`` is how much lower its mean is than the best mean of the others (negative if it is
    higher), in the unit of the scores; ``interval`` is its simultaneous 95 % interval. ``p`` is the
    adjusted p of "no other is better", in [0, 1]; another is if it is at most ``alpha``.
    ``from_first`` is the simultaneous interval of its distance behind the candidate with the best
    mean, 0 for that one. Ends are the largest possible difference if there are too few or too
    unequal clusters to exclude anything. Without clusters p and all ends are NaN.
    """

    mean: float
    behind: float
    interval: Interval
    from_first: Interval
    p: float
    alpha: float = ALPHA

    @property
    def is_worse(self) -> bool:
        """Whether another candidate is better, with all statements together at 95 %."""
        return self.p <= self.alpha


@dataclass(frozen=True)
class BestOf:
    """The candidates of one condition: ``first`` has the best mean over ``n`` shared units.

    The units come in ``size`` clusters of a ``unit``, as in :class:`Clusters`. ``largest`` is the
    largest possible difference.
    """

    first: int
    standings: tuple[Standing, ...]
    n: int
    unit: str
    size: int
    largest: float

    @property
    def worse(self) -> list[int]:
        """The candidates that are significantly worse than the best."""
        return [i for i, standing in enumerate(self.standings) if standing.is_worse]

    @property
    def may_be_best(self) -> list[int]:
        """The candidates that may be the best, including ``first``."""
        return [i for i, standing in enumerate(self.standings) if not standing.is_worse]


def compare_with_best(
    conditions: Sequence[np.ndarray],
    clusters: Clusters,
    *,
    largest: float = math.inf,
    alpha: float = ALPHA,
    comparisons: int = 1,
    flips: int = FLIPS,
    seed: int = 0,
) -> list[BestOf]:
    """Multiple comparisons with the best candidate of each condition, all in one family.

    ``conditions`` are scores, float ``(candidates, n)``, greater is better, of the same ``n``
    units in ``clusters``; the numbers of candidates may differ. A unit without a score of some
    candidate (NaN) is left out of that condition. ``largest`` is the largest possible difference
    of two means, 1 for scores in [0, 1]. The result is one of ``comparisons`` that hold together:
    each may err with ``alpha`` divided by them. Raises ValueError if no unit is left.

    A candidate is significantly worse if its difference from a better one is significant among
    *all* differences between two candidates of a condition (:func:`ohr.statistics.infer`). So
    whichever candidates are truly best, one or all, the chance that any of them is called worse in
    any condition is at most ``alpha``: exactly if the clusters' differences are symmetric around 0,
    approximately otherwise. With five clusters or fewer nothing is ever significant.

    Sources: Hsu, Simultaneous confidence intervals for all distances from the "best", 1981 (the
    question; his bound for a single best is replaced by that of all pairs, so that none of several
    equally good is rejected); Tukey, The problem of multiple comparisons, 1953 (all pairs).
    """
    alpha /= comparisons
    shared = []
    for part in conditions:
        scores = np.asarray(part, dtype=float)
        is_known = ~np.isnan(scores).any(axis=0)
        if not is_known.any():
            raise ValueError("no unit has a score of every candidate")
        shared.append((scores[:, is_known], clusters.only(is_known)))
    pairs = [all_pairs(scores, of) for scores, of in shared]
    every = [pair.paired for of_condition in pairs for pair in of_condition]
    results = iter(infer(every, alpha=alpha, largest=largest, flips=flips, seed=seed))
    best = []
    for (scores, of), of_condition in zip(shared, pairs, strict=True):
        by_pair = {(pair.first, pair.second): next(results) for pair in of_condition}
        best.append(_best_of(scores, of, by_pair, largest, alpha))
    return best


def _best_of(
    scores: np.ndarray,
    clusters: Clusters,
    by_pair: Mapping[tuple[int, int], Inferred],
    largest: float,
    alpha: float,
) -> BestOf:
    means = scores.mean(axis=1)
    first = int(means.argmax())
    standings = []
    for i, mean in enumerate(means):
        ahead = {j: _ahead(by_pair, i, j) for j in range(len(means)) if j != i}
        if not ahead:
            standings.append(Standing(float(mean), math.nan, NO_INTERVAL, NO_INTERVAL, 1.0, alpha))
            continue
        better = [p for j, (_, _, p) in ahead.items() if means[j] > mean]
        ends = (
            max(low for low, _, _ in ahead.values()),
            max(high for _, high, _ in ahead.values()),
        )
        to_first = (0.0, 0.0) if i == first else ahead[first][:2]
        if not clusters.unit:
            to_first = (math.nan, math.nan)
        standings.append(
            Standing(
                float(mean),
                float(np.delete(means, i).max() - mean),
                Interval(*ends, clusters.unit),
                Interval(*to_first, clusters.unit),
                min(better, default=1.0) if clusters.unit else math.nan,
                alpha,
            )
        )
    n = scores.shape[1]
    return BestOf(first, tuple(standings), n, clusters.unit, clusters.size, largest)


def _ahead(
    by_pair: Mapping[tuple[int, int], Inferred], candidate: int, other: int
) -> tuple[float, float, float]:
    """The interval of how much better the other candidate is, and its adjusted p."""
    if candidate < other:
        result = by_pair[candidate, other]
        return result.interval.low, result.interval.high, result.p_adjusted
    result = by_pair[other, candidate]
    return -result.interval.high, -result.interval.low, result.p_adjusted
