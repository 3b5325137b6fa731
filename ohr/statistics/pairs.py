"""All differences between two of several conditions on the same questions."""

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
    known = ~np.isnan(scores)
    pairs = []
    for i, j in combinations(range(len(scores)), 2):
        both = known[i] & known[j]
        if both.any():
            paired = Paired((scores[j] - scores[i])[both], clusters.only(both))
            pairs.append(Pair(i, j, paired))
    return pairs
