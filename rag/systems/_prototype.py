"""Shared by the prototypes P0 to P4: from the passages that each selects to an answer with its
quote, page and headers.
"""

from __future__ import annotations

import time
from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar, Literal

from pydantic import Field
from typing_extensions import TypeVar

from ohr.markup.outline.read import document_tree
from ohr.markup.outline.tree import DocumentTree
from ohr.plugins import Chat, Params, SystemReply
from ohr.registry import PluginSpec
from ohr.types import Answer, Document, Outcome, PageRef, Status
from rag.chunking.token_counter import count_tokens
from rag.systems._batch import BatchSystem
from rag.systems._language import Language, languages_of
from rag.systems._model_answers import ask_model
from rag.systems._parts import Spec, reader_of
from rag.systems._passages import Passage, Piece
from rag.systems._quotes import find_quote


class PrototypeParams(Params):
    """``reader``: a language model gives its answer, quote, page and headers in JSON; for any other
    reader's answer they are looked up in its passages. ``language``: of stop words and stems;
    ``auto`` is the question's, or else that of the pages. ``temperature``, ``seed`` and
    ``max_answer_tokens``: for the answers of a language model.
    """

    reader: Spec = PluginSpec(name="extractive")
    language: Literal["auto", "en", "de"] = "auto"
    temperature: float = Field(0.0, ge=0, le=2)
    seed: int = Field(0, ge=0)
    max_answer_tokens: int = Field(512, ge=16)


P = TypeVar("P", bound=PrototypeParams, covariant=True, default=PrototypeParams)


@dataclass(frozen=True)
class Selection:
    """What is shown for a question: passages, best first, how they were found, and the cost."""

    passages: Sequence[Passage]
    trace: tuple[str, ...] = ()
    usage: Mapping[str, float] = field(default_factory=dict)


class Prototype(BatchSystem[P], abstract=True):
    """A system that shows passages to a reader and answers with a quote and its place."""

    version = "5"
    outside_identity: ClassVar[frozenset[str]] = frozenset({"reader", "temperature", "seed"})
    """Parameters that the identity covers in another way."""

    def __init__(self, params: P | None = None) -> None:
        super().__init__(params)
        self._reader = reader_of(self.params.reader)
        self.note = self._reader.note

    def identity(self) -> dict[str, object]:
        """With the identities of its parts. Parameters of language models count only with one."""
        excluded = set(self.outside_identity)
        if not isinstance(self._reader, Chat):
            excluded.add("max_answer_tokens")
        params = self.params.model_dump(mode="json", exclude=excluded)
        sampling: dict[str, object] = {}
        if isinstance(self._reader, Chat) and self.params.temperature > 0:
            sampling = {"temperature": self.params.temperature, "seed": self.params.seed}
        parts = {"reader": self._reader.identity(), **sampling}
        return super().identity() | {"params": params, "parts": parts}

    @abstractmethod
    def select(
        self, questions: Sequence[str], trees: Sequence[DocumentTree], language: Language
    ) -> list[Selection]:
        """The passages for each question. All questions are in ``language``, and there is text."""

    def trees(self, documents: Sequence[Document]) -> list[DocumentTree]:
        """The documents with their headings, as this prototype reads them."""
        return [document_tree(document) for document in documents]

    def answer_many(
        self, questions: Sequence[str], documents: Sequence[Document]
    ) -> Iterator[SystemReply]:
        """Answers, language by language; the documents are indexed once per language."""
        started = time.process_time()
        readable = [
            document for document in documents if any(page.text.strip() for page in document.pages)
        ]
        if not readable:
            for index in range(len(questions)):
                yield SystemReply(index, Outcome(None, Status.EMPTY, "nothing to read"))
            return
        trees = self.trees(readable)
        page_texts = (page.text for document in readable for page in document.pages)
        languages = languages_of(questions, page_texts)
        if self.params.language != "auto":
            languages = [self.params.language] * len(questions)
        for language in sorted(set(languages)):
            indices = [
                position for position, detected in enumerate(languages) if detected == language
            ]
            texts = [questions[position] for position in indices]
            selections = self.select(texts, trees, language)
            index_cost = {"index_s": time.process_time() - started}
            for reply in self._answers(texts, selections, language):
                yield SystemReply(
                    indices[reply.index], reply.outcome, {**reply.usage, **index_cost}
                )
                index_cost = {}
            started = time.process_time()

    def _answers(
        self, questions: Sequence[str], selections: Sequence[Selection], language: Language
    ) -> Iterator[SystemReply]:
        tokens = _Tokens()
        if isinstance(self._reader, Chat):
            replies = ask_model(
                self._reader,
                questions,
                [selection.passages for selection in selections],
                self.params.temperature,
                self.params.seed,
                self.params.max_answer_tokens,
            )
        else:
            replies = self._answers_with_quotes(questions, selections, language)
        answer_started = time.process_time()
        for reply in replies:
            selection = selections[reply.index]
            usage = {
                **selection.usage,
                **reply.usage,
                "context_tokens": tokens.count(selection.passages),
            }
            usage["answer_s"] = time.process_time() - answer_started
            outcome = reply.outcome
            if outcome.value is not None:
                answer = Answer(
                    outcome.value.text,
                    outcome.value.quote,
                    outcome.value.sources,
                    (*selection.trace, *outcome.value.trace),
                    outcome.value.headers,
                )
                outcome = replace(outcome, value=answer)
            yield SystemReply(reply.index, outcome, usage)
            answer_started = time.process_time()

    def _answers_with_quotes(
        self, questions: Sequence[str], selections: Sequence[Selection], language: Language
    ) -> Iterator[SystemReply]:
        """A reader's answers, each with the sentence or row that supports it, and its place."""
        pieces = [
            [piece for passage in selection.passages for piece in passage.pieces]
            for selection in selections
        ]
        # Readers cache pieces, so questions with the same pieces follow one another.
        order = sorted(range(len(pieces)), key=lambda position: _position(pieces[position]))
        hits = [[piece.hit for piece in pieces[position]] for position in order]
        for reply in self._reader.answer_many([questions[position] for position in order], hits):
            position, outcome = order[reply.index], reply.outcome
            if outcome.value is None:
                missing: Outcome[Answer] = Outcome(None, outcome.status, outcome.detail)
                yield SystemReply(position, missing, reply.usage)
                continue
            quote = find_quote(questions[position], outcome.value, pieces[position], language)
            answer = Answer(outcome.value)
            if quote is not None:
                path = quote.piece.path_at(quote.at)
                answer = Answer(outcome.value, quote.text, (quote.piece.ref,), (), path)
            result = Outcome(answer, outcome.status, outcome.detail, outcome.confidence)
            yield SystemReply(position, result, reply.usage)


def _position(pieces: Sequence[Piece]) -> list[tuple[PageRef, int]]:
    return [(piece.ref, piece.start) for piece in pieces[:3]]


class _Tokens:
    """Estimated tokens of passages, each counted once."""

    def __init__(self) -> None:
        self._counts: dict[tuple[object, int, int], float] = {}

    def count(self, passages: Sequence[Passage]) -> float:
        total = 0.0
        for passage in passages:
            for piece in passage.pieces:
                key = (piece.ref, piece.start, len(piece.text))
                if key not in self._counts:
                    self._counts[key] = count_tokens(piece.text)
                total += self._counts[key]
        return float(round(total))
