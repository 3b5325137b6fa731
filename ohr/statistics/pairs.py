"""Paired differences: of every two conditions, and with the worst cluster counted twice."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np

from ohr.statistics.clusters import Clusters
from ohr.statistics.inference import Paired


@dataclass(frozen=True)
class Pair:
    """The differences of the ``second`` condition less the ``first``."""

    first: int
    second: int
    paired: Paired


def all_pairs(scores: np.ndarray, clusters: Clusters) -> list[Pair]:
    """The pairs of conditions, each on the units that both have.

    ``scores`` are float ``(conditions, n)`` of units in ``clusters``, NaN where a condition has
    none. Pairs without a common unit are left out.
    """
    is_known = ~np.isnan(scores)
    pairs = []
    for i, j in combinations(range(len(scores)), 2):
        both = is_known[i] & is_known[j]
        if both.any():
            paired = Paired((scores[j] - scores[i])[both], clusters.only(both))
            pairs.append(Pair(i, j, paired))
    return pairs


def double_worst(paired: Paired, *, lowest: bool) -> Paired:
    """The differences with the cluster of the ``lowest`` sum, or the highest, counted twice.

    An interval of skewed losses ends too early; that of these differences does not
    (``docs/reference/intervals.md``).
    """
    clusters = paired.clusters
    if not clusters.unit:
        return paired
    sums = clusters.sums(paired.differences)
    worst = int(sums.argmin() if lowest else sums.argmax())
    again = clusters.index == worst
    labels = clusters.labels or range(clusters.size)
    return Paired(
        np.concatenate([paired.differences, paired.differences[again]]),
        Clusters(
            np.concatenate([clusters.index, np.full(int(again.sum()), clusters.size)]),
            clusters.size + 1,
            clusters.unit,
            (*labels, ("again", labels[worst])),
        ),
    )
