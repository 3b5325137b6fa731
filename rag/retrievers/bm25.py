"""BM25 on bm25s."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from importlib.metadata import version
from typing import ClassVar

import bm25s
import numpy as np
from pydantic import Field

from ohr.plugins import Params, Retriever
from ohr.types import Chunk, Hit
from rag.retrievers.terms import ENGLISH, Analyser

logging.getLogger("bm25s").setLevel(logging.WARNING)


class Bm25Params(Params):
    """Saturation ``k1`` and length normalisation ``b`` of BM25."""

    k1: float = Field(default=1.5, ge=0)
    b: float = Field(default=0.75, ge=0, le=1)


class Bm25(Retriever):
    """BM25 with Lucene's inverse document frequency (Robertson et al. 1995; Lù 2024)."""

    name = "bm25"
    version = f"1+bm25s-{bm25s.__version__}+pystemmer-{version('pystemmer')}"
    Params = Bm25Params
    analyser: ClassVar[Analyser] = ENGLISH
    minimum_score: ClassVar[float] = np.nextafter(0.0, 1.0)
    """Chunks that score less are no hits: here, those that share no term with the query."""

    def __init__(self, params: Bm25Params | None = None) -> None:
        super().__init__(params)
        self._chunks: Sequence[Chunk] = ()
        self._model: bm25s.BM25 | None = None
        self._local: dict[int, int] = {}

    def index(self, chunks: Sequence[Chunk]) -> None:
        self._chunks = chunks
        self._model = None
        ids = [self.analyser.ids(chunk.text) for chunk in chunks]
        terms = np.unique(np.concatenate(ids)) if ids else np.array([], dtype=np.int64)
        self._local = {int(term): i for i, term in enumerate(terms)}
        if not self._local:
            return
        local = np.zeros(terms[-1] + 1, dtype=np.int64)
        local[terms] = np.arange(len(terms))
        documents = [local[document].tolist() for document in ids]
        self._model = bm25s.BM25(
            k1=self.params.k1, b=self.params.b, method="lucene", dtype="float64"
        )
        vocabulary = {str(i): i for i in range(len(terms))}
        self._model.index((documents, vocabulary), create_empty_token=False, show_progress=False)
        self._weigh_terms(self._model)

    def _weigh_terms(self, model: bm25s.BM25) -> None:
        """Hook for variants that weigh terms otherwise."""

    def search_many(self, queries: Sequence[str], k: int) -> list[list[Hit]]:
        return [self._search(query, k) for query in queries]

    def _search(self, query: str, k: int) -> list[Hit]:
        terms = [self._local[term] for term in self.analyser.ids(query) if term in self._local]
        if self._model is not None and terms:
            scores = self._model.get_scores_from_ids(terms)
        else:
            scores = np.zeros(len(self._chunks))
        return [
            self._hit(index, float(scores[index]), rank)
            for rank, index in enumerate(top_k(scores, k))
            if scores[index] >= self.minimum_score
        ]

    def _hit(self, index: int, score: float, rank: int) -> Hit:
        chunk = self._chunks[index]
        return Hit(chunk.ref, chunk.text, score, rank, (chunk.start, chunk.end))


def top_k(scores: np.ndarray, k: int) -> list[int]:
    """Indices of the k largest scores, best first; equal scores in index order."""
    k = min(k, len(scores))
    if k <= 0:
        return []
    threshold = np.partition(scores, len(scores) - k)[len(scores) - k]
    candidates = np.flatnonzero(scores >= threshold)
    best = candidates[np.argsort(-scores[candidates], kind="stable")][:k]
    return [int(index) for index in best]
