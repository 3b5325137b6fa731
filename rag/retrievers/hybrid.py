"""Fuses the rankings of several retrievers."""

from __future__ import annotations

import functools
import operator
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Literal

import numpy as np
from pydantic import Field, model_validator

from ohr import registry
from ohr.errors import ConfigError
from ohr.plugins import ImageRetriever, Params, Retriever
from ohr.plugins.retriever import LeftOut, Place
from ohr.registry import PluginSpec
from ohr.store.artefacts import ArtefactStore
from ohr.types import Chunk, Hit, PageImage, PageRef
from rag.retrievers._hits import hit_of
from rag.retrievers._nested import Spec
from rag.retrievers._pages import whole_pages
from rag.retrievers.page import PageRetriever, PageRetrieverParams

if TYPE_CHECKING:
    from ohr.registry import Search


class HybridParams(Params):
    """``method``: ``rrf`` adds weight / (``constant`` + rank), ranks from 1; ``weighted`` adds
    weight x score, each retriever's scores of a query mapped linearly to [0, 1]. ``weights``:
    one per retriever, by default equal. ``depth``: hits that each retriever contributes; if more
    are needed, the hits of twice the depth come next, and so on.
    """

    retrievers: tuple[Spec, ...] = Field(min_length=2)
    method: Literal["rrf", "weighted"] = "rrf"
    weights: tuple[float, ...] = ()
    constant: float = Field(default=60, ge=0)
    depth: int = Field(default=100, ge=1)

    @model_validator(mode="after")
    def _check_weights(self) -> HybridParams:
        if self.weights and len(self.weights) != len(self.retrievers):
            raise ValueError(f"{len(self.weights)} weights for {len(self.retrievers)} retrievers")
        if any(weight < 0 for weight in self.weights) or (self.weights and not any(self.weights)):
            raise ValueError("weights must not be negative, nor all 0")
        return self


class Hybrid(Retriever[HybridParams]):
    """Reciprocal rank fusion (Cormack et al. 2009), or a weighted sum of scores, of chunks.

    If a part ranks page images, whole pages are fused, and the other parts rank pages by their best
    chunk, as ``page`` does. Raises ConfigError for a mixture of retrievers of whole pages and of
    chunks: put ``page`` around ``hybrid``.
    """

    name = "hybrid"
    version = "2"

    def __init__(self, params: HybridParams) -> None:
        super().__init__(params)
        parts = [registry.create("retriever", spec) for spec in params.retrievers]
        self.sees_images = self.whole_pages = any(part.sees_images for part in parts)
        self._parts = [
            _check_part(spec, part, self.sees_images)
            for spec, part in zip(params.retrievers, parts, strict=True)
        ]
        self.reads_sections = any(part.reads_sections for part in parts)
        self.splits = all(part.splits for part in parts)
        self._order: dict[Place, int] = {}
        self._chunks: Sequence[Chunk] = ()
        self._image_pages: list[PageRef] = []

    def identity(self) -> dict[str, object]:
        return super().identity() | {"retrievers": [part.identity() for part in self._parts]}

    def use_store(self, store: ArtefactStore) -> None:
        for part in self._parts:
            part.use_store(store)

    def index_images(self, pages: Sequence[PageImage]) -> Mapping[PageRef, str]:
        self._image_pages = [page.ref for page in pages]
        unseen: dict[PageRef, str] = {}
        for part in self._parts:
            unseen |= part.index_images(pages)
        return unseen

    def index(self, chunks: Sequence[Chunk]) -> None:
        for part in self._parts:
            if isinstance(part, Retriever):
                part.index(chunks)
        if self.sees_images:
            pages = whole_pages(chunks)
            chunks = [pages.get(ref) or Chunk(ref, 0, 0, "") for ref in self._places(pages)]
        self._chunks = chunks
        self._order = {
            self._place(chunk.ref, (chunk.start, chunk.end)): position
            for position, chunk in enumerate(chunks)
        }

    def search_many(self, queries: Sequence[str], k: int) -> list[list[Hit]]:
        depths = range(self.params.depth, k + self.params.depth, self.params.depth)
        by_part = [part.search_many(queries, depths[-1]) for part in self._parts]
        return [self._fuse(rankings, depths)[:k] for rankings in zip(*by_part, strict=True)]

    def left_out(self) -> LeftOut:
        """Everything that any part left out, though others may have ranked it."""
        text_parts = [part for part in self._parts if isinstance(part, Retriever)]
        return functools.reduce(operator.or_, (part.left_out() for part in text_parts), LeftOut())

    def _fuse(self, rankings: Sequence[Sequence[Hit]], depths: Sequence[int]) -> list[Hit]:
        """The hits of each depth follow those of the depth before, so no hit depends on k."""
        fused: dict[int, float] = {}
        for depth in depths:
            scores = self._scores([hits[:depth] for hits in rankings])
            for place in sorted(scores, key=lambda place: (-scores[place], place)):
                fused.setdefault(place, scores[place])
        return [hit_of(self._chunks[place], fused[place], rank) for rank, place in enumerate(fused)]

    def _scores(self, rankings: Sequence[Sequence[Hit]]) -> dict[int, float]:
        """Fused scores by position in the index."""
        weights = self.params.weights or (1.0,) * len(self._parts)
        scores: dict[int, float] = {}
        for weight, hits in zip(weights, rankings, strict=True):
            for hit, gain in zip(hits, self._normalised(hits), strict=True):
                place = self._order[self._place(hit.ref, hit.span)]
                scores[place] = scores.get(place, 0.0) + weight * gain
        return scores

    def _places(self, text_pages: Iterable[PageRef]) -> list[PageRef]:
        """Every page with an image or a text, in index order."""
        return list(dict.fromkeys([*self._image_pages, *text_pages]))

    def _place(self, ref: PageRef, span: tuple[int, int]) -> Place:
        return (ref, 0, 0) if self.sees_images else (ref, *span)

    def _normalised(self, hits: Sequence[Hit]) -> list[float]:
        if self.params.method == "rrf":
            return [1 / (self.params.constant + rank + 1) for rank in range(len(hits))]
        scores = np.array([hit.score for hit in hits])
        if not len(scores) or scores.max() == scores.min():
            return [1.0] * len(scores)
        # A chunk that is not a hit counts 0, as the last hit does.
        gains = (scores - scores.min()) / (scores.max() - scores.min())
        return [float(gain) for gain in gains]


def _check_part(spec: PluginSpec, part: Search, by_page: bool) -> Retriever | ImageRetriever:
    """The retriever to fuse. Raises ConfigError for one that cannot be fused."""
    if not isinstance(part, Retriever | ImageRetriever):
        raise ConfigError(f"retriever {spec.label!r} does not search: it cannot be combined")
    if by_page:
        return part if part.whole_pages else PageRetriever(PageRetrieverParams(retriever=spec))
    if part.whole_pages:
        raise ConfigError(
            f"retriever {spec.label!r} ranks whole pages, and hybrid fuses chunks: put page "
            "outside: {name: page, params: {retriever: {name: hybrid, params: …}}}"
        )
    return part
