"""BM25 as in the published evaluation, including its quirks."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from pydantic import Field

from ohr.plugins import Params
from rag.retrievers.bm25 import LIBRARIES, Bm25

if TYPE_CHECKING:
    from rag.retrievers.terms import Analyser

_FLOOR = 0.25
"""Negative inverse document frequencies become this share of the mean one (rank-bm25)."""


class Bm25ReferenceParams(Params):
    """Saturation ``k1`` and length normalisation ``b``."""

    k1: float = Field(default=1.5, ge=0)
    b: float = Field(default=0.75, ge=0, le=1)


class Bm25Reference(Bm25):
    """BM25Okapi over sets of words: every term counts once per chunk, however often it occurs.

    Chunks without any of the query's terms are still hits, in index order.
    """

    name = "bm25_reference"
    version = f"5+{LIBRARIES}"
    Params = Bm25ReferenceParams
    only_matches: ClassVar[bool] = False

    @property
    def formula(self) -> tuple[str, float]:
        return "lucene", 0.0

    @property
    def analyser(self) -> Analyser:
        from rag.retrievers.terms import REFERENCE

        return REFERENCE

    def _factors(self, frequency: np.ndarray, texts: int) -> np.ndarray:
        """Exchange Lucene's weights for Okapi's: a floored idf, and its factor k1 + 1."""
        okapi = np.log(texts - frequency + 0.5) - np.log(frequency + 0.5)
        # An exact sum, since the order of terms differs between processes.
        okapi[okapi < 0] = _FLOOR * math.fsum(okapi) / len(okapi)
        lucene = np.log1p((texts - frequency + 0.5) / (frequency + 0.5))
        return np.asarray((self.params.k1 + 1) * okapi / lucene)
