"""PDFTriage's two baselines: what a search finds, whole pages or chunks, up to a context's limit.

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


class FilledParams(Params):
    """``context_tokens``: estimated tokens that a question's context may have."""

    reader: Spec = PluginSpec(name="extractive")
    retriever: Spec = PluginSpec(name="bm25")
    context_tokens: int = Field(4000, ge=10)


FP = TypeVar("FP", bound=FilledParams, covariant=True, default=FilledParams)


class Filled(BatchSystem[FP], abstract=True):
    """Reads what a search finds, best first, until the context is full; what does not fit is cut.

    The text is given whole and in order of similarity, by the reader's own prompt.
    """

    version = "2"
    of_passages: ClassVar[bool] = True
    """Whether pieces are less than pages, or run over their ends."""

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
        """What is ranked of a document, each with the pages that it is from."""

    def answer_many(
        self, questions: Sequence[str], documents: Sequence[Document]
    ) -> Iterator[SystemReply]:
        """Answers as the reader gives them. The documents are indexed once."""
        pieces = [piece for document in documents for piece in self.pieces(document)]
        pages = {(chunk.ref, chunk.start, chunk.end): refs for chunk, refs in pieces}
        self._retriever.index([chunk for chunk, _ in pieces])
        contexts = [self._filled(hits) for hits in self._rankings(questions, len(pieces))]
        for reply in self._reader.answer_many(questions, [context for context, _ in contexts]):
            context, tokens = contexts[reply.index]
            sources = dict.fromkeys(r for hit in context for r in pages[hit.ref, *hit.span])
            found = reply.outcome
            answer = Answer(found.value or "", sources=tuple(sources))
            usage = {"fetched_tokens": float(tokens), **reply.usage}
            yield SystemReply(reply.index, Outcome(answer, found.status, found.detail), usage)

    def _rankings(self, questions: Sequence[str], n_pieces: int) -> list[list[Hit]]:
        """As many hits for each question as fill its context, or all there are."""
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
            deeper = self._retriever.search_many([questions[i] for i in unfilled], depth)
            for index, hits in zip(unfilled, deeper, strict=True):
                rankings[index] = hits
        return rankings

    def _filled(self, hits: Sequence[Hit]) -> tuple[list[Hit], int]:
        """The hits that fit, the last one cut, and how many tokens they have."""
        context: list[Hit] = []
        left = float(self.params.context_tokens)
        for hit in hits:
            text = hit.text if _tokens(hit.text) <= left else beginning(hit.text, int(left))
            if not text and hit.text:
                break
            context.append(Hit(hit.ref, text, hit.score, hit.rank, hit.span))
            left -= _tokens(text)
            if len(text) < len(hit.text):
                break
        return context, round(self.params.context_tokens - left)


class PageRetrieval(Filled[FilledParams]):
    """The pages that a search finds, until the context is full."""

    name = "pages"
    of_passages = False

    def pieces(self, document: Document) -> list[tuple[Chunk, tuple[PageRef, ...]]]:
        return [
            (Chunk(page.ref, 0, len(page.text), page.text), (page.ref,))
            for page in document.pages
            if page.text.strip()
        ]


class ChunkRetrievalParams(FilledParams):
    """``size``: words a chunk."""

    size: int = Field(100, ge=1)


class ChunkRetrieval(Filled[ChunkRetrievalParams]):
    """The chunks that a search finds, until the context is full. They run over pages' ends.

    A chunk's own page is the one where it begins.
    """

    name = "chunks"

    def pieces(self, document: Document) -> list[tuple[Chunk, tuple[PageRef, ...]]]:
        pages = document.pages
        text = "\n".join(page.text for page in pages)
        starts = [0, *accumulate(len(page.text) + 1 for page in pages)]
        found = []
        for start, end in WordChunker(WordChunkerParams(size=self.params.size)).spans(text):
            first, last = (bisect_right(starts, at) - 1 for at in (start, end - 1))
            offset = starts[first]
            chunk = Chunk(pages[first].ref, start - offset, end - offset, text[start:end])
            found.append((chunk, tuple(page.ref for page in pages[first : last + 1])))
        return found
