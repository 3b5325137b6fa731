"""Rank correlations: Spearman's of weighted values, also within strata, and Kendall's tau-b."""

from __future__ import annotations

import numpy as np

from ohr.statistics.clusters import Clusters

_BLOCK = 1 << 21
"""Most numbers in memory at a time: resamples times values."""


class Grades:
    """Relative ranks of values within their strata, for any weights of the units.

    ``values`` and ``strata`` are ``(n,)``, n >= 1. A grade is the mid-rank divided by the weight of
    the stratum, minus one half: in (-.5, .5), with mean 0 in each stratum.
    """

    def __init__(self, values: np.ndarray, strata: np.ndarray) -> None:
        self._order = np.lexsort((values, strata))
        value, stratum = values[self._order], strata[self._order]
        next_stratum = np.concatenate([[True], stratum[1:] != stratum[:-1]])
        next_value = next_stratum | np.concatenate([[True], value[1:] != value[:-1]])
        self._first = np.flatnonzero(next_value)
        self._first_of_stratum = np.flatnonzero(next_stratum[self._first])
        self._stratum = np.cumsum(next_stratum[self._first]) - 1
        self._step = np.empty(len(values), dtype=np.int64)
        self._step[self._order] = np.cumsum(next_value) - 1

    def grade(self, weights: np.ndarray) -> np.ndarray:
        """The grades, float ``(k, n)``, of units with weights ``(k, n)``."""
        counts = np.add.reduceat(weights[:, self._order], self._first, axis=1)
        below = np.cumsum(counts, axis=1) - counts / 2
        totals = np.add.reduceat(counts, self._first_of_stratum, axis=1)
        starts = np.cumsum(totals, axis=1) - totals
        shares = (below - starts[:, self._stratum]) / np.maximum(totals, 1e-300)[:, self._stratum]
        grades: np.ndarray = (shares - 0.5)[:, self._step]
        return grades


class RankCorrelation:
    """Spearman's correlation of ``x`` and ``y``, ``(n,)`` each, n >= 1.

    With ``strata``, labels ``(n,)``, values are ranked within each stratum, and the grades of all
    (:class:`Grades`) are correlated: differences between strata have no influence. NaN if x or y is
    constant. Source: Spearman, The proof and measurement of association between two things, 1904,
    with mid-ranks for ties.
    """

    def __init__(self, x: np.ndarray, y: np.ndarray, strata: np.ndarray | None = None) -> None:
        strata = np.zeros(len(x), dtype=np.int64) if strata is None else strata
        self._x, self._y, self._n = Grades(x, strata), Grades(y, strata), len(x)

    @property
    def value(self) -> float:
        """The correlation."""
        return float(self.weighted(np.ones((1, self._n)))[0])

    @property
    def products(self) -> np.ndarray:
        """Each unit's contribution, float ``(n,)``: their mean is the correlation; NaN if it is."""
        ones = np.ones((1, self._n))
        x, y = self._x.grade(ones)[0], self._y.grade(ones)[0]
        scale = np.sqrt((x * x).mean() * (y * y).mean())
        return x * y / scale if scale > 1e-12 else np.full(self._n, np.nan)

    def weighted(self, weights: np.ndarray) -> np.ndarray:
        """The correlations ``(k,)`` of units with weights ``(k, n)``."""
        x, y = self._x.grade(weights), self._y.grade(weights)
        spread = ((weights * x * x).sum(axis=1) * (weights * y * y).sum(axis=1)) ** 0.5
        is_known = spread > 1e-12
        together = (weights * x * y).sum(axis=1)
        return np.where(is_known, together / np.where(is_known, spread, 1), np.nan)

    def leave_out(self, clusters: Clusters) -> np.ndarray:
        """The correlations with each cluster left out in turn: ``(size,)``."""
        values = []
        size = max(1, _BLOCK // self._n)
        for start in range(0, clusters.size, size):
            block = np.arange(start, min(start + size, clusters.size))
            values.append(self.weighted((clusters.index != block[:, None]).astype(float)))
        return np.concatenate(values)

    def resampled(self, clusters: Clusters, resamples: int, seed: int) -> np.ndarray:
        """The correlations ``(resamples,)`` over clusters drawn with replacement.

        The draws depend only on the number of clusters and the seed, as for means.
        """
        counts = clusters.resampled_counts(resamples, seed)
        size = max(1, _BLOCK // self._n)
        blocks = (counts[start : start + size] for start in range(0, resamples, size))
        return np.concatenate(
            [self.weighted(block[:, clusters.index].astype(float)) for block in blocks]
        )


def rank_correlations(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Spearman's correlation of each row of two arrays, ``(k, n)`` each.

    NaN if a row is constant or has a NaN.
    """
    from scipy.stats import rankdata  # half a second: only where it is needed

    ranks = [rankdata(values, axis=1) - (values.shape[1] + 1) / 2 for values in (x, y)]
    spread = ((ranks[0] ** 2).sum(axis=1) * (ranks[1] ** 2).sum(axis=1)) ** 0.5
    is_known = spread > 1e-12  # false for NaN
    together = (ranks[0] * ranks[1]).sum(axis=1)
    return np.where(is_known, together / np.where(is_known, spread, 1), np.nan)


def kendall_correlations(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Kendall's tau-b of each row of two arrays, ``(k, n)`` each, n >= 2.

    NaN if a row is constant or has a NaN. Source: Kendall, The treatment of ties in ranking
    problems, 1945.
    """
    first, second = np.triu_indices(x.shape[1], 1)
    signs = [np.sign(values[:, first] - values[:, second]) for values in (x, y)]
    untied = (np.abs(signs[0]).sum(axis=1) * np.abs(signs[1]).sum(axis=1)) ** 0.5
    is_known = untied > 0  # false for NaN
    concordant = (signs[0] * signs[1]).sum(axis=1)
    return np.where(is_known, concordant / np.where(is_known, untied, 1), np.nan)
