"""Intervals for means over clustered units."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

LEVEL = 0.95
FEWEST_DOCUMENTS = 10
"""With fewer documents than this, pages are resampled instead."""


@dataclass(frozen=True, slots=True)
class Interval:
    """A 95 % interval and the unit that was resampled; NaN and ``""`` where there is none."""

    low: float
    high: float
    unit: str


NO_INTERVAL = Interval(float("nan"), float("nan"), "")


@lru_cache(maxsize=64)
def _weights(units: int, resamples: int, seed: int) -> np.ndarray:
    """How often each unit is drawn: ``(resamples, units)``, rows sum to ``units``.

    Depends on the number of units alone, so conditions over equal units are paired.
    """
    rng = np.random.default_rng([seed, units, resamples])
    return rng.multinomial(units, np.full(units, 1 / units), size=resamples).astype(np.float32)


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
    for unit, labels, fewest in (("document", documents, FEWEST_DOCUMENTS), ("page", pages, 2)):
        clusters, index = np.unique(labels, return_inverse=True)
        if len(clusters) >= fewest:
            sums = np.bincount(index, weights=values, minlength=len(clusters))
            counts = np.bincount(index, minlength=len(clusters)).astype(float)
            weights = _weights(len(clusters), resamples, seed)
            means = (weights @ sums) / (weights @ counts)
            low, high = np.quantile(means, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
            return Interval(float(low), float(high), unit)
    return NO_INTERVAL


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
