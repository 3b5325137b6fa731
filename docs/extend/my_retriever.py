"""A retriever that counts common words."""

import re
from collections.abc import Sequence

import numpy as np

from ohr import Chunk, Hit
from ohr.plugins import Retriever


def words(text: str) -> set[str]:
    """The words of a text, once each."""
    return set(re.findall(r"\w+", text.lower()))


class Overlap(Retriever):
    """Ranks chunks by the share of the question's words that they have."""

    name = "overlap"
    version = "1"

    def index(self, chunks: Sequence[Chunk]) -> None:
        self._chunks = chunks
        self._words = [words(chunk.indexed_text) for chunk in chunks]

    def search_many(self, queries: Sequence[str], k: int) -> list[list[Hit]]:
        return [self._search(words(query), k) for query in queries]

    def _search(self, wanted: set[str], k: int) -> list[Hit]:
        scores = [len(wanted & has) / max(len(wanted), 1) for has in self._words]
        best = np.argsort(-np.array(scores), kind="stable")[:k]  # ties in index order
        return [self._hit(self._chunks[i], scores[i], rank) for rank, i in enumerate(best)]

    def _hit(self, chunk: Chunk, score: float, rank: int) -> Hit:
        return Hit(chunk.ref, chunk.text, score, rank, (chunk.start, chunk.end))
