"""Late interaction: how well the tokens of a query are met by those of a page, exactly."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

TOKENS = 2048
"""Query tokens that are compared with one page at a time: the products fit into a cache."""
SCORES = 1 << 25
"""Scores that are held at a time: 128 MiB, however many queries and pages there are."""


def maxsim(
    queries: Sequence[np.ndarray], pages: Sequence[np.ndarray], *, mean: bool = False
) -> Iterator[np.ndarray]:
    """For each query, ``(n, d)``, its scores against all pages, ``(m, d)`` each: float32.

    A score is the sum over the query's tokens of the largest dot product with any of the page's
    (MaxSim, Khattab and Zaharia 2020), or their mean. Pages are read one after another, as float32;
    equal pages have equal scores.
    """
    most = max(1, SCORES // max(1, len(pages)))
    for start in range(0, len(queries), most):
        yield from _scores(queries[start : start + most], pages, mean)


def _scores(queries: Sequence[np.ndarray], pages: Sequence[np.ndarray], mean: bool) -> np.ndarray:
    blocks = _blocks(queries)
    scores = np.zeros((len(queries), len(pages)), np.float32)
    for at, page in enumerate(pages):
        tokens = np.asarray(page, np.float32)
        for first, last, block, starts in blocks:
            best = (tokens @ block).max(axis=0)
            scores[first:last, at] = np.add.reduceat(best, starts)
    if mean:
        scores /= np.array([[len(query)] for query in queries], np.float32)
    return scores


def _blocks(queries: Sequence[np.ndarray]) -> list[tuple[int, int, np.ndarray, np.ndarray]]:
    """First and last query of a block, its tokens as columns, and where each query begins."""
    blocks, first = [], 0
    while first < len(queries):
        last, tokens = first + 1, len(queries[first])
        while last < len(queries) and tokens + len(queries[last]) <= TOKENS:
            tokens += len(queries[last])
            last += 1
        part = [np.asarray(query, np.float32) for query in queries[first:last]]
        starts = np.cumsum([0, *(len(query) for query in part[:-1])])
        blocks.append((first, last, np.ascontiguousarray(np.concatenate(part).T), starts))
        first = last
    return blocks
