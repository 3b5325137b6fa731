"""Intervals for means over clustered units."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from ohr.statistics.clusters import Clusters

LEVEL = 0.95


@dataclass(frozen=True, slots=True)
class Interval:
    """A 95 % interval and the unit that was resampled; NaN and ``""`` where there is none."""

    low: float
    high: float
    unit: str

    @classmethod
    def of_draws(cls, draws: np.ndarray, unit: str) -> Interval:
        """The percentile interval of bootstrap draws ``(resamples,)``.

        Draws may be infinite (a point that is never reached). NaN draws, where the statistic is
        undefined, are left out; there is no interval if they are more than one in twenty.
        """
        known = draws[~np.isnan(draws)]
        if len(known) < LEVEL * len(draws):
            return NO_INTERVAL
        # Between a number and infinity there is nothing to interpolate.
        method: Literal["linear", "inverted_cdf"] = (
            "linear" if np.isfinite(known).all() else "inverted_cdf"
        )
        low, high = np.quantile(known, [(1 - LEVEL) / 2, (1 + LEVEL) / 2], method=method)
        return cls(float(low), float(high), unit)


NO_INTERVAL = Interval(float("nan"), float("nan"), "")


def bootstrap_interval(
    values: np.ndarray,
    documents: np.ndarray,
    pages: np.ndarray,
    *,
    resamples: int = 1000,
    seed: int = 0,
) -> Interval:
    """Percentile bootstrap of a mean, over documents or, if they are few, over pages.

    ``values`` are float ``(n,)``; ``documents`` and ``pages`` are integer labels ``(n,)`` of
    the cluster each value belongs to. Clusters are drawn with replacement and the mean is
    taken over all values of those drawn (Field and Welsh 2007). No interval is given for
    fewer than two clusters.
    """
    clusters = Clusters.of(documents, pages)
    if not clusters.unit:
        return NO_INTERVAL
    return Interval.of_draws(clusters.resampled_means(values, resamples, seed), clusters.unit)


def clustered_standard_error(values: np.ndarray, clusters: np.ndarray) -> float:
    """Standard error of a mean whose values come in clusters (linearised, as for a ratio).

    ``values`` are float ``(n,)``, ``clusters`` labels ``(n,)``; NaN for fewer than two clusters.
    Source: Cochran, Sampling Techniques, 3rd edition, 6.5.
    """
    _, index = np.unique(clusters, return_inverse=True)
    n_clusters = int(index.max()) + 1 if len(values) else 0
    if n_clusters < 2:
        return float("nan")
    sums = np.bincount(index, weights=values - values.mean())
    return float(np.sqrt((sums**2).sum() * n_clusters / (n_clusters - 1)) / len(values))
