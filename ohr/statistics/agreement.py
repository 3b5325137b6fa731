"""Agreement of two raters beyond chance."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence

import numpy as np


def cohens_kappa(first: Sequence[Hashable], second: Sequence[Hashable]) -> float:
    """Cohen's kappa (1960) of two raters' categories, one entry per case, in [-1, 1].

    NaN without cases, or if both raters gave the same single category throughout: then chance
    alone gives full agreement. Raises ValueError for sequences of different lengths.
    """
    if len(first) != len(second):
        raise ValueError(f"{len(first)} and {len(second)} ratings")
    n = len(first)
    if not n:
        return float("nan")
    observed = sum(a == b for a, b in zip(first, second, strict=True)) / n
    counts = Counter(first), Counter(second)
    chance = sum(counts[0][name] * counts[1][name] for name in counts[0]) / n**2
    return float(np.nan) if chance == 1 else (observed - chance) / (1 - chance)
