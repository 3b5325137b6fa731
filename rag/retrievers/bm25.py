"""BM25, in five variants."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.metadata import version
from typing import TYPE_CHECKING, ClassVar, Literal

from pydantic import Field

from ohr.plugins import Params, Retriever
from ohr.types import Chunk, Hit
from rag.retrievers._hits import hit_of, top_k
from rag.retrievers._term_kinds import Terms

if TYPE_CHECKING:
    import numpy as np

    from rag.retrievers._bm25_index import Bm25Index
    from rag.retrievers.terms import Analyser

LIBRARIES = f"bm25s-{version('bm25s')}+pystemmer-{version('pystemmer')}"
"""The libraries of scores, stop words and stems."""


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
        ids = (self.analyser.ids(chunk.indexed_text) for chunk in chunks)
        self._index = Bm25Index(ids, shape, self._factors)

    def _factors(self, frequency: np.ndarray, texts: int) -> np.ndarray | None:
        """Hook for variants with other weights of terms: factors of the weights of terms in
        ``frequency`` of ``texts`` texts, float ``(terms,)``.
        """
        return None

    def search_many(self, queries: Sequence[str], k: int) -> list[list[Hit]]:
        return [self._search(query, k) for query in queries]

    def _search(self, query: str, k: int) -> list[Hit]:
        index = self._index
        if index is None:
            return []
        terms = index.local(self.analyser.ids(query))
        scores = index.scores(terms)
        constant = index.constant(terms)
        best = top_k(scores, k)
        if self.only_matches:
            best = [position for position in best if scores[position] > 0]
            if index.has_weightless and len(best) < k:
                # A term in half of the texts or more may have no weight; it still matches.
                matches = index.texts_with(terms)
                best += matches[scores[matches] <= 0][: k - len(best)].tolist()
        return [
            hit_of(self._chunks[position], float(scores[position]) + constant, rank)
            for rank, position in enumerate(best)
        ]
