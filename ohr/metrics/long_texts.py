"""Edit distances of texts of any length: exact, or an upper bound for very long texts.

The time for an exact distance grows with the product of both lengths: half a second for two texts
of 100,000 characters, 50 seconds for 1,000,000. Beyond :data:`LONGEST_EXACT` the texts are cut at
places where they agree, and the distances of the parts are added. The sum is never less than the
exact distance, and equal to it if a shortest edit script passes through the cuts.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from itertools import pairwise
from math import isqrt

import numpy as np
from rapidfuzz.distance import Levenshtein

LONGEST_EXACT = 100_000
"""Largest length, in characters or words, for an exact distance: the geometric mean of both
lengths."""
_PART, _LONGEST_PART = 4_000, 30_000
"""Least length of a part, and the largest length without a cut (the geometric mean of both)."""
_RUN_OF_CHARACTERS, _RUN_OF_WORDS = 12, 2
"""Texts agree at a run of this length that occurs exactly once in each of them."""
_SPACING = 32
"""At most one such place is used among this many characters or words."""
_LEAST_IN_ORDER = 0.25
"""If a smaller share of these places is in the same order in both texts, they are chance."""
_FACTOR = 0x9E3779B97F4A7C15


def distance(first: Sequence[str], second: Sequence[str], *, score_hint: int | None = None) -> int:
    """Levenshtein distance of two texts, or of two sequences of words.

    ``score_hint``: a guess of the distance. A good guess saves time; the result is the same.
    """
    if len(first) * len(second) <= LONGEST_EXACT**2:
        return Levenshtein.distance(first, second, score_hint=score_hint)
    run = _RUN_OF_CHARACTERS if isinstance(first, str) else _RUN_OF_WORDS
    numbers: dict[str, int] = {}
    cuts = _cuts(_runs(first, run, numbers), _runs(second, run, numbers), (len(first), len(second)))
    parts = sum(
        Levenshtein.distance(first[a:b], second[c:d], score_hint=max(b - a, d - c) // 10)
        for (a, c), (b, d) in pairwise(cuts)
    )
    return min(parts, max(len(first), len(second)))


def _runs(items: Sequence[str], length: int, numbers: dict[str, int]) -> np.ndarray:
    """A hash of the run of items that begins at each place: uint64 ``(places,)``.

    ``numbers`` has the numbers of all items so far, and is extended.
    """
    codes = np.array([numbers.setdefault(item, len(numbers)) for item in items], np.uint64)
    runs = np.zeros(len(codes) - length + 1, np.uint64)
    for position in range(length):
        runs = (runs + codes[position : position + len(runs)] + np.uint64(1)) * np.uint64(_FACTOR)
        runs ^= runs >> np.uint64(29)
    return runs


def _cuts(first: np.ndarray, second: np.ndarray, ends: tuple[int, int]) -> list[tuple[int, int]]:
    """The places in both texts where parts begin, and the ends."""
    cuts = [(0, 0)]
    for place in [*_places_of_agreement(first, second), ends]:
        a, c = cuts[-1]
        lengths = place[0] - a, place[1] - c
        if place != ends and min(lengths) < _PART:
            continue
        # Without agreement all cuts are equally good: cut both into the same number of parts.
        mean = isqrt(lengths[0] * lengths[1])
        parts = mean // _LONGEST_PART + 1
        cuts += [
            (a + lengths[0] * part // parts, c + lengths[1] * part // parts)
            for part in range(1, parts + 1)
        ]
    return cuts


def _places_of_agreement(first: np.ndarray, second: np.ndarray) -> list[tuple[int, int]]:
    """Where a run stands that each has once: the longest chain of them in the order of both."""
    once = []
    for runs in (first, second):
        values, first, counts = np.unique(runs, return_index=True, return_counts=True)
        once.append((values[counts == 1], first[counts == 1]))
    _, left_side, right = np.intersect1d(once[0][0], once[1][0], True, return_indices=True)
    places, partners = once[0][1][left_side], once[1][1][right]
    order = np.argsort(places)
    places, partners = places[order], partners[order]
    _, spaced = np.unique(places // _SPACING, return_index=True)
    chain = _longest_chain(places[spaced].tolist(), partners[spaced].tolist())
    return chain if len(chain) >= _LEAST_IN_ORDER * len(spaced) else []


def _longest_chain(places: Sequence[int], partners: Sequence[int]) -> list[tuple[int, int]]:
    """The longest part of sorted places whose partners are in order too."""
    tails: list[int] = []  # the least partner that ends a chain of each length
    ends: list[int] = []  # and the number of its place
    before: list[int] = []
    for number, partner in enumerate(partners):
        length = bisect_left(tails, partner)
        before.append(ends[length - 1] if length else -1)
        tails[length : length + 1] = [partner]
        ends[length : length + 1] = [number]
    chain = []
    number = ends[-1] if ends else -1
    while number >= 0:
        chain.append((places[number], partners[number]))
        number = before[number]
    return chain[::-1]
