"""PDFTriage's two baselines: a search for whole pages or chunks, up to a context's limit.

Questions are embedded beside pages or beside chunks of 100 words of each document's text, and the
most similar ones are read, best first, until the context is full (Saad-Falcon et al. 2023, 5.2).
"""

from __future__ import annotations

from abc import abstractmethod
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import accumulate
from typing import ClassVar

from pydantic import Field
from typing_extensions import TypeVar

from ohr.plugins import Params, SystemReply
from ohr.registry import PluginSpec
from ohr.types import Answer, Chunk, Document, Hit, Outcome, PageRef
from rag.chunking.token_counter import count_tokens
from rag.chunking.words import WordChunker, WordChunkerParams
from rag.systems._batch import BatchSystem
from rag.systems._frames import beginning
from rag.systems._parts import Spec, reader_of, retriever_of

_tokens = lru_cache(maxsize=65536)(count_tokens)


class ContextFillingParams(Params):
    """``context_tokens``: most tokens of a question's context, estimated."""

    reader: Spec = PluginSpec(name="extractive")
    retriever: Spec = PluginSpec(name="bm25")
    context_tokens: int = Field(4000, ge=10)


FP = TypeVar("FP", bound=ContextFillingParams, covariant=True, default=ContextFillingParams)


class ContextFilling(BatchSystem[FP], abstract=True):
    """Reads the hits of a search, best first, until the context is full; the last one is cut.

    The reader gets the hits in order of similarity, in its own prompt.
    """

    version = "2"
    of_passages: ClassVar[bool] = True
    """Whether pieces are parts of pages, or cross the ends of pages."""

    def __init__(self, params: FP | None = None) -> None:
        super().__init__(params)
        self._reader = reader_of(self.params.reader)
        self.note = self._reader.note
        self._retriever = retriever_of(self.params.retriever, of_passages=self.of_passages)
        self.retrievers = (self._retriever,)

    def identity(self) -> dict[str, object]:
        return super().identity() | {
            "params": self.params.model_dump(mode="json", exclude={"reader", "retriever"}),
            "reader": self._reader.identity(),
            "retriever": self._retriever.identity(),
        }

    @abstractmethod
    def pieces(self, document: Document) -> list[tuple[Chunk, tuple[PageRef, ...]]]:
        """The pieces of a document that are ranked, each with its pages."""

    def answer_many(
        self, questions: Sequence[str], documents: Sequence[Document]
    ) -> Iterator[SystemReply]:
        """Answers as they come. The documents are indexed once."""
        pieces = [piece for document in documents for piece in self.pieces(document)]
        pages = {(chunk.ref, chunk.start, chunk.end): refs for chunk, refs in pieces}
        self._retriever.index([chunk for chunk, _ in pieces])
        contexts = [self._fill(hits) for hits in self._rankings(questions, len(pieces))]
        for reply in self._reader.answer_many(questions, [context for context, _ in contexts]):
            context, tokens = contexts[reply.index]
            sources = dict.fromkeys(ref for hit in context for ref in pages[hit.ref, *hit.span])
            outcome = reply.outcome
            answer = Answer(outcome.value or "", sources=tuple(sources))
            usage = {"fetched_tokens": float(tokens), **reply.usage}
            result = Outcome(answer, outcome.status, outcome.detail, outcome.confidence)
            yield SystemReply(reply.index, result, usage)

    def _rankings(self, questions: Sequence[str], n_pieces: int) -> list[list[Hit]]:
        """Enough hits for each question to fill its context, or all."""
        room = self.params.context_tokens
        depth = room // 20 + 1
        rankings = self._retriever.search_many(questions, depth)
        while depth < n_pieces:
            unfilled = [
                index
                for index, hits in enumerate(rankings)
                if len(hits) == depth and sum(_tokens(hit.text) for hit in hits) < room
            ]
            if not unfilled:
                break
            depth *= 4
            deeper = self._retriever.search_many([questions[index] for index in unfilled], depth)
            for index, hits in zip(unfilled, deeper, strict=True):
                rankings[index] = hits
        return rankings

    def _fill(self, hits: Sequence[Hit]) -> tuple[list[Hit], int]:
        """The hits that fit, the last one cut, and their number of tokens."""
        context: list[Hit] = []
        room = float(self.params.context_tokens)
        for hit in hits:
            text = hit.text if _tokens(hit.text) <= room else beginning(hit.text, int(room))
            if not text and hit.text:
                break
            context.append(Hit(hit.ref, text, hit.score, hit.rank, hit.span))
            room -= _tokens(text)
            if len(text) < len(hit.text):
                break
        return context, round(self.params.context_tokens - room)


class PageRetrieval(ContextFilling[ContextFillingParams]):
    """The pages found by a search, until the context is full."""

    name = "pages"
    of_passages = False

    def pieces(self, document: Document) -> list[tuple[Chunk, tuple[PageRef, ...]]]:
        return [
            (Chunk(page.ref, 0, len(page.text), page.text), (page.ref,))
            for page in document.pages
            if page.text.strip()
        ]


class ChunkRetrievalParams(ContextFillingParams):
    """``size``: words per chunk."""

    size: int = Field(100, ge=1)


class ChunkRetrieval(ContextFilling[ChunkRetrievalParams]):
    """The chunks found by a search, until the context is full. They may cross the ends of pages.

    A chunk counts as part of the page where it begins.
    """

    name = "chunks"

    def pieces(self, document: Document) -> list[tuple[Chunk, tuple[PageRef, ...]]]:
        pages = document.pages
        text = "\n".join(page.text for page in pages)
        starts = [0, *accumulate(len(page.text) + 1 for page in pages)]
        pieces = []
        for start, end in WordChunker(WordChunkerParams(size=self.params.size)).spans(text):
            first_page, last_page = (
                bisect_right(starts, position) - 1 for position in (start, end - 1)
            )
            offset = starts[first_page]
            chunk = Chunk(pages[first_page].ref, start - offset, end - offset, text[start:end])
            pieces.append((chunk, tuple(page.ref for page in pages[first_page : last_page + 1])))
        return pieces
