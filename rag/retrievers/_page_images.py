"""Shared by the retrievers of page images: a page's vectors are cached by its content."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from typing import ClassVar

import numpy as np
from pydantic import Field
from typing_extensions import TypeVar

from ohr.models.pictures import shrink
from ohr.plugins import ImageRetriever, Params, source_of
from ohr.store.artefacts import ArtefactStore
from ohr.types import Hit, PageImage, PageRef, load_images
from rag.retrievers._encoded import STORED_AS
from rag.retrievers._hits import top_k
from rag.retrievers._vectors import VectorStore

PART = 16
"""Pages that are drawn, encoded and stored together: a killed run loses at most these."""


class PageImageParams(Params):
    """``image_side``: a larger page is scaled down to this many pixels on its longer side before
    the model's own preprocessing; by default it is not scaled.
    """

    image_side: int | None = Field(None, ge=28, le=20_000)


P = TypeVar("P", bound=PageImageParams, covariant=True, default=PageImageParams)


class PageEncoder(ImageRetriever[P], abstract=True):
    """Ranks pages by a model's encoding of each page image alone.

    Vectors of pages are kept in half precision and read from disk as they are needed; those of
    queries in single precision.
    """

    outside_identity: ClassVar[frozenset[str]] = frozenset()
    """Parameters that do not change a vector, or that :meth:`encoder_version` covers."""

    def __init__(self, params: P | None = None) -> None:
        super().__init__(params)
        self._store: ArtefactStore | None = None
        self._stores: dict[str, VectorStore] = {}
        self._pages: list[PageRef] = []
        self._vectors: list[np.ndarray] = []

    @abstractmethod
    def encoder_version(self) -> str:
        """Versions of model and packages. Raises MissingDependencyError, ConfigError."""

    @abstractmethod
    def encode_pages(self, images: list[np.ndarray]) -> Sequence[np.ndarray | str]:
        """An array of one or two dimensions for each picture (uint8 RGB), or why there is none."""

    @abstractmethod
    def encode_queries(self, texts: list[str]) -> Sequence[np.ndarray]:
        """The same for each question, float32."""

    @abstractmethod
    def scores(
        self, queries: Sequence[np.ndarray], pages: Sequence[np.ndarray]
    ) -> Iterator[np.ndarray]:
        """For each query its scores against all pages, ``(n_pages,)``."""

    def identity(self) -> dict[str, object]:
        params = self.params.model_dump(mode="json", exclude=set(self.outside_identity))
        return {
            "name": self.name,
            "version": self.version,
            "params": params,
            "encoder_version": self.encoder_version(),
            **source_of(type(self)),
        }

    def use_store(self, store: ArtefactStore) -> None:
        self._store, self._stores = store, {}

    def index_images(self, pages: Sequence[PageImage]) -> Mapping[PageRef, str]:
        reasons: dict[str, str] = {}

        def encode(batch: list[PageImage]) -> list[np.ndarray | None]:
            outcomes = load_images(batch)
            side = self.params.image_side
            images = [
                shrink(outcome.value, side) for outcome in outcomes if outcome.value is not None
            ]
            encoded = iter(self.encode_pages(images) if images else [])
            results = [
                outcome.detail if outcome.value is None else next(encoded) for outcome in outcomes
            ]
            for page, result in zip(batch, results, strict=True):
                if isinstance(result, str):
                    reasons[page.digest] = result
            return [None if isinstance(result, str) else result for result in results]

        store = self._vectors_of("pages", np.float16)
        for start in range(0, len(pages), PART):
            # In fixed batches, so that an earlier failure changes no other page's batch.
            batch = pages[start : start + PART]
            store.add([page.digest for page in batch], batch, encode)
        vectors_of_pages = [(page.ref, store.get(page.digest)) for page in pages]
        self._pages = [ref for ref, vectors in vectors_of_pages if vectors is not None]
        self._vectors = [vectors for _, vectors in vectors_of_pages if vectors is not None]
        return {page.ref: reasons[page.digest] for page in pages if page.digest in reasons}

    def search_many(self, queries: Sequence[str], k: int) -> list[list[Hit]]:
        if not self._pages or not queries:
            return [[] for _ in queries]
        query_vectors = self._vectors_of("queries", np.float32).collect(
            queries, self.encode_queries
        )
        return [
            [
                Hit(self._pages[position], "", float(scores[position]), rank)
                for rank, position in enumerate(top_k(scores, k))
            ]
            for scores in self.scores(query_vectors, self._vectors)
        ]

    def _vectors_of(self, kind: str, dtype: type[np.floating]) -> VectorStore:
        if kind not in self._stores:
            folder = None
            if self._store is not None:
                key = {"encoder": self.identity(), "kind": kind}
                folder = self._store.folder(STORED_AS, key)
            self._stores[kind] = VectorStore(folder, dtype)
        return self._stores[kind]
