"""Shared by the dense retrievers: one vector per text, and the search among them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from typing_extensions import TypeVar

from ohr.errors import EngineError
from ohr.plugins import Params
from ohr.plugins.retriever import LeftOut
from ohr.types import Chunk, Hit
from rag.retrievers._encoded import EncodedRetriever
from rag.retrievers._hits import hit_of
from rag.retrievers._nearest import VERSION, Index, Nearest

NO_VECTOR = "no vector"
"""The reason for leaving out a text, if its encoder gave none."""


class DenseParams(Params):
    """``index``: ``exact``, or ``hnsw`` (faiss), which is approximate."""

    index: Index = "exact"


P = TypeVar("P", bound=DenseParams, covariant=True, default=DenseParams)


class DenseRetriever(EncodedRetriever[P], abstract=True):
    """Ranks chunks by the dot product of their vector and the query's, each ``(d,)``."""

    of_search = frozenset({"index"})

    def __init__(self, params: P | None = None) -> None:
        super().__init__(params)
        self._chunks: Sequence[Chunk] = ()
        self._nearest: Nearest | None = None
        self._left_out = LeftOut()

    def identity(self) -> dict[str, object]:
        return super().identity() | {"search_version": VERSION}

    def index(self, chunks: Sequence[Chunk]) -> None:
        texts = [chunk.indexed_text for chunk in chunks]
        encoded = self.find("passages", texts, self.encode_passages)
        self._left_out = LeftOut(
            {
                (chunk.ref, chunk.start, chunk.end): self._failure_reasons.get(text, NO_VECTOR)
                for chunk, text, vector in zip(chunks, texts, encoded, strict=True)
                if vector is None
            }
        )
        self._chunks = [
            chunk for chunk, vector in zip(chunks, encoded, strict=True) if vector is not None
        ]
        vectors = [vector for vector in encoded if vector is not None]
        self._nearest = Nearest(self._stack(vectors), self.params.index)

    def search_many(self, queries: Sequence[str], k: int) -> list[list[Hit]]:
        if self._nearest is None:
            return [[] for _ in queries]
        encoded = self.find("queries", queries, self.encode_queries)
        failures = {
            query: self._failure_reasons.get(query, NO_VECTOR)
            for query, vector in zip(queries, encoded, strict=True)
            if vector is None
        }
        self._left_out = LeftOut(self._left_out.chunks, failures)
        known_queries = [
            query for query, vector in zip(queries, encoded, strict=True) if vector is not None
        ]
        vectors = self._stack([vector for vector in encoded if vector is not None])
        width, known_values = vectors.shape[1], self._nearest.width
        if self._chunks and known_queries and width != known_values:
            raise self._width_error(known_values, width)
        hits = {
            query: [
                hit_of(self._chunks[position], score, rank)
                for rank, (position, score) in enumerate(nearest)
            ]
            for query, nearest in zip(known_queries, self._nearest.search(vectors, k), strict=True)
        }
        return [hits.get(query, []) for query in queries]

    def left_out(self) -> LeftOut:
        return self._left_out

    def _stack(self, vectors: Sequence[np.ndarray]) -> np.ndarray:
        """:func:`stack`. Raises EngineError for vectors of unequal length."""
        lengths = sorted({len(vector) for vector in vectors})
        if len(lengths) > 1:
            raise self._width_error(*lengths[:2])
        return stack(vectors)

    def _width_error(self, width: int, other_width: int) -> EngineError:
        return EngineError(
            f"{self.name}: vectors of {width} and of {other_width} numbers, which "
            "cannot be compared: the server gave vectors of two models; name another revision, and "
            "one model"
        )


def stack(vectors: Sequence[np.ndarray]) -> np.ndarray:
    """Vectors as the rows of one float32 array."""
    return np.stack(vectors).astype(np.float32) if vectors else np.zeros((0, 0), np.float32)
