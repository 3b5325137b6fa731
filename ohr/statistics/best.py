"""Several candidates on the same questions: which is best, and which are significantly worse.

The candidate with the best mean is chosen with the same data that test it, so plain p-values of
the others against it are too small: it was also lucky. The statements here hold whichever candidate
is chosen. Rates of false statements with both methods: ``docs/reference/intervals.md``, made by
``python -m benchmarks.best``.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from ohr.statistics.clusters import Clusters
from ohr.statistics.intervals import LEVEL, NO_INTERVAL, Interval
from ohr.statistics.paired import FLIPS, sign_patterns

_ROUNDING = 1e-9
"""Relative rounding error of sums of the same terms in another order."""


@dataclass(frozen=True)
class Standing:
    """One candidate among the others of its condition.

    ``behind`` is how much lower its mean is than the best mean of the others (negative if it is
    higher), in the unit of the scores; ``interval`` is its simultaneous 95 % interval. ``p`` is the
    adjusted p of "no other is better", in [0, 1]. ``from_first`` is the simultaneous interval of
    its distance behind the candidate with the best mean, 0 for that one. Ends are infinite if there
    are too few or too unequal clusters to exclude anything. Without clusters p and all ends are
    NaN.
    """

    mean: float
    behind: float
    interval: Interval
    from_first: Interval
    p: float

    @property
    def is_worse(self) -> bool:
        """Whether another candidate is better, with all statements together at 95 %."""
        return self.p <= 1 - LEVEL


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
    comparisons: int = 1,
    flips: int = FLIPS,
    seed: int = 0,
) -> list[BestOf]:
    """Multiple comparisons with the best candidate of each condition, all in one family.

    ``conditions`` are scores, float ``(candidates, n)``, greater is better, of the same ``n``
    units in ``clusters``; the numbers of candidates may differ. A unit without a score of some
    candidate (NaN) is left out of that condition. ``largest`` is the largest possible difference
    of two means, 1 for scores in [0, 1]. The result is one of ``comparisons`` that hold at 95 %
    together (Bonferroni). Raises ValueError if no unit is left.

    A candidate is significantly worse if another's mean exceeds its own by more than chance
    explains for the greatest of *all* differences between two candidates of a condition. Each
    difference is divided by the root of its summed squares over clusters. The greatest of them is
    compared with the greatest under random signs of whole clusters, the same for all differences.
    So whichever candidates are truly best, one or all, the chance that any of them is called worse
    in any condition is at most .05: exactly if the clusters' differences are symmetric around 0,
    approximately otherwise. With five clusters or fewer nothing is ever significant.

    The simultaneous intervals invert the same test of all differences: their lower end is above 0
    exactly if p is at most .05, unless one cluster weighs so much that no end is finite.

    Sources: Hsu, Simultaneous confidence intervals for all
    distances from the "best", 1981 (the question; his bound for a single best is replaced by that
    of all pairs, so that none of several equally good is rejected); Tukey, The problem of multiple
    comparisons, 1953 (all pairs); Westfall and Young, Resampling-based multiple testing, 1993
    (the greatest statistic, single step); Canay, Romano and Shaikh, Randomization tests under an
    approximate symmetry assumption, 2017 (signs of clusters, studentised).
    """
    parts = [_Differences.of(np.asarray(part, dtype=float), clusters) for part in conditions]
    if not clusters.unit or all(len(part.pairs) == 0 for part in parts):
        return [part.without_chance(clusters, largest) for part in parts]
    ratios = np.concatenate([part.ratios for part in parts], axis=1)
    greatest = np.concatenate(
        [np.abs(signs @ ratios).max(axis=1) for signs in sign_patterns(clusters.size, flips, seed)]
    )
    return [part.judged(np.sort(greatest), clusters, largest, comparisons) for part in parts]


@dataclass(frozen=True)
class _Differences:
    """All differences between two candidates of a condition, by cluster."""

    means: np.ndarray
    pairs: list[tuple[int, int]]
    sums: np.ndarray
    """Sums of the second candidate's scores minus the first's: ``(clusters, pairs)``."""
    counts: np.ndarray
    """Number of units in each cluster, ``(clusters,)``."""

    @classmethod
    def of(cls, scores: np.ndarray, clusters: Clusters) -> _Differences:
        known = ~np.isnan(scores).any(axis=0)
        if not known.any():
            raise ValueError("no unit has a score of every candidate")
        filled = np.where(known, scores, 0.0)
        # Differences first: sums of large equal scores would differ by rounding.
        pairs = list(combinations(range(len(scores)), 2))
        by_pair = [clusters.sums(filled[j] - filled[i]) for i, j in pairs]
        sums = np.array(by_pair).reshape(len(pairs), clusters.size).T
        return cls(scores[:, known].mean(axis=1), pairs, sums, clusters.sums(known.astype(float)))

    @property
    def ratios(self) -> np.ndarray:
        """Each sum over the root of the summed squares of its pair; 0 for equal candidates."""
        roots = np.sqrt((self.sums**2).sum(axis=0))
        return self.sums / np.where(roots > 0, roots, 1.0)

    @property
    def first(self) -> int:
        return int(self.means.argmax())

    def judged(
        self, greatest: np.ndarray, clusters: Clusters, largest: float, comparisons: int
    ) -> BestOf:
        """The result, given the family's greatest ratio under each pattern of signs, sorted."""
        # p is at most .05 exactly if fewer than this many patterns reach the ratio.
        alpha = (1 - LEVEL) / comparisons
        place = len(greatest) - math.floor(alpha * len(greatest) + _ROUNDING)
        critical = float(greatest[min(place, len(greatest)) - 1])
        low, high = np.clip(self._inverted(critical), -largest, largest)
        ratio = np.full((len(self.means),) * 2, -math.inf)
        lower, upper = np.zeros(ratio.shape), np.zeros(ratio.shape)
        rows, columns = np.array(self.pairs, dtype=int).reshape(-1, 2).T
        ratio[rows, columns], ratio[columns, rows] = (u := self.ratios.sum(axis=0)), -u
        lower[rows, columns], upper[rows, columns] = low, high
        lower[columns, rows], upper[columns, rows] = -high, -low
        standings = []
        for i, (mean, behind) in enumerate(zip(self.means, self._behind(), strict=True)):
            others = [j for j in range(len(self.means)) if j != i]
            if not others:
                standings.append(Standing(float(mean), math.nan, NO_INTERVAL, NO_INTERVAL, 1.0))
                continue
            least = float(ratio[i, others].max()) - _ROUNDING
            reached = len(greatest) - int(np.searchsorted(greatest, least))
            ends = float(lower[i, others].max()), float(upper[i, others].max())
            to_first = float(lower[i, self.first]), float(upper[i, self.first])
            standings.append(
                Standing(
                    float(mean),
                    behind,
                    Interval(*ends, clusters.unit),
                    Interval(*to_first, clusters.unit),
                    min(1.0, comparisons * reached / len(greatest)),
                )
            )
        return self._best_of(standings, clusters, largest)

    def without_chance(self, clusters: Clusters, largest: float) -> BestOf:
        """The means alone, if there are too few clusters for statements about chance."""
        standings = [
            Standing(float(mean), behind, NO_INTERVAL, NO_INTERVAL, math.nan)
            for mean, behind in zip(self.means, self._behind(), strict=True)
        ]
        return self._best_of(standings, clusters, largest)

    def _best_of(self, standings: Sequence[Standing], clusters: Clusters, largest: float) -> BestOf:
        n = int(self.counts.sum())
        return BestOf(self.first, tuple(standings), n, clusters.unit, clusters.size, largest)

    def _behind(self) -> Iterator[float]:
        """How much lower each mean is than the best of the others; NaN without others."""
        for i, mean in enumerate(self.means):
            others = np.delete(self.means, i)
            yield float(others.max() - mean) if len(others) else math.nan

    def _inverted(self, critical: float) -> np.ndarray:
        """The mean differences d of each pair that are not excluded: those for which
        ``sums - counts d`` has a ratio of at most ``critical``.

        Lower and upper ends, ``(2, pairs)``, infinite if none is excluded. They are the roots of a
        quadratic inequality.
        """
        total, counts = self.counts.sum(), self.counts
        square = total**2 - critical**2 * (counts**2).sum()
        if square <= _ROUNDING * total**2:
            return np.array([[-math.inf], [math.inf]]) * np.ones(len(self.pairs))
        sums = self.sums.sum(axis=0)
        half = total * sums - critical**2 * (counts @ self.sums)
        rest = sums**2 - critical**2 * (self.sums**2).sum(axis=0)
        root = np.sqrt(np.maximum(0.0, half**2 - square * rest))
        ends: np.ndarray = np.array([half - root, half + root]) / square
        return ends
