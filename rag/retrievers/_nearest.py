"""The vectors with the largest dot products: exactly, or by a graph of neighbours."""

from __future__ import annotations

import importlib
from typing import Any, Literal

import numpy as np

from ohr.errors import MissingDependencyError
from rag.retrievers._hits import top_k

Index = Literal["exact", "hnsw"]
Neighbours = list[list[tuple[int, float]]]
"""For each query: (index, dot product), best first."""
VERSION = "2"
"""Of the search: what it finds among the same vectors."""
QUERIES, VECTORS = 256, 65536
_TILE = 64
"""A multiple of how many columns of a product are made at once."""
_NEIGHBOURS, _BUILD, _SEARCH = 32, 200, 128


class Nearest:
    """Searches float32 vectors, ``(n, d)``.

    ``exact`` multiplies block by block, in 64 MiB however many there are; ``hnsw`` is faiss's
    graph (Malkov and Yashunin 2018): much faster among many vectors, and not exact.
    """

    def __init__(self, vectors: np.ndarray, index: Index = "exact") -> None:
        # Products at the edge of a matrix are added up in another order than those inside. With
        # rows and queries of zeros, no vector stands there, nor is a query's company seen.
        self._vectors = np.pad(vectors, ((0, -len(vectors) % _TILE), (0, 0)))
        self._count = len(vectors)
        self._graph = _graph(vectors) if index == "hnsw" and len(vectors) else None

    def search(self, queries: np.ndarray, k: int) -> Neighbours:
        """The k nearest of each query, float32 ``(m, d)``; equal products in index order."""
        if not self._count or not len(queries):
            return [[] for _ in queries]
        if self._graph is not None:
            return self._search_graph(queries, k)
        return [
            hits
            for start in range(0, len(queries), QUERIES)
            for hits in self._search_block(queries[start : start + QUERIES], k)
        ]

    def _search_block(self, queries: np.ndarray, k: int) -> Neighbours:
        best: Neighbours = [[] for _ in queries]
        full = np.zeros((QUERIES, queries.shape[1]), np.float32)
        full[: len(queries)] = queries
        for start in range(0, self._count, VECTORS):
            products = full @ self._vectors[start : start + VECTORS].T
            products = products[: len(queries), : self._count - start]
            for row, hits in zip(products, best, strict=True):
                hits += [(start + i, float(row[i])) for i in top_k(row, k)]
        return [sorted(hits, key=lambda hit: (-hit[1], hit[0]))[:k] for hits in best]

    def _search_graph(self, queries: np.ndarray, k: int) -> Neighbours:
        assert self._graph is not None
        self._graph.hnsw.efSearch = max(_SEARCH, 2 * k)
        products, indices = self._graph.search(np.ascontiguousarray(queries), k)
        rows = zip(indices.tolist(), products.tolist(), strict=True)
        return [
            sorted(
                ((i, p) for i, p in zip(*row, strict=True) if i >= 0),
                key=lambda hit: (-hit[1], hit[0]),
            )
            for row in rows
        ]


def _graph(vectors: np.ndarray) -> Any:
    try:
        faiss = importlib.import_module("faiss")
    except ImportError as error:
        raise MissingDependencyError(
            f"index hnsw needs faiss ({error}): pip install faiss-cpu"
        ) from error
    graph = faiss.IndexHNSWFlat(vectors.shape[1], _NEIGHBOURS, faiss.METRIC_INNER_PRODUCT)
    graph.hnsw.efConstruction = _BUILD
    threads = faiss.omp_get_max_threads()
    faiss.omp_set_num_threads(1)  # several threads would build another graph each time
    try:
        graph.add(np.ascontiguousarray(vectors))
    finally:
        faiss.omp_set_num_threads(threads)
    return graph
