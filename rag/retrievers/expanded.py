"""Another retriever, whose questions also have words that look like theirs."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from pydantic import Field
from rapidfuzz import process
from rapidfuzz.distance import Levenshtein

from ohr.plugins import Params, Retriever
from ohr.plugins.retriever import LeftOut
from ohr.registry import PluginSpec
from ohr.store.artefacts import ArtefactStore
from ohr.types import Chunk, Hit
from rag.retrievers._nested import Spec, create

_WORD = re.compile(r"[^\W\d_]+")


class ExpandedParams(Params):
    """``retriever``: the one that searches. ``shortest``: words with fewer letters are not
    expanded. ``edits``: most letters by which a look-alike differs. ``most``: most look-alikes of
    a word. ``rarest``: only words that at most this share of the chunks has are expanded, since a
    frequent word was read well.
    """

    retriever: Spec = PluginSpec(name="bm25")
    shortest: int = Field(5, ge=2)
    edits: int = Field(1, ge=1, le=3)
    most: int = Field(3, ge=1, le=100)
    rarest: float = Field(0.01, ge=0, le=1)


class Expanded(Retriever[ExpandedParams]):
    """Adds to each rare word of a question those words of the chunks that look like it.

    Words with digits are not expanded: another number is another thing.
    """

    name = "expanded"

    def __init__(self, params: ExpandedParams | None = None) -> None:
        super().__init__(params)
        self._inner = create(self.params.retriever)
        self.whole_pages = self._inner.whole_pages
        self.reads_sections = self._inner.reads_sections
        self.splits = self._inner.splits
        self._counts: Counter[str] = Counter()
        self._rare: list[str] = []
        self._chunks = 0
        self._expansions: dict[str, tuple[str, ...]] = {}

    def identity(self) -> dict[str, object]:
        return super().identity() | {"retriever": self._inner.identity()}

    def use_store(self, store: ArtefactStore) -> None:
        self._inner.use_store(store)

    def index(self, chunks: Sequence[Chunk]) -> None:
        self._inner.index(chunks)
        self._chunks, self._expansions = len(chunks), {}
        self._counts = Counter(
            word for chunk in chunks for word in set(words_of(chunk.indexed_text))
        )
        self._rare = sorted(word for word in self._counts if self._is_rare(word))

    def search_many(self, queries: Sequence[str], k: int) -> list[list[Hit]]:
        return self._inner.search_many([self.expanded(query) for query in queries], k)

    def left_out(self) -> LeftOut:
        return self._inner.left_out()

    def expanded(self, query: str) -> str:
        """The query, and the look-alikes of its rare words."""
        added = [other for word in dict.fromkeys(words_of(query)) for other in self._alike(word)]
        return " ".join([query, *dict.fromkeys(added)])

    def _is_rare(self, word: str) -> bool:
        frequent = self._counts[word] > max(1.0, self.params.rarest * self._chunks)
        return len(word) >= self.params.shortest - self.params.edits and not frequent

    def _alike(self, word: str) -> tuple[str, ...]:
        if len(word) < self.params.shortest or not self._is_rare(word):
            return ()
        if word not in self._expansions:
            matches = process.extract(
                word,
                self._rare,
                scorer=Levenshtein.distance,
                processor=None,
                limit=self.params.most + 1,
                score_cutoff=self.params.edits,
            )
            alike = [other for other, _, _ in matches if other != word]
            self._expansions[word] = tuple(alike[: self.params.most])
        return self._expansions[word]


def words_of(text: str) -> list[str]:
    """Words of letters alone, in lower case."""
    return [match[0].lower() for match in _WORD.finditer(text)]
