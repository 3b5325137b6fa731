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
