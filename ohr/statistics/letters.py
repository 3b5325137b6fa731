"""Letters for ties: candidates that share a letter do not differ significantly."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from string import ascii_lowercase

import numpy as np

from ohr.statistics.clusters import Clusters
from ohr.statistics.multiple import holm
from ohr.statistics.paired import ALPHA, sign_flip_test


def tie_letters(values: np.ndarray, clusters: Clusters, *, seed: int = 0) -> list[str]:
    """Letters of candidates by paired tests of all pairs, corrected after Holm.

    ``values`` are float ``(candidates, n)`` of the same units in ``clusters``; candidates come best
    first, so that the best has an ``a``. Without clusters nothing is tested, and all letters are
    empty.
    """
    pairs = list(combinations(range(len(values)), 2))
    if not clusters.unit:
        return [""] * len(values)
    p = [sign_flip_test(values[i] - values[j], clusters, seed=seed) for i, j in pairs]
    adjusted = holm(np.array(p, dtype=float))
    apart = [pair for pair, value in zip(pairs, adjusted, strict=True) if value <= ALPHA]
    return letters(len(values), apart)


def letters(size: int, apart: Sequence[tuple[int, int]]) -> list[str]:
    """The letters of ``size`` candidates, of which the pairs ``apart`` differ.

    Two candidates share a letter exactly if they are not such a pair. After ``z`` come ``aa``,
    ``ab`` and so on, each in parentheses. Source: Piepho, An algorithm for a letter-based
    representation of all-pairwise comparisons, 2004 (insert and absorb).
    """
    groups: list[frozenset[int]] = [frozenset(range(size))]
    for i, j in apart:
        split: list[frozenset[int]] = []
        for group in groups:
            split += [group - {i}, group - {j}] if {i, j} <= group else [group]
        distinct = list(dict.fromkeys(split))
        groups = [group for group in distinct if not any(group < other for other in distinct)]
    groups.sort(key=sorted)
    names = [_letter(place) for place in range(len(groups))]
    return [
        "".join(name for name, group in zip(names, groups, strict=True) if candidate in group)
        for candidate in range(size)
    ]


def _letter(place: int) -> str:
    more, last = divmod(place, len(ascii_lowercase))
    if not more:
        return ascii_lowercase[last]
    return f"({ascii_lowercase[more - 1]}{ascii_lowercase[last]})"
