"""Shared by retrievers with encoders: a text's arrays are cached by its content."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import ClassVar

import numpy as np
from pydantic import BaseModel
from typing_extensions import TypeVar

from ohr.plugins import Retriever, source_of
from ohr.store.artefacts import ArtefactStore
from rag.retrievers._vectors import Encode, VectorStore

STORED_AS = "vectors"
P = TypeVar("P", bound=BaseModel, covariant=True, default=BaseModel)


class EncodedRetriever(Retriever[P], abstract=True):
    """Ranks chunks by a model's encoding of each text alone."""

    outside_identity: ClassVar[frozenset[str]] = frozenset()
    """Parameters that do not change a vector, or that :meth:`encoder_version` covers."""
    of_search: ClassVar[frozenset[str]] = frozenset()
    """Parameters of the search among the vectors."""

    def __init__(self, params: P | None = None) -> None:
        super().__init__(params)
        self._store: ArtefactStore | None = None
        self._vectors: dict[str, VectorStore] = {}
        self._failure_reasons: dict[str, str] = {}
        """Text -> why it has no array, for encoders that return None for some texts."""

    @abstractmethod
    def encoder_version(self) -> str:
        """Versions of model and packages. Raises MissingDependencyError, ConfigError."""

    @abstractmethod
    def encode_passages(self, texts: list[str]) -> Sequence[np.ndarray | None]:
        """A float32 array of one or two dimensions for each text of a chunk."""

    @abstractmethod
    def encode_queries(self, texts: list[str]) -> Sequence[np.ndarray | None]:
        """The same for each question."""

    def identity(self) -> dict[str, object]:
        search = self.params.model_dump(mode="json", include=set(self.of_search))
        return self.encoder_identity() | search

    def encoder_identity(self) -> dict[str, object]:
        """What the vectors depend on, without the search."""
        outside = self.outside_identity | self.of_search
        return {
            "name": self.name,
            "version": self.version,
            "params": self.params.model_dump(mode="json", exclude=set(outside)),
            "encoder_version": self.encoder_version(),
            **source_of(type(self)),
        }

    def use_store(self, store: ArtefactStore) -> None:
        self._store, self._vectors = store, {}

    def collect(self, kind: str, texts: Sequence[str], encode: Encode) -> list[np.ndarray]:
        """Arrays of a kind (``passages``, ``queries`` ...) for texts, stored or encoded now."""
        return self._vectors_of(kind).collect(texts, encode)

    def find(self, kind: str, texts: Sequence[str], encode: Encode) -> list[np.ndarray | None]:
        """Like :meth:`collect`, with None for a text that cannot be encoded."""
        return self._vectors_of(kind).find(texts, encode)

    def _vectors_of(self, kind: str) -> VectorStore:
        if kind not in self._vectors:
            folder = None
            if self._store is not None:
                key = {"encoder": self.encoder_identity(), "kind": kind}
                folder = self._store.folder(STORED_AS, key)
            self._vectors[kind] = VectorStore(folder)
        return self._vectors[kind]
