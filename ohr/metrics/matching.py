"""Matches texts by content: one to one, or a passage in a longer text."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from itertools import chain

import numpy as np
from rapidfuzz.distance import LCSseq, Levenshtein
from rapidfuzz.fuzz import partial_ratio
from rapidfuzz.process import cdist

_WINDOW, _STEPS = 1.5, 4
_STRETCHES = 4
"""Size of the part of a text that is searched at once, in lengths of the longest stretch."""
_ROUNDING = 1e-9


def encode(*collections: Sequence[Sequence[Hashable]]) -> list[list[str]]:
    """Encode token sequences as strings, with the same character for equal tokens."""
    different = dict.fromkeys(chain.from_iterable(chain.from_iterable(collections)))
    codes = {token: chr(code) for code, token in enumerate(different)}
    return [
        ["".join(map(codes.__getitem__, tokens)) for tokens in collection]
        for collection in collections
    ]


def assign(
    first: Sequence[str], second: Sequence[str], *, least: float = 0.0
) -> list[tuple[int, int]]:
    """The one-to-one pairs (i, j), in order of i, with the greatest sum of similarities.

    Similarity is 1 minus the normalised Levenshtein distance. Pairs with at most ``least`` are
    left out. Among equally similar pairs, those at nearby places are chosen.
    """
    if not first or not second:
        return []
    similarity = cdist(first, second, scorer=Levenshtein.normalized_similarity)
    return assign_by(similarity, least=least)


def assign_by(similarity: np.ndarray, *, least: float = 0.0) -> list[tuple[int, int]]:
    """:func:`assign` for an ``(n, m)`` matrix of similarities in [0, 1]."""
    from scipy.optimize import linear_sum_assignment  # half a second: only where it is needed

    n, m = similarity.shape
    away = np.abs(np.arange(n)[:, None] / max(n, 1) - np.arange(m)[None, :] / max(m, 1))
    rows, columns = linear_sum_assignment(similarity - 1e-6 * away, maximize=True)
    return [
        (int(i), int(j)) for i, j in zip(rows, columns, strict=True) if similarity[i, j] > least
    ]


def best_window(
    needle: str, units: Sequence[str], *, near: float | None = None
) -> tuple[float, int, int]:
    """Where a passage is in a sequence of units (words, symbols): (share, first, end).

    ``share`` is the length of the longest common subsequence of characters over the needle's
    length. Windows of 1.5 times the needle's length are tried at every quarter of its length, so
    that a passage that has grown by a quarter is found whole. Of equally good windows the first is
    chosen, or the one that begins nearest to the share ``near`` of the sequence.
    """
    ends = np.cumsum([len(unit) for unit in units])
    if not needle or not len(ends) or not ends[-1]:
        return 0.0, 0, 0
    size, step = _WINDOW * len(needle), max(1.0, len(needle) / _STEPS)
    starts = np.arange(0, max(1.0, ends[-1] - size + step), step)
    firsts = np.searchsorted(ends, starts, side="right")
    lasts = np.searchsorted(ends, np.minimum(starts + size, ends[-1]), side="left") + 1
    expected = len(units) * (near or 0.0)
    best = (0, -np.inf, 0, 0)
    for first, last in dict.fromkeys(zip(firsts.tolist(), lasts.tolist(), strict=True)):
        common = LCSseq.similarity(needle, "".join(units[first:last]), score_cutoff=best[0])
        best = max(best, (common, -abs(first - expected), first, min(last, len(units))))
    return best[0] / len(needle), best[2], best[3]


def has_stretch_like(needle: str, text: str, tolerance: float) -> bool:
    """Whether some stretch of a text, of any length, is similar enough to a needle.

    The insertions and deletions between them must be at most ``tolerance``, in [0, 1), of both
    lengths together. Exact. Time is linear in the text; where a part of the text resembles the
    needle, it also grows with the square of the needle's length.
    """
    if not needle or not text:
        return False
    least = 1 - tolerance
    longest = int(len(needle) * (1 + tolerance) / least) + 1
    # A stretch within the tolerance, cut or extended to the needle's length, reaches this score.
    coarse = 100 * (1 - 2 * tolerance / least) - _ROUNDING

    def may_have(part: str) -> bool:
        if coarse <= 0 or len(part) < len(needle):
            return True
        return partial_ratio(needle, part, score_cutoff=coarse) >= coarse

    step = (_STRETCHES - 1) * longest
    parts = (
        text[position : position + step + longest]
        for position in range(0, max(len(text) - longest, 1), step)
    )
    return may_have(text) and any(
        may_have(part) and _best_gain(needle, part, least) >= least * len(needle) - _ROUNDING
        for part in parts
    )


def _best_gain(needle: str, text: str, cost: float) -> float:
    """The largest gain of a stretch of a text: 2 for each character in common with the needle, in
    order, minus ``cost`` for each character of the stretch.

    The gain is at least ``cost`` times the needle's length exactly if the similarity, twice the
    common characters over both lengths, is at least ``cost``.
    """
    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)
    paid = cost * np.arange(len(codes) + 1)
    gains = np.zeros(len(codes) + 1)  # of stretches that end at each place; an empty one is free
    for char in needle:
        gained = gains.copy()
        np.maximum(
            gained[1:], np.where(codes == ord(char), gains[:-1] + 2 - cost, -np.inf), out=gained[1:]
        )
        gains = np.maximum.accumulate(gained + paid) - paid
    return float(gains.max())
