"""BM25 that does not index HTML tags: what tags as index terms cost retrieval.

In a study: ``"retrievers=[bm25,{name: benchmarks._untagged_bm25.UntaggedBm25, label: no tags}]"``.
"""

from __future__ import annotations

import re

import numpy as np

from ohr.store.text_cache import TextCache
from rag.retrievers.bm25 import Bm25
from rag.retrievers.terms import Analyser

_TAG = re.compile(r"</?[a-zA-Z][^<>]*>")


class _Untagged:
    def __init__(self, inner: Analyser) -> None:
        self.ids: TextCache[np.ndarray] = TextCache(
            lambda texts: inner.ids.many([_TAG.sub(" ", text) for text in texts])
        )
        """Ids of the terms that are not in tags: int64, at least 0."""


class UntaggedBm25(Bm25):
    """``bm25`` whose terms leave out HTML tags. The text of its hits keeps them."""

    name = "untagged_bm25"

    @property
    def analyser(self) -> Analyser:
        return _Untagged(super().analyser)
