"""BM25, in five variants."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from importlib.metadata import version
from typing import TYPE_CHECKING, ClassVar, Literal

import numpy as np
from pydantic import Field

from ohr.plugins import Params, Retriever
from ohr.types import Chunk, Hit
from rag.retrievers._hits import hit_of, top_k
from rag.retrievers._term_kinds import Terms

if TYPE_CHECKING:
    from rag.retrievers._bm25_index import Bm25Index
    from rag.retrievers.terms import Analyser

LIBRARIES = f"bm25s-{version('bm25s')}+pystemmer-{version('pystemmer')}"
"""The libraries of scores, stop words and stems."""

_TOGETHER = 2000
"""Chunks whose terms are looked up together."""


class Bm25Params(Params):
    """Saturation ``k1``, length normalisation ``b``, and what counts as a term.

    ``variant``: as Kamphuis et al. (2020) name them; ``delta`` is that of ``bm25l`` and
    ``bm25+``. ``terms``: stemmed English or German words, unstemmed words, Chinese words
    (jieba), or n-grams of ``n`` characters within words, of which a misread letter spoils only
    some.
    """

    k1: float = Field(default=1.5, ge=0)
    b: float = Field(default=0.75, ge=0, le=1)
    variant: Literal["lucene", "robertson", "atire", "bm25l", "bm25+"] = "lucene"
    delta: float = Field(default=0.5, ge=0)
    terms: Terms = "english"
    n: int = Field(default=4, ge=2, le=8)


class Bm25(Retriever[Bm25Params]):
    """BM25 (Robertson et al. 1995) by bm25s, by default with Lucene's inverse document frequency.

    Chunks that share no term with the query are not hits, and equal scores rank in index
    order. Above 50,000 chunks the index is built in blocks and mapped from a temporary file.
    """

    name = "bm25"
    version = f"5+{LIBRARIES}"
    only_matches: ClassVar[bool] = True
    reads_sections = False
    splits = True

    def __init__(self, params: Bm25Params | None = None) -> None:
        super().__init__(params)
        self._chunks: Sequence[Chunk] = ()
        self._index: Bm25Index | None = None

    @property
    def analyser(self) -> Analyser:
        """Turns texts into terms."""
        from rag.retrievers.terms import analyser

        return analyser(self.params.terms, self.params.n)

    @property
    def formula(self) -> tuple[str, float]:
        """Variant of BM25, and its delta."""
        return self.params.variant, self.params.delta

    def index(self, chunks: Sequence[Chunk]) -> None:
        from rag.retrievers._bm25_index import Bm25Index, Shape

        self._chunks = chunks
        variant, delta = self.formula
        shape = Shape(variant, self.params.k1, self.params.b, delta)
        analyser_ids = self.analyser.ids
        ids = (
            of_text
            for start in range(0, len(chunks), _TOGETHER)
            for of_text in analyser_ids.many(
                [chunk.indexed_text for chunk in chunks[start : start + _TOGETHER]]
            )
        )
        self._index = Bm25Index(ids, shape, self._factors)

    def _factors(self, frequency: np.ndarray, texts: int) -> np.ndarray | None:
        """Hook for variants with other weights of terms: factors of the weights of terms in
        ``frequency`` of ``texts`` texts, float ``(terms,)``.
        """
        return None

    def search_many(self, queries: Sequence[str], k: int) -> list[list[Hit]]:
        index = self._index
        if index is None:
            return [[] for _ in queries]
        terms = [index.local(ids) for ids in self.analyser.ids.many(queries)]
        return [
            self._hits(index, of_query, best)
            for of_query, best in zip(terms, self._best(index, terms, k), strict=True)
        ]

    def _best(
        self, index: Bm25Index, terms: Sequence[np.ndarray], k: int
    ) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """Positions and scores of the k best chunks of each query, best first."""
        for of_query, best in zip(terms, index.best_matches(terms, k), strict=True):
            if best is not None and (self.only_matches or len(best[0]) == k):
                yield best
            else:
                yield self._best_of_all(index, of_query, k)

    def _best_of_all(
        self, index: Bm25Index, terms: np.ndarray, k: int
    ) -> tuple[np.ndarray, np.ndarray]:
        scores = index.scores(terms)
        best = top_k(scores, k)
        if self.only_matches:
            best = [position for position in best if scores[position] > 0]
            if index.has_weightless and len(best) < k:
                # A term in half of the texts or more may have no weight; it still matches.
                matches = index.texts_with(terms)
                best += matches[scores[matches] <= 0][: k - len(best)].tolist()
        places = np.array(best, np.int64)
        return places, scores[places]

    def _hits(
        self, index: Bm25Index, terms: np.ndarray, best: tuple[np.ndarray, np.ndarray]
    ) -> list[Hit]:
        positions, scores = best
        constant = index.constant(terms)
        return [
            hit_of(self._chunks[position], score + constant, rank)
            for rank, (position, score) in enumerate(
                zip(positions.tolist(), scores.tolist(), strict=True)
            )
        ]
