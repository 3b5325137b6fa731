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
from rag.systems._prototype import Prototype, PrototypeParams, Selection

DEPTH = 30
"""Hits that each of the default retrievers contributes."""
LANGUAGES: tuple[Language, ...] = ("de", "en")


class RetrievalParams(PrototypeParams):
    """``retriever``: by default BM25 over words of the question's language and BM25 over runs of
    four characters, fused by their ranks. ``top_k``: passages shown.
    """

    retriever: Spec | None = None
    top_k: int = Field(3, ge=1, le=100)


P = TypeVar("P", bound=RetrievalParams, covariant=True, default=RetrievalParams)
Key = tuple[PageRef, int, int]


class Retrieving(Prototype[P], abstract=True):
    """Shows the best passages that a retriever finds."""

    outside_identity = Prototype.outside_identity | {"retriever"}
    n_views = 1
    """Number of indexes, each with its own view of the passages."""

    def __init__(self, params: P | None = None) -> None:
        super().__init__(params)
        self._retrievers = {
            language: [
                retriever_of(self.params.retriever or _hybrid(language), of_passages=True)
                for _ in range(self.n_views)
            ]
            for language in LANGUAGES
        }
        self.retrievers = [
            retriever for of_views in self._retrievers.values() for retriever in of_views
        ]

    def identity(self) -> dict[str, object]:
        identities = {
            language: of_views[0].identity() for language, of_views in self._retrievers.items()
        }
        same = identities["de"] == identities["en"]
        return super().identity() | {"retriever": identities["en"] if same else identities}

    @abstractmethod
    def passages(self, tree: DocumentTree) -> Iterable[Passage]:
        """The passages of a document, each with some text."""

    def select(
        self, questions: Sequence[str], trees: Sequence[DocumentTree], language: Language
    ) -> list[Selection]:
        passages = [passage for tree in trees for passage in self.passages(tree)]
        by_key = {key_of(passage): passage for passage in passages}
        rankings, usage = self.rank_passages(
            questions, passages, self._retrievers[language], language
        )
        selections = []
        for hits in rankings:
            best = [by_key[hit.ref, *hit.span] for hit in hits]
            selections.append(Selection(best, tuple(map(_trace_line, hits, best)), usage))
            usage = {}  # of the index, counted once
        return selections

    def rank_passages(
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
    """The key of a passage, as its hits have it."""
    chunk = passage.chunk
    return chunk.ref, chunk.start, chunk.end


def size_of(texts: Iterable[str]) -> dict[str, float]:
    """The size of an index in texts and characters."""
    lengths = [len(text) for text in texts]
    return {"indexed_texts": float(len(lengths)), "indexed_characters": float(sum(lengths))}


def _hybrid(language: Language) -> PluginSpec:
    words = {"name": "bm25", "params": {"terms": terms_of(language)}}
    runs = {"name": "bm25", "params": {"terms": "ngrams", "n": 4}}
    return PluginSpec(name="hybrid", params={"retrievers": [words, runs], "depth": DEPTH})


def _trace_line(hit: Hit, passage: Passage) -> str:
    """The line of a trace for a passage."""
    where = f"{hit.ref.doc_id}, page {hit.ref.page_no + 1}"
    under = f", {' > '.join(passage.headers)}" if passage.headers else ""
    return f"found: {where}{under} (score {hit.score:.4g})"
