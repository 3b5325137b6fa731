"""Prototypes that show the passages retrieved for a question."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Sequence

from pydantic import Field
from typing_extensions import TypeVar

from ohr.markup.outline.tree import DocumentTree
from ohr.plugins import Retriever
from ohr.registry import PluginSpec
from ohr.types import Hit, PageRef
from rag.systems._language import Language, terms_of
from rag.systems._parts import Spec, retriever_of
from rag.systems._passages import Passage
from rag.systems._prototype import Prototype, PrototypeParams, Shown

DEPTH = 30
"""Hits that each retriever contributes, unless a retriever is named."""
LANGUAGES: tuple[Language, ...] = ("de", "en")


class RetrievalParams(PrototypeParams):
    """``retriever``: by default BM25 over words of the question's language and BM25 over runs of
    four characters, fused by their ranks. ``top_k``: passages that are shown.
    """

    retriever: Spec | None = None
    top_k: int = Field(3, ge=1, le=100)


P = TypeVar("P", bound=RetrievalParams, covariant=True, default=RetrievalParams)
Key = tuple[PageRef, int, int]


class Retrieving(Prototype[P], abstract=True):
    """Shows the best passages that a retriever finds."""

    named_apart = Prototype.named_apart | {"retriever"}
    n_views = 1
    """How many indexes there are of a passage."""

    def __init__(self, params: P | None = None) -> None:
        super().__init__(params)
        self._retrievers = {
            language: [
                retriever_of(self.params.retriever or _hybrid(language), of_passages=True)
                for _ in range(self.n_views)
            ]
            for language in LANGUAGES
        }
        self.retrievers = [one for made in self._retrievers.values() for one in made]

    def identity(self) -> dict[str, object]:
        there = {language: made[0].identity() for language, made in self._retrievers.items()}
        same = there["de"] == there["en"]
        return super().identity() | {"retriever": there["en"] if same else there}

    @abstractmethod
    def passages(self, tree: DocumentTree) -> Iterable[Passage]:
        """What a document is cut into; each with some text."""

    def shown(
        self, questions: Sequence[str], trees: Sequence[DocumentTree], language: Language
    ) -> list[Shown]:
        passages = [passage for tree in trees for passage in self.passages(tree)]
        by_key = {key_of(passage): passage for passage in passages}
        rankings, usage = self.ranked(questions, passages, self._retrievers[language], language)
        shown = []
        for hits in rankings:
            found = [by_key[hit.ref, *hit.span] for hit in hits]
            shown.append(Shown(found, tuple(map(_line, hits, found)), usage))
            usage = {}  # of the index, which is there once
        return shown

    def ranked(
        self,
        questions: Sequence[str],
        passages: Sequence[Passage],
        retrievers: Sequence[Retriever],
        language: Language,
    ) -> tuple[list[list[Hit]], dict[str, float]]:
        """The best passages for each question, and the size of the index."""
        [retriever] = retrievers
        chunks = [passage.chunk for passage in passages]
        retriever.index(chunks)
        return retriever.search_many(questions, self.params.top_k), size_of(
            chunk.indexed_text for chunk in chunks
        )


def key_of(passage: Passage) -> Key:
    """What hits name a passage by."""
    chunk = passage.chunk
    return chunk.ref, chunk.start, chunk.end


def size_of(texts: Iterable[str]) -> dict[str, float]:
    """What an index is of: so many texts of so many characters."""
    lengths = [len(text) for text in texts]
    return {"indexed_texts": float(len(lengths)), "indexed_characters": float(sum(lengths))}


def _hybrid(language: Language) -> PluginSpec:
    words = {"name": "bm25", "params": {"terms": terms_of(language)}}
    runs = {"name": "bm25", "params": {"terms": "ngrams", "n": 4}}
    return PluginSpec(name="hybrid", params={"retrievers": [words, runs], "depth": DEPTH})


def _line(hit: Hit, passage: Passage) -> str:
    """What a trace says of a passage that was found."""
    where = f"{hit.ref.doc_id}, page {hit.ref.page_no + 1}"
    under = f", {' > '.join(passage.headers)}" if passage.headers else ""
    return f"found: {where}{under} (score {hit.score:.4g})"
