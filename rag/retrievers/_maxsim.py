"""Late interaction: how well a page's tokens match those of a query, exactly."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

TOKENS = 2048
"""Query tokens that are compared with a page at once: the products fit into the CPU cache."""
SCORES = 1 << 25
"""Scores in memory at once: 128 MiB, for any number of queries and pages."""


def maxsim(
    queries: Sequence[np.ndarray], pages: Sequence[np.ndarray], *, mean: bool = False
) -> Iterator[np.ndarray]:
    """For each query, ``(n, d)``, its scores against all pages, ``(m, d)`` each: float32.

    A score is the sum over the query's tokens of the largest dot product with any of the page's
    (MaxSim, Khattab and Zaharia 2020), or their mean. Pages are read one after another, as float32;
    equal pages have equal scores.
    """
    step = max(1, SCORES // max(1, len(pages)))
    for start in range(0, len(queries), step):
        yield from _scores(queries[start : start + step], pages, mean)


def _scores(queries: Sequence[np.ndarray], pages: Sequence[np.ndarray], mean: bool) -> np.ndarray:
    blocks = _blocks(queries)
    scores = np.zeros((len(queries), len(pages)), np.float32)
    for index, page in enumerate(pages):
        tokens = np.asarray(page, np.float32)
        for start, end, block, starts in blocks:
            best = (tokens @ block).max(axis=0)
            scores[start:end, index] = np.add.reduceat(best, starts)
    if mean:
        scores /= np.array([[len(query)] for query in queries], np.float32)
    return scores


def _blocks(queries: Sequence[np.ndarray]) -> list[tuple[int, int, np.ndarray, np.ndarray]]:
    """First and last query of a block, its tokens as columns, and where each query begins."""
    blocks, start = [], 0
    while start < len(queries):
        end, tokens = start + 1, len(queries[start])
        while end < len(queries) and tokens + len(queries[end]) <= TOKENS:
            tokens += len(queries[end])
            end += 1
        arrays = [np.asarray(query, np.float32) for query in queries[start:end]]
        starts = np.cumsum([0, *(len(query) for query in arrays[:-1])])
        blocks.append((start, end, np.ascontiguousarray(np.concatenate(arrays).T), starts))
        start = end
    return blocks
