"""Sparse vectors over a vocabulary, and the exact search among them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy import sparse

from rag.retrievers._hits import top_k
from rag.retrievers._nearest import Neighbours

QUERIES = 256
"""Queries scored at once: 8 bytes per query and text."""


class SparseVectors:
    """Searches texts by their terms' weights.

    A vector is an array ``(2, n)``: ids of its terms, which float32 represents exactly
    below 2**24, and their weights.
    """

    def __init__(self, vectors: Sequence[np.ndarray]) -> None:
        texts = np.repeat(np.arange(len(vectors)), [vector.shape[1] for vector in vectors])
        terms, weights = _joined(vectors)
        shape = (int(terms.max(initial=-1)) + 1, len(vectors))
        self._by_term = sparse.csr_matrix((weights, (terms, texts)), shape=shape)

    def scores(self, queries: Sequence[np.ndarray]) -> np.ndarray:
        """Sum over shared terms of the weights' product, float64 ``(queries, texts)``."""
        known_parts = [query[:, query[0] < self._by_term.shape[0]] for query in queries]
        ends = np.cumsum([0, *(query.shape[1] for query in known_parts)])
        terms, weights = _joined(known_parts)
        shape = (len(known_parts), self._by_term.shape[0])
        query_matrix = sparse.csr_matrix((weights, terms, ends), shape=shape)
        return np.asarray((query_matrix @ self._by_term).toarray())

    def search(self, queries: Sequence[np.ndarray], k: int) -> Neighbours:
        """The k best texts of each query that share a term; equal scores in index order."""
        return [
            [(i, float(row[i])) for i in top_k(row, k) if row[i] > 0]
            for start in range(0, len(queries), QUERIES)
            for row in self.scores(queries[start : start + QUERIES])
        ]


def _joined(vectors: Sequence[np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """Terms and weights of vectors, end to end."""
    terms, weights = np.concatenate([np.zeros((2, 0)), *vectors], axis=1)
    return terms.astype(np.int64), weights
