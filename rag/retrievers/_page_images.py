"""What the retrievers of page images share: what a page was encoded to is kept by its content."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from typing import ClassVar

import numpy as np
from pydantic import Field
from typing_extensions import TypeVar

from ohr.models.pictures import at_most
from ohr.plugins import ImageRetriever, Params, source_of
from ohr.store.artefacts import ArtefactStore
from ohr.types import Hit, PageImage, PageRef, load_images
from rag.retrievers._encoded import STORED_AS
from rag.retrievers._hits import top_k
from rag.retrievers._vectors import VectorStore

PART = 16
"""Pages that are drawn, encoded and kept together: what a killed run may lose."""


class PageImageParams(Params):
    """``image_side``: a larger page is scaled down to so many pixels on its longer side, before the
    model does with it what it does with every picture; by default it is handed over as it is.
    """

    image_side: int | None = Field(None, ge=28, le=20_000)


P = TypeVar("P", bound=PageImageParams, covariant=True, default=PageImageParams)


class PageEncoder(ImageRetriever[P], abstract=True):
    """Ranks pages by what a model makes of each picture alone.

    Vectors of pages are kept in half precision and read from disk as they are needed; those of
    queries in single precision.
    """

    outside_identity: ClassVar[frozenset[str]] = frozenset()
    """Parameters that do not change a vector, or that :meth:`encoder_version` stands for."""

    def __init__(self, params: P | None = None) -> None:
        super().__init__(params)
        self._store: ArtefactStore | None = None
        self._kept: dict[str, VectorStore] = {}
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
        self._store, self._kept = store, {}

    def index_images(self, pages: Sequence[PageImage]) -> Mapping[PageRef, str]:
        reasons: dict[str, str] = {}

        def encode(part: list[PageImage]) -> list[np.ndarray | None]:
            drawn = load_images(part)
            side = self.params.image_side
            shrunk = [at_most(one.value, side) for one in drawn if one.value is not None]
            made = iter(self.encode_pages(shrunk) if shrunk else [])
            results = [one.detail if one.value is None else next(made) for one in drawn]
            for page, result in zip(part, results, strict=True):
                if isinstance(result, str):
                    reasons[page.digest] = result
            return [None if isinstance(result, str) else result for result in results]

        kept = self._vectors_of("pages", np.float16)
        for start in range(0, len(pages), PART):
            # By their places, so that what failed before changes no other page's batch.
            part = pages[start : start + PART]
            kept.add([page.digest for page in part], part, encode)
        found = [(page.ref, kept.get(page.digest)) for page in pages]
        self._pages = [ref for ref, vectors in found if vectors is not None]
        self._vectors = [vectors for _, vectors in found if vectors is not None]
        return {page.ref: reasons[page.digest] for page in pages if page.digest in reasons}

    def search_many(self, queries: Sequence[str], k: int) -> list[list[Hit]]:
        if not self._pages or not queries:
            return [[] for _ in queries]
        asked = self._vectors_of("queries", np.float32).collect(queries, self.encode_queries)
        return [
            [
                Hit(self._pages[at], "", float(scores[at]), rank)
                for rank, at in enumerate(top_k(scores, k))
            ]
            for scores in self.scores(asked, self._vectors)
        ]

    def _vectors_of(self, kind: str, dtype: type[np.floating]) -> VectorStore:
        if kind not in self._kept:
            folder = None
            if self._store is not None:
                key = {"encoder": self.identity(), "kind": kind}
                folder = self._store.folder(STORED_AS, key)
            self._kept[kind] = VectorStore(folder, dtype)
        return self._kept[kind]
