"""How far predicted winners are to be doubted, by pages that were left out of a fit."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import combinations

import numpy as np

from ohr.quality.inference import compare

__all__ = ["KnowledgeBases", "gaps", "least_doubt"]

FEWEST_PAGES = 10
"""Least number of pages that two knowledge bases share for their difference to count."""
FEWEST_PAIRS = 3
"""Least number of pairs of knowledge bases that can show that less doubt is enough."""
PAGES_DRAWN = 30
DRAWS = 30
WRONG_WINNERS = 0.01
"""Largest share of draws with a wrong winner in domains left out; new documents are harder."""
SHARES = tuple(tenths / 10 for tenths in range(2, 11))

Predicted = tuple[float, float, float]
"""Predicted mean, truth, and spread of the prediction."""
KnowledgeBases = dict[str, dict[tuple[str, int], Predicted]]


def least_doubt(knowledge_bases: KnowledgeBases, bias: float) -> float:
    """The least share of ``bias`` with which stated winners are right; 1 if no share is enough, or
    if fewer than :data:`FEWEST_PAIRS` pairs could show it.

    Of draws of :data:`PAGES_DRAWN` pages that two knowledge bases share, at most
    :data:`WRONG_WINNERS` may have a wrong winner, judged by the means over all shared pages.
    """
    rng = np.random.default_rng(0)
    draws = [
        draw
        for first, second in combinations(sorted(knowledge_bases), 2)
        for draw in _draws(knowledge_bases[first], knowledge_bases[second], rng)
    ]
    if len(draws) < FEWEST_PAIRS * DRAWS:
        return 1.0
    for share in SHARES:
        wrong = 0
        for documents, first_mean, second_mean, spread, gap in draws:
            winner = compare(first_mean, second_mean, documents, share * bias * spread).winner
            wrong += winner is not None and (winner == 1) != (gap > 0)
        if wrong <= WRONG_WINNERS * len(draws):
            return share
    return 1.0


def _draws(
    first: Mapping[tuple[str, int], Predicted],
    second: Mapping[tuple[str, int], Predicted],
    rng: np.random.Generator,
) -> Iterator[tuple[list[str], np.ndarray, np.ndarray, float, float]]:
    """Draws of pages: their documents, both predictions, spread, and the true difference.

    The true difference is that of all pages. Of few pages, two thirds are drawn.
    """
    both = sorted(first.keys() & second.keys())
    if len(both) < FEWEST_PAGES:
        return
    size = min(PAGES_DRAWN, 2 * len(both) // 3)
    first_rows, second_rows = (np.array([of[place] for place in both]) for of in (first, second))
    gap = float((first_rows[:, 1] - second_rows[:, 1]).mean())
    for _ in range(DRAWS):
        some = rng.choice(len(both), size, replace=False)
        spread = float((first_rows[some, 2] + second_rows[some, 2]).mean() / 2)
        yield (
            [both[position][0] for position in some],
            first_rows[some, 0],
            second_rows[some, 0],
            spread,
            gap,
        )


def gaps(knowledge_bases: KnowledgeBases) -> Iterator[float]:
    """For each two knowledge bases, the error of the predicted difference of their means.

    It is a share of the spread of the predictions.
    """
    for first, second in combinations(sorted(knowledge_bases), 2):
        both = sorted(knowledge_bases[first].keys() & knowledge_bases[second].keys())
        if len(both) >= FEWEST_PAGES:
            first_rows = np.array([knowledge_bases[first][place] for place in both]).mean(axis=0)
            second_rows = np.array([knowledge_bases[second][place] for place in both]).mean(axis=0)
            gap = (first_rows[0] - second_rows[0]) - (first_rows[1] - second_rows[1])
            yield float(gap / max((first_rows[2] + second_rows[2]) / 2, 1e-6))
