"""Several retrievers' rankings as one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np
from pydantic import Field, model_validator

from ohr.errors import ConfigError
from ohr.plugins import Params, Retriever
from ohr.registry import PluginSpec
from ohr.store.artefacts import ArtefactStore
from ohr.types import Chunk, Hit, PageRef
from rag.retrievers._hits import hit_of
from rag.retrievers._nested import Spec, create

Place = tuple[PageRef, int, int]


class HybridParams(Params):
    """``method``: ``rrf`` adds weight / (``constant`` + rank), ranks from 1; ``weighted`` adds
    weight x score, each retriever's scores of a query mapped linearly to [0, 1]. ``weights``:
    one a retriever, by default equal. ``depth``: hits that each retriever contributes.
    """

    retrievers: tuple[Spec, ...] = Field(min_length=2)
    method: Literal["rrf", "weighted"] = "rrf"
    weights: tuple[float, ...] = ()
    constant: float = Field(default=60, ge=0)
    depth: int = Field(default=100, ge=1)

    @model_validator(mode="after")
    def _a_weight_each(self) -> HybridParams:
        if self.weights and len(self.weights) != len(self.retrievers):
            raise ValueError(f"{len(self.weights)} weights for {len(self.retrievers)} retrievers")
        if any(weight < 0 for weight in self.weights) or (self.weights and not any(self.weights)):
            raise ValueError("weights must not be negative, nor all 0")
        return self


class Hybrid(Retriever[HybridParams]):
    """Reciprocal rank fusion (Cormack et al. 2009), or a weighted sum of scores, of chunks.

    Raises ConfigError for retrievers of whole pages: a ``page`` goes around a hybrid.
    """

    name = "hybrid"

    def __init__(self, params: HybridParams) -> None:
        super().__init__(params)
        self._parts = [_of_chunks(spec) for spec in params.retrievers]
        self._order: dict[Place, int] = {}
        self._chunks: Sequence[Chunk] = ()

    def identity(self) -> dict[str, object]:
        return super().identity() | {"retrievers": [part.identity() for part in self._parts]}

    def use_store(self, store: ArtefactStore) -> None:
        for part in self._parts:
            part.use_store(store)

    def index(self, chunks: Sequence[Chunk]) -> None:
        self._chunks = chunks
        self._order = {(c.ref, c.start, c.end): i for i, c in enumerate(chunks)}
        for part in self._parts:
            part.index(chunks)

    def search_many(self, queries: Sequence[str], k: int) -> list[list[Hit]]:
        depth = max(k, self.params.depth)
        by_part = [part.search_many(queries, depth) for part in self._parts]
        return [self._fuse(rankings, k) for rankings in zip(*by_part, strict=True)]

    def _fuse(self, rankings: Sequence[Sequence[Hit]], k: int) -> list[Hit]:
        weights = self.params.weights or (1.0,) * len(self._parts)
        scores: dict[int, float] = {}
        for weight, hits in zip(weights, rankings, strict=True):
            for hit, gain in zip(hits, self._gains(hits), strict=True):
                place = self._order[hit.ref, *hit.span]
                scores[place] = scores.get(place, 0.0) + weight * gain
        best = sorted(scores, key=lambda place: (-scores[place], place))[:k]
        return [hit_of(self._chunks[p], scores[p], rank) for rank, p in enumerate(best)]

    def _gains(self, hits: Sequence[Hit]) -> list[float]:
        if self.params.method == "rrf":
            return [1 / (self.params.constant + rank + 1) for rank in range(len(hits))]
        scores = np.array([hit.score for hit in hits])
        if not len(scores) or scores.max() == scores.min():
            return [1.0] * len(scores)
        # Worse than the last hit is no hit at all, and counts 0 as that one does.
        gains = (scores - scores.min()) / (scores.max() - scores.min())
        return [float(gain) for gain in gains]


def _of_chunks(spec: PluginSpec) -> Retriever:
    retriever = create(spec)
    if retriever.whole_pages:
        raise ConfigError(
            f"retriever {spec.label!r} ranks whole pages, and hybrid fuses chunks: put page "
            "outside: {name: page, params: {retriever: {name: hybrid, params: …}}}"
        )
    return retriever
