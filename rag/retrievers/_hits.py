"""From scores to hits."""

from __future__ import annotations

import numpy as np

from ohr.types import Chunk, Hit


def top_k(scores: np.ndarray, k: int) -> list[int]:
    """Indices of the k largest scores, best first; equal scores in index order."""
    k = min(k, len(scores))
    if k <= 0:
        return []
    threshold = np.partition(scores, len(scores) - k)[len(scores) - k]
    candidates = np.flatnonzero(scores >= threshold)
    best = candidates[np.argsort(-scores[candidates], kind="stable")][:k]
    return [int(index) for index in best]


def hit_of(chunk: Chunk, score: float, rank: int) -> Hit:
    """The chunk's text, page and span with its score and its rank from 0."""
    return Hit(chunk.ref, chunk.text, score, rank, (chunk.start, chunk.end))
