"""A retriever that counts the words that question and chunk share."""

import re
from collections.abc import Sequence

import numpy as np

import ohr


def words(text: str) -> set[str]:
    """The words of a text, once each."""
    return set(re.findall(r"\w+", text.lower()))


class Overlap(ohr.plugins.Retriever):
    """Ranks chunks by the share of the question's words that they have."""

    name = "overlap"

    def index(self, chunks: Sequence[ohr.Chunk]) -> None:
        self._chunks = chunks
        self._words = [words(chunk.indexed_text) for chunk in chunks]

    def search(self, query: str, k: int) -> list[ohr.Hit]:
        query_words = words(query)
        scores = [len(query_words & has) / max(len(query_words), 1) for has in self._words]
        best = np.argsort(-np.array(scores), kind="stable")[:k]  # ties in index order
        hits = [(self._chunks[i], scores[i], rank) for rank, i in enumerate(best)]
        return [ohr.Hit(c.ref, c.text, score, rank, (c.start, c.end)) for c, score, rank in hits]
