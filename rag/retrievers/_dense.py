"""What the dense retrievers share: one vector a text, and the search among them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from typing_extensions import TypeVar

from ohr.plugins import Params
from ohr.types import Chunk, Hit
from rag.retrievers._encoded import EncodedRetriever
from rag.retrievers._hits import hit_of
from rag.retrievers._nearest import VERSION, Index, Nearest


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

    def identity(self) -> dict[str, object]:
        return super().identity() | {"search_version": VERSION}

    def index(self, chunks: Sequence[Chunk]) -> None:
        self._chunks = chunks
        texts = [chunk.indexed_text for chunk in chunks]
        vectors = self.collect("passages", texts, self.encode_passages)
        self._nearest = Nearest(stacked(vectors), self.params.index)

    def search_many(self, queries: Sequence[str], k: int) -> list[list[Hit]]:
        if self._nearest is None:
            return [[] for _ in queries]
        vectors = self.collect("queries", queries, self.encode_queries)
        return [
            [hit_of(self._chunks[i], score, rank) for rank, (i, score) in enumerate(nearest)]
            for nearest in self._nearest.search(stacked(vectors), k)
        ]


def stacked(vectors: Sequence[np.ndarray]) -> np.ndarray:
    """Vectors as the rows of one float32 array."""
    return np.stack(vectors).astype(np.float32) if vectors else np.zeros((0, 0), np.float32)
