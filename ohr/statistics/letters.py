"""Letters for ties: candidates that share a letter do not differ significantly."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from string import ascii_lowercase

import numpy as np

from ohr.statistics.clusters import DOCUMENT, FEWEST, Clusters
from ohr.statistics.flips import smallest_p
from ohr.statistics.inference import ALPHA, infer
from ohr.statistics.numbers import p_value
from ohr.statistics.pairs import all_pairs


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
NOTHING_SHARED = "no question has a score under two of them"


def too_few(documents: int) -> str:
    """Why nothing can be shown with so many documents; empty if something can.

    ``5 documents: the smallest possible p is 0.063``.
    """
    if (p := smallest_p(documents)) <= ALPHA:
        return ""
    count = f"{documents} document{'s' * (documents != 1)}"
    # 0.0625 is 0.063, not rounded to the even digit.
    return f"{count}: the smallest possible p is {p_value(p + 1e-9)}"


def ties(
    scores: np.ndarray, clusters: Clusters, *, higher_is_better: bool = True, seed: int = 0
) -> Ties:
    """Which conditions differ: all pairs in one family (:func:`ohr.statistics.infer`).

    ``scores`` are float ``(conditions, n)`` of the same units in ``clusters``, in any order; the
    best mean has an ``a``. Two conditions are compared on the units that both have (not NaN); a
    condition without any score has no letter. Nothing is tested unless the clusters are documents,
    and enough of them for a p of .05.
    """
    scores = np.asarray(scores, dtype=float)
    measured = np.flatnonzero(~np.isnan(scores).all(axis=1)) if scores.size else np.array([], int)
    if len(measured) < 2:
        return untested(len(scores), ONE_CONDITION)
    if clusters.unit != DOCUMENT:
        return untested(len(scores), FEW_DOCUMENTS)
    pairs = all_pairs(scores[measured], clusters)
    if not pairs:
        return untested(len(scores), NOTHING_SHARED)
    fewest = max(pair.paired.clusters.size for pair in pairs)
    if reason := too_few(fewest):
        return untested(len(scores), reason)
    results = infer([pair.paired for pair in pairs], seed=seed)
    apart = [
        (int(measured[pair.first]), int(measured[pair.second]))
        for pair, result in zip(pairs, results, strict=True)
        if result.is_shown
    ]
    with_score = np.isfinite(scores)
    means = np.where(with_score, scores, 0.0).sum(axis=1) / np.maximum(1, with_score.sum(axis=1))
    means = np.where(with_score.any(axis=1), means, np.nan)
    return letters_of(means, apart, higher_is_better=higher_is_better)


def untested(conditions: int, reason: str) -> Ties:
    """No letters for so many conditions, and why."""
    return Ties(("",) * conditions, reason)


def letters_of(
    means: Sequence[float] | np.ndarray,
    apart: Iterable[tuple[int, int]],
    *,
    higher_is_better: bool = True,
) -> Ties:
    """The letters of conditions with these means, of which the pairs ``apart`` differ.

    A condition whose mean is NaN has none.
    """
    values = np.asarray(means, dtype=float)
    order = np.argsort(-values if higher_is_better else values, kind="stable")
    order = order[~np.isnan(values[order])]
    place = {int(condition): index for index, condition in enumerate(order)}
    ranked = [(place[i], place[j]) for i, j in apart if i in place and j in place]
    named = [""] * len(values)
    for condition, text in zip(order, letters(len(order), ranked), strict=True):
        named[condition] = text
    return Ties(tuple(named))


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
