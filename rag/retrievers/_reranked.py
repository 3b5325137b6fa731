"""Shared by re-rankers: another retriever's hits in the order of a model's scores of pairs."""

from __future__ import annotations

import json
from abc import abstractmethod
from collections.abc import Sequence

import numpy as np
from pydantic import Field
from typing_extensions import TypeVar

from ohr.plugins import Params, Retriever
from ohr.plugins.retriever import LeftOut
from ohr.registry import PluginSpec
from ohr.store.artefacts import ArtefactStore
from ohr.types import Chunk, Hit
from rag.retrievers._nested import Spec, create
from rag.retrievers._vectors import VectorStore


class DepthParams(Params):
    """``retriever``: its best ``depth`` hits are re-ranked; if more are needed, the next ``depth``
    hits are re-ranked among themselves, and so on.
    """

    retriever: Spec = PluginSpec(name="bm25")
    depth: int = Field(50, ge=1)


def pair_scores(logits: np.ndarray) -> np.ndarray:
    """Scores ``(n, 1)``: a pair's single logit, or the second of two less the first."""
    scores = logits[:, 0] if logits.shape[1] == 1 else logits[:, 1] - logits[:, 0]
    return np.asarray(scores)[:, None]


P = TypeVar("P", bound=DepthParams, covariant=True, default=DepthParams)


class Reranker(Retriever[P], abstract=True):
    """Subclasses score pairs of question and chunk; each pair's score is stored."""

    def __init__(self, params: P) -> None:
        super().__init__(params)
        self._inner = create(params.retriever)
        self.whole_pages = self._inner.whole_pages
        self._scores = VectorStore()

    @abstractmethod
    def scorer_identity(self) -> dict[str, object]:
        """What the score of a pair depends on. Raises MissingDependencyError, ConfigError."""

    @abstractmethod
    def score(self, pairs: list[str]) -> Sequence[np.ndarray]:
        """The score ``(1,)`` of each pair, which is a JSON list of a question and a text."""

    def identity(self) -> dict[str, object]:
        depth = self.params.depth
        params = {"depth": depth, "retriever": self._inner.identity(), "version": "2"}
        return self.scorer_identity() | {"ranking": params}

    def use_store(self, store: ArtefactStore) -> None:
        self._inner.use_store(store)
        self._scores = VectorStore(store.folder("pairs", self.scorer_identity()))

    def index(self, chunks: Sequence[Chunk]) -> None:
        self._inner.index(chunks)

    def search_many(self, queries: Sequence[str], k: int) -> list[list[Hit]]:
        depth = self.params.depth
        # Whole blocks, so that no hit depends on k.
        rankings = self._inner.search_many(queries, -(-k // depth) * depth)
        pairs = [
            json.dumps([query, hit.text], ensure_ascii=False)
            for query, hits in zip(queries, rankings, strict=True)
            for hit in hits
        ]
        scores = iter(self._scores.collect(pairs, self.score))
        reranked = []
        for hits in rankings:
            scored = [(float(next(scores)[0]), hit) for hit in hits]
            best = sorted(scored, key=lambda pair: (pair[1].rank // depth, -pair[0], pair[1].rank))[
                :k
            ]
            reranked.append(
                [
                    Hit(hit.ref, hit.text, score, rank, hit.span)
                    for rank, (score, hit) in enumerate(best)
                ]
            )
        return reranked

    def left_out(self) -> LeftOut:
        return self._inner.left_out()
