"""Letters for ties: candidates that share a letter do not differ significantly."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from string import ascii_lowercase

import numpy as np

from ohr.statistics.clusters import DOCUMENT, FEWEST, Clusters
from ohr.statistics.multiple import holm
from ohr.statistics.paired import ALPHA, sign_flip_test


@dataclass(frozen=True)
class Ties:
    """The letters of conditions, in the order in which they were given; empty without a test.

    ``reason`` says why no condition has a letter; else it is empty.
    """

    letters: tuple[str, ...]
    reason: str = ""

    @property
    def are_tested(self) -> bool:
        """Whether some condition has a letter."""
        return any(self.letters)


ONE_CONDITION = "only one condition"
FEW_DOCUMENTS = f"fewer than {FEWEST} documents"
NOTHING_SHARED = "no question has a score under each of them"


def ties(
    scores: np.ndarray, clusters: Clusters, *, higher_is_better: bool = True, seed: int = 0
) -> Ties:
    """Which conditions differ, by paired tests of all pairs corrected after Holm at .05.

    ``scores`` are float ``(conditions, n)`` of the same units in ``clusters``, in any order; the
    best mean has an ``a``. A unit without a score under some condition (NaN) is left out; a
    condition without any score has no letter. Nothing is tested unless the clusters are documents.
    """
    scores = np.asarray(scores, dtype=float)
    none = ("",) * len(scores)
    measured = np.flatnonzero(~np.isnan(scores).all(axis=1)) if scores.size else np.array([], int)
    if len(measured) < 2:
        return Ties(none, ONE_CONDITION)
    if clusters.unit != DOCUMENT:
        return Ties(none, FEW_DOCUMENTS)
    known = ~np.isnan(scores[measured]).any(axis=0)
    if not known.any():
        return Ties(none, NOTHING_SHARED)
    _, index = np.unique(clusters.index[known], return_inverse=True)
    shared = Clusters.of(index, index)
    if not shared.unit:
        return Ties(none, FEW_DOCUMENTS)
    values = scores[measured][:, known]
    means = values.mean(axis=1)
    order = np.argsort(-means if higher_is_better else means, kind="stable")
    named = list(none)
    texts = tie_letters(values[order], shared, seed=seed)
    for place, text in zip(measured[order], texts, strict=True):
        named[place] = text
    return Ties(tuple(named))


def tie_letters(values: np.ndarray, clusters: Clusters, *, seed: int = 0) -> list[str]:
    """Letters of candidates by paired tests of all pairs, corrected after Holm.

    ``values`` are float ``(candidates, n)`` of the same units in ``clusters``; candidates come best
    first, so that the best has an ``a``. Without clusters nothing is tested, and all letters are
    empty. :func:`ties` takes conditions in any order.
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
