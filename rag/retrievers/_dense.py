"""What the dense retrievers share: vectors kept by content, and the search among them."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import ClassVar

import numpy as np
from typing_extensions import TypeVar

from ohr.plugins import Params, Retriever, source_of
from ohr.store.artefacts import ArtefactStore
from ohr.types import Chunk, Hit
from rag.retrievers._hits import hit_of
from rag.retrievers._nearest import Index, Nearest
from rag.retrievers._vectors import Encode, VectorStore

STORED_AS = "vectors"


class DenseParams(Params):
    """``index``: ``exact``, or ``hnsw`` (faiss), which is approximate."""

    index: Index = "exact"


P = TypeVar("P", bound=DenseParams, covariant=True, default=DenseParams)


class DenseRetriever(Retriever[P], abstract=True):
    """Ranks chunks by the dot product of their vector and the query's."""

    outside_identity: ClassVar[frozenset[str]] = frozenset()
    """Parameters that do not change a vector, or that :meth:`encoder_version` stands for."""

    def __init__(self, params: P | None = None) -> None:
        super().__init__(params)
        self._chunks: Sequence[Chunk] = ()
        self._nearest: Nearest | None = None
        self._store: ArtefactStore | None = None
        self._vectors: dict[str, VectorStore] = {}

    @abstractmethod
    def encoder_version(self) -> str:
        """Versions of model and packages. Raises MissingDependencyError, ConfigError."""

    @abstractmethod
    def encode_passages(self, texts: list[str]) -> Sequence[np.ndarray]:
        """A vector ``(d,)`` for each text of a chunk, float32."""

    @abstractmethod
    def encode_queries(self, texts: list[str]) -> Sequence[np.ndarray]:
        """A vector ``(d,)`` for each question, float32."""

    def identity(self) -> dict[str, object]:
        return self.encoder_identity() | {"index": self.params.index}

    def encoder_identity(self) -> dict[str, object]:
        """What the vectors depend on; the search is no part of it."""
        params = self.params.model_dump(mode="json", exclude={*self.outside_identity, "index"})
        return {
            "name": self.name,
            "version": self.version,
            "params": params,
            "encoder_version": self.encoder_version(),
            **source_of(type(self)),
        }

    def use_store(self, store: ArtefactStore) -> None:
        self._store, self._vectors = store, {}

    def collect(self, kind: str, texts: Sequence[str], encode: Encode) -> list[np.ndarray]:
        """Arrays of a kind (``passages``, ``queries`` ...) for texts, from the store or anew."""
        if kind not in self._vectors:
            folder = None
            if self._store is not None:
                key = {"encoder": self.encoder_identity(), "kind": kind}
                folder = self._store.folder(STORED_AS, key)
            self._vectors[kind] = VectorStore(folder)
        return self._vectors[kind].collect(texts, encode)

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
