"""Signs of whole clusters: the reference distribution of every test of paired differences."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

FLIPS = 9999
"""Random sign patterns, so that the smallest p-value is 1 in 10,000."""
ENUMERATED = 13
"""Up to this many clusters all sign patterns are tried (8,192)."""
_BLOCK = 1024


@lru_cache(maxsize=4)
def sign_patterns(size: int, flips: int, seed: int) -> list[np.ndarray]:
    """Signs in blocks of int8 ``(rows, size)``: all patterns for few clusters, else random ones.

    The pattern without a flip comes first, before ``flips`` random ones. Of all patterns, only
    those are listed whose last sign is +: the others are their opposites, and every test here is
    two-sided.
    """
    if size <= ENUMERATED:
        half = 2 ** max(0, size - 1)
        signs = 1 - 2 * (np.arange(half)[:, None] >> np.arange(size) & 1).astype(np.int8)
        return [signs]
    rng = np.random.default_rng([seed, size, flips])
    drawn = rng.integers(0, 2, size=(flips, size), dtype=np.int8) * 2 - 1
    blocks = [drawn[start : start + _BLOCK] for start in range(0, flips, _BLOCK)]
    return [np.ones((1, size), dtype=np.int8), *blocks]


def smallest_p(clusters: int, flips: int = FLIPS) -> float:
    """The smallest p that a two-sided test of so many clusters can have; 1 for none.

    It does not grow with the number of comparisons (:func:`ohr.statistics.inference.infer`).
    """
    if clusters <= ENUMERATED:
        return 0.5 ** max(0, clusters - 1)
    return 1 / (1 + flips)
