"""BM25 as the published evaluation runs it, quirks included."""

from __future__ import annotations

from typing import ClassVar

import bm25s
import numpy as np

from rag.retrievers.bm25 import Bm25
from rag.retrievers.terms import REFERENCE, Analyser

_FLOOR = 0.25
"""Negative inverse document frequencies become this share of the mean one (rank-bm25)."""


class Bm25Reference(Bm25):
    """BM25Okapi over sets of words: every term counts once a chunk, however often it occurs.

    Chunks without any of the query's terms are still hits, in index order.
    """

    name = "bm25_reference"
    analyser: ClassVar[Analyser] = REFERENCE
    minimum_score: ClassVar[float] = -np.inf

    def _weigh_terms(self, model: bm25s.BM25) -> None:
        """Exchange Lucene's weights for Okapi's: a floored idf, and its factor k1 + 1."""
        indptr = np.asarray(model.scores["indptr"])
        frequency = np.diff(indptr)
        n = model.scores["num_docs"]
        okapi = np.log(n - frequency + 0.5) - np.log(frequency + 0.5)
        okapi[okapi < 0] = _FLOOR * okapi.mean()
        lucene = np.log1p((n - frequency + 0.5) / (frequency + 0.5))
        factors = (self.params.k1 + 1) * okapi / lucene
        model.scores["data"] = model.scores["data"] * np.repeat(factors, frequency)
