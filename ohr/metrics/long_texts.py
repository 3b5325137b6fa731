"""Edit distances of texts of any length: exact, or the sum of parts where both are very long.

The exact distance takes time of the product of both lengths: half a second for two texts of 100,000
characters, 50 for two of 1,000,000. Beyond :data:`LONGEST_EXACT` the texts are cut where they agree
and the distances of the parts are added. That is one way to make one text of the other, so it is
never less than the exact distance; it is the exact one if a shortest way goes through the cuts.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from itertools import pairwise
from math import isqrt

import numpy as np
from rapidfuzz.distance import Levenshtein

LONGEST_EXACT = 100_000
"""Characters, or words, up to which a distance is exact: the geometric mean of both lengths."""
_PART, _LONGEST_PART = 4_000, 30_000
"""Least length of a part; and the longest, again of both, that may hold no cut."""
_RUN_OF_CHARACTERS, _RUN_OF_WORDS = 12, 2
"""Texts agree where a run of so many stands that each of them has once."""
_SPACING = 32
"""One such place among so many is enough."""
_LEAST_IN_ORDER = 0.25
"""Share of these places that are in the same order in both, below which they are chance."""
_FACTOR = 0x9E3779B97F4A7C15


def distance(one: Sequence[str], other: Sequence[str], *, score_hint: int | None = None) -> int:
    """Levenshtein distance of two texts, or of two sequences of words.

    ``score_hint``: a guess of it. It makes this faster if it is good, and changes nothing.
    """
    if len(one) * len(other) <= LONGEST_EXACT**2:
        return Levenshtein.distance(one, other, score_hint=score_hint)
    run = _RUN_OF_CHARACTERS if isinstance(one, str) else _RUN_OF_WORDS
    numbers: dict[str, int] = {}
    cuts = _cuts(_runs(one, run, numbers), _runs(other, run, numbers), (len(one), len(other)))
    parts = sum(
        Levenshtein.distance(one[a:b], other[c:d], score_hint=max(b - a, d - c) // 10)
        for (a, c), (b, d) in pairwise(cuts)
    )
    return min(parts, max(len(one), len(other)))


def _runs(items: Sequence[str], length: int, numbers: dict[str, int]) -> np.ndarray:
    """A number for the run of items that begins at each place: uint64 ``(places,)``.

    ``numbers`` are those of the items so far.
    """
    codes = np.array([numbers.setdefault(item, len(numbers)) for item in items], np.uint64)
    runs = np.zeros(len(codes) - length + 1, np.uint64)
    for at in range(length):
        runs = (runs + codes[at : at + len(runs)] + np.uint64(1)) * np.uint64(_FACTOR)
        runs ^= runs >> np.uint64(29)
    return runs


def _cuts(one: np.ndarray, other: np.ndarray, ends: tuple[int, int]) -> list[tuple[int, int]]:
    """Where in both the parts begin, and the ends."""
    cuts = [(0, 0)]
    for place in [*_places_of_agreement(one, other), ends]:
        a, c = cuts[-1]
        lengths = place[0] - a, place[1] - c
        if place != ends and min(lengths) < _PART:
            continue
        # Where they agree nowhere one cut is as good as another: both into as many parts.
        mean = isqrt(lengths[0] * lengths[1])
        parts = mean // _LONGEST_PART + 1
        cuts += [
            (a + lengths[0] * part // parts, c + lengths[1] * part // parts)
            for part in range(1, parts + 1)
        ]
    return cuts


def _places_of_agreement(one: np.ndarray, other: np.ndarray) -> list[tuple[int, int]]:
    """Where a run stands that each has once: the longest chain of them in the order of both."""
    once = []
    for runs in (one, other):
        values, first, counts = np.unique(runs, return_index=True, return_counts=True)
        once.append((values[counts == 1], first[counts == 1]))
    _, left, right = np.intersect1d(once[0][0], once[1][0], True, return_indices=True)
    places, partners = once[0][1][left], once[1][1][right]
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
