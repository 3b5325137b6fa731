"""A BM25 index over integer terms, weighed and searched by bm25s.

bm25s (Lù 2024) has the formulas of the five variants and adds up a query's weights. This module
adds what bm25s lacks: counting terms in blocks, so that the memory of building does not grow with
the texts (:mod:`rag.retrievers._postings`; it is also five times as fast); other weights of terms;
ids that are not positions, such as those of n-grams; and leaving out texts without any of a
query's terms.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import bm25s
import bm25s.scoring
import numpy as np
from scipy import sparse

from rag.retrievers._postings import build

_QUERIES = 256
"""Queries that are scored together."""
Factors = Callable[[np.ndarray, int], np.ndarray | None]
"""(number of texts with each term, number of texts) -> factors of the terms' weights."""


@dataclass(frozen=True)
class Shape:
    """Variant, saturation ``k1`` >= 0, length normalisation ``b`` in [0, 1], and ``delta`` >= 0.

    The variants are ``lucene``, ``robertson``, ``atire``, ``bm25l`` and ``bm25+`` (Kamphuis et al.,
    Which BM25 do you mean?, 2020).
    """

    variant: str
    k1: float
    b: float
    delta: float

    def idf(self, frequency: int, texts: int) -> float:
        """Inverse document frequency of a term in ``frequency`` of ``texts`` texts."""
        return float(bm25s.scoring._select_idf_scorer(self.variant)(frequency, N=texts))

    def term_factor(self, tf: np.ndarray, lengths: np.ndarray, mean: float) -> np.ndarray:
        """Factors of terms that occur ``tf`` times in texts of ``lengths`` terms: ``(n,)``."""
        factor = bm25s.scoring._select_tfc_scorer(self.variant)
        return np.asarray(factor(tf, lengths, mean, self.k1, self.b, self.delta))

    def absent(self) -> float:
        """The factor of a term that does not occur."""
        if self.variant == "bm25l" and self.delta:
            return float(self.term_factor(np.zeros(1), np.ones(1), 1.0)[0])
        return self.delta if self.variant == "bm25+" else 0.0


class _Sums(bm25s.BM25):  # type: ignore[misc]  # it has no types
    """bm25s with a faster sum on NumPy, by counting; the result is the same to the bit."""

    @staticmethod
    def _compute_relevance_from_scores(
        data: np.ndarray,
        indptr: np.ndarray,
        indices: np.ndarray,
        num_docs: int,
        query_tokens_ids: np.ndarray,
        dtype: np.dtype,
    ) -> np.ndarray:
        spans = [slice(indptr[term], indptr[term + 1]) for term in query_tokens_ids.tolist()]
        texts = np.concatenate([indices[span] for span in spans])
        return np.bincount(texts, np.concatenate([data[span] for span in spans]), num_docs)


class Bm25Index:
    """The weights of texts that are given as arrays of term ids, ``int64``."""

    def __init__(self, ids: Iterable[np.ndarray], shape: Shape, factors: Factors) -> None:
        self._postings = postings = build(ids)
        self._absent = np.zeros(0)
        self.has_weightless = False
        """Whether a term has no weight in a text that contains it."""
        # Numba may add up in another order than NumPy, depending on the processor.
        self._bm25 = _Sums(method=shape.variant, dtype="float64", backend="numpy")
        self._bm25.scores = {
            "data": postings.weights,
            "indices": postings.texts,
            "indptr": postings.indptr,
            "num_docs": len(postings.lengths),
        }
        self._bm25.nonoccurrence_array = None  # see constant()
        if len(postings.terms):
            self._weigh(shape, factors)

    def _weigh(self, shape: Shape, factors: Factors) -> None:
        """Replace frequencies by weights."""
        lengths, texts = self._postings.lengths, len(self._postings.lengths)
        mean = lengths.mean()
        frequencies, inverse = np.unique(self._postings.text_frequency, return_inverse=True)
        idf = np.array([shape.idf(count, texts) for count in frequencies.tolist()])[inverse]
        # What a term adds to a text without it. It is constant, so only hits need it.
        self._absent = idf * shape.absent()
        factor = factors(self._postings.text_frequency, texts)

        def weigh(terms: np.ndarray, frequency: np.ndarray, places: np.ndarray) -> np.ndarray:
            weights = idf[terms] * shape.term_factor(frequency, lengths[places], mean)
            weights -= self._absent[terms]
            self.has_weightless |= bool((weights <= 0).any())
            return weights if factor is None else np.asarray(weights * factor[terms])

        self._postings.weigh(weigh)

    def local(self, ids: np.ndarray) -> np.ndarray:
        """Positions of a query's terms, in order; terms that are in no text are left out."""
        return self._postings.local(ids)

    def scores(self, terms: np.ndarray) -> np.ndarray:
        """Each text's weights of a query's terms, added up in order: float ``(texts,)``.

        Without :meth:`constant`, so that a text without any of the terms has 0.
        """
        if not len(terms):
            return np.zeros(len(self._postings.lengths))
        return np.asarray(self._bm25.get_scores_from_ids(terms))

    def best_matches(
        self, queries: Sequence[np.ndarray], k: int
    ) -> Iterator[tuple[np.ndarray, np.ndarray] | None]:
        """The texts with any of each query's terms: places and scores of the k best, best first and
        equal scores in index order. None for each query if weights may be 0, or are on disk.
        """
        weights = None if self.has_weightless else self._postings.matrix()
        for start in range(0, len(queries), _QUERIES):
            batch = queries[start : start + _QUERIES]
            if weights is None:
                yield from (None for _ in batch)
                continue
            # Each row of the product is a query's terms added up in order, as scores() does.
            indptr = np.concatenate(([0], np.cumsum([len(terms) for terms in batch])))
            terms = np.concatenate(batch)
            rows = sparse.csr_matrix(
                (np.ones(len(terms)), terms, indptr), shape=(len(batch), weights.shape[0])
            )
            sums = rows @ weights
            for a, b in pairwise(sums.indptr.tolist()):
                yield _best(sums.indices[a:b], sums.data[a:b], k)

    def constant(self, terms: np.ndarray) -> float:
        """What a query's terms add to every text."""
        return float(self._absent[terms].sum()) if self._absent.any() else 0.0

    def texts_with(self, terms: np.ndarray) -> np.ndarray:
        """The texts with at least one of the terms, ascending."""
        return self._postings.texts_with(terms)


def _best(texts: np.ndarray, scores: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
    """The k best of some texts: best first, equal scores in the order of the texts."""
    if 0 < k < len(scores):
        chosen = scores >= np.partition(scores, len(scores) - k)[len(scores) - k]
        texts, scores = texts[chosen], scores[chosen]
    order = np.lexsort((texts, -scores))[: max(k, 0)]
    return texts[order], scores[order]
