"""BM25, in five variants."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.metadata import version
from typing import ClassVar, Literal

import bm25s
import numpy as np
from pydantic import Field

from ohr.plugins import Params, Retriever
from ohr.types import Chunk, Hit
from rag.retrievers._bm25_formulas import FORMULAS, Shape
from rag.retrievers._hits import hit_of, top_k
from rag.retrievers._postings import Postings, build
from rag.retrievers.terms import Analyser, Terms, analyser

LIBRARIES = f"bm25s-{bm25s.__version__}+pystemmer-{version('pystemmer')}"
"""What stop words and stems come from."""


class Bm25Params(Params):
    """Saturation ``k1``, length normalisation ``b``, and what counts as a term.

    ``variant``: as Kamphuis et al. (2020) name them; ``delta`` is that of ``bm25l`` and
    ``bm25+``. ``terms``: stemmed English or German words, words as they are, Chinese words
    (jieba), or the n-grams of ``n`` characters within words, which a misread letter spoils only
    in part.
    """

    k1: float = Field(default=1.5, ge=0)
    b: float = Field(default=0.75, ge=0, le=1)
    variant: Literal["lucene", "robertson", "atire", "bm25l", "bm25+"] = "lucene"
    delta: float = Field(default=0.5, ge=0)
    terms: Terms = "english"
    n: int = Field(default=4, ge=2, le=8)


class Bm25(Retriever[Bm25Params]):
    """BM25 (Robertson et al. 1995), by default with Lucene's inverse document frequency.

    Chunks that share no term with the query are no hits. Above 50,000 chunks the index is built
    in blocks and mapped from a temporary file.
    """

    name = "bm25"
    version = f"5+{LIBRARIES}"
    only_matches: ClassVar[bool] = True

    def __init__(self, params: Bm25Params | None = None) -> None:
        super().__init__(params)
        self._chunks: Sequence[Chunk] = ()
        self._postings: Postings | None = None
        self._unmatched = np.zeros(0)
        self._weightless = False

    @property
    def analyser(self) -> Analyser:
        """What turns texts into terms."""
        return analyser(self.params.terms, self.params.n)

    @property
    def formula(self) -> tuple[str, float]:
        """Variant of BM25, and its delta."""
        return self.params.variant, self.params.delta

    def index(self, chunks: Sequence[Chunk]) -> None:
        self._chunks, self._weightless = chunks, False
        read = self.analyser.ids
        self._postings = postings = build(read(chunk.indexed_text) for chunk in chunks)
        if not len(postings.terms):
            return
        variant, delta = self.formula
        formula, shape = FORMULAS[variant], Shape(self.params.k1, self.params.b, delta)
        lengths, mean = postings.lengths, postings.lengths.mean()
        frequencies, inverse = np.unique(postings.text_frequency, return_inverse=True)
        idf = formula.idf(frequencies, len(lengths))[inverse]
        # What a term adds to a text without it; constant, so it is added to hits alone.
        self._unmatched = idf * formula.absent(shape)
        factors = self._factors(postings)

        def weigh(terms: np.ndarray, frequency: np.ndarray, texts: np.ndarray) -> np.ndarray:
            weights = idf[terms] * formula.factor(frequency, lengths[texts], mean, shape)
            weights -= self._unmatched[terms]
            self._weightless |= bool((weights <= 0).any())
            return np.asarray(weights if factors is None else weights * factors[terms])

        postings.weigh(weigh)

    def _factors(self, postings: Postings) -> np.ndarray | None:
        """Hook for variants that weigh terms otherwise."""
        return None

    def search_many(self, queries: Sequence[str], k: int) -> list[list[Hit]]:
        return [self._search(query, k) for query in queries]

    def _search(self, query: str, k: int) -> list[Hit]:
        postings = self._postings
        if postings is None:
            return []
        terms = postings.local(self.analyser.ids(query))
        scores = postings.add_up(terms.tolist())
        constant = float(self._unmatched[terms].sum()) if len(self._unmatched) else 0.0
        best = top_k(scores, k)
        if self.only_matches:
            best = [index for index in best if scores[index] > 0]
            if self._weightless and len(best) < k:
                # A term of half the texts or of all may weigh nothing; to have it is a match.
                having = postings.having(terms)
                best += having[scores[having] <= 0][: k - len(best)].tolist()
        return [
            hit_of(self._chunks[index], float(scores[index]) + constant, rank)
            for rank, index in enumerate(best)
        ]
