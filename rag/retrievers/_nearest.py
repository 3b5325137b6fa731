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
VERSION = "3"
"""Version of the search, for results among the same vectors."""
QUERIES, VECTORS = 256, 65536
_EXACT_BATCH = 4096
"""Vectors whose exact products are computed at once, which bounds the memory."""
_NEIGHBOURS, _BUILD_BREADTH, _SEARCH_BREADTH = 32, 200, 128


class Nearest:
    """Searches float32 vectors, ``(n, d)``.

    ``exact`` multiplies block by block, in 64 MiB for any number of vectors, and computes the
    products of the best again, each separately; ``hnsw`` is faiss's graph (Malkov and Yashunin
    2018): much faster among many vectors, but approximate.
    """

    def __init__(self, vectors: np.ndarray, index: Index = "exact") -> None:
        self._vectors = vectors
        self._longest = float(np.sqrt(np.einsum("ij,ij->i", vectors, vectors).max(initial=0)))
        self._count, self.width = vectors.shape
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
        for start in range(0, self._count, VECTORS):
            products = queries @ self._vectors[start : start + VECTORS].T
            for query, row, hits in zip(queries, products, best, strict=True):
                near = start + self._candidates(query, row, k)
                exact = self._products(query, near)
                hits += [(int(near[i]), float(exact[i])) for i in top_k(exact, k)]
        return [sorted(hits, key=lambda hit: (-hit[1], hit[0]))[:k] for hits in best]

    def _candidates(self, query: np.ndarray, products: np.ndarray, k: int) -> np.ndarray:
        """Indices of all vectors that may be among the k best: the last digits of a matrix product
        depend on the processor and on the position in the matrix.
        """
        if len(products) <= k:
            return np.arange(len(products))
        threshold = np.partition(products, -k)[-k]
        # Twice the bound of a sum of d float32 products (Higham 2002, section 3.1).
        error_bound = len(query) * np.finfo(np.float32).eps * self._longest * np.linalg.norm(query)
        return np.flatnonzero(products >= threshold - 2 * error_bound)

    def _products(self, query: np.ndarray, indices: np.ndarray) -> np.ndarray:
        """A query's products with some vectors, ``(len(indices),)`` float32, each by itself."""
        parts = [
            (
                self._vectors[indices[position : position + _EXACT_BATCH]].astype(np.float64)
                * query
            ).sum(axis=1)
            for position in range(0, len(indices), _EXACT_BATCH)
        ]
        return np.concatenate(parts).astype(np.float32)

    def _search_graph(self, queries: np.ndarray, k: int) -> Neighbours:
        assert self._graph is not None
        self._graph.hnsw.efSearch = max(_SEARCH_BREADTH, 2 * k)
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
    graph.hnsw.efConstruction = _BUILD_BREADTH
    threads = faiss.omp_get_max_threads()
    faiss.omp_set_num_threads(1)  # with several threads, the graph would differ each time
    try:
        graph.add(np.ascontiguousarray(vectors))
    finally:
        faiss.omp_set_num_threads(threads)
    return graph
