"""What the prototypes P0 to P4 share: from the passages that each chooses to an answer with its
quote, page and headers.
"""

from __future__ import annotations

import time
from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar, Literal

from pydantic import Field
from typing_extensions import TypeVar

from ohr.markup.outline.read import document_tree
from ohr.markup.outline.tree import DocumentTree
from ohr.plugins import Chat, Params, SystemReply
from ohr.registry import PluginSpec
from ohr.types import Answer, Document, Outcome, PageRef, Status
from rag.chunking.token_counter import count_tokens
from rag.systems._asking import asked_of_model
from rag.systems._batch import BatchSystem
from rag.systems._language import Language, languages_of
from rag.systems._parts import Spec, reader_of
from rag.systems._passages import Passage, Piece
from rag.systems._quotes import find_quote


class PrototypeParams(Params):
    """``reader``: a language model gives its answer, quote, page and headers in JSON; of any
    other reader's answer they are looked up in what it was shown. ``language``: of stop words and
    stems; ``auto`` is the question's, or else that of the pages. ``temperature`` and ``seed``: of
    a model's answers; ``max_answer_tokens``: the longest one.
    """

    reader: Spec = PluginSpec(name="extractive")
    language: Literal["auto", "en", "de"] = "auto"
    temperature: float = Field(0.0, ge=0, le=2)
    seed: int = Field(0, ge=0)
    max_answer_tokens: int = Field(512, ge=16)


P = TypeVar("P", bound=PrototypeParams, covariant=True, default=PrototypeParams)


@dataclass(frozen=True)
class Shown:
    """What is shown for a question: passages, best first, how they were found, what that took."""

    passages: Sequence[Passage]
    trace: tuple[str, ...] = ()
    usage: Mapping[str, float] = field(default_factory=dict)


class Prototype(BatchSystem[P], abstract=True):
    """A system that shows passages to a reader and answers with a quote and where it stands."""

    version = "5"
    named_apart: ClassVar[frozenset[str]] = frozenset({"reader", "temperature", "seed"})
    """Parameters that stand in the identity in another way."""

    def __init__(self, params: P | None = None) -> None:
        super().__init__(params)
        self._reader = reader_of(self.params.reader)
        self.note = self._reader.note

    def identity(self) -> dict[str, object]:
        """With the identities of its parts. What only a model heeds is of no other reader's."""
        excluded = set(self.named_apart)
        if not isinstance(self._reader, Chat):
            excluded.add("max_answer_tokens")
        params = self.params.model_dump(mode="json", exclude=excluded)
        drawn: dict[str, object] = {}
        if isinstance(self._reader, Chat) and self.params.temperature > 0:
            drawn = {"temperature": self.params.temperature, "seed": self.params.seed}
        parts = {"reader": self._reader.identity(), **drawn}
        return super().identity() | {"params": params, "parts": parts}

    @abstractmethod
    def shown(
        self, questions: Sequence[str], trees: Sequence[DocumentTree], language: Language
    ) -> list[Shown]:
        """The passages for each question, all in one language, over documents that have text."""

    def trees(self, documents: Sequence[Document]) -> list[DocumentTree]:
        """The documents with their headings, as this prototype reads them."""
        return [document_tree(document) for document in documents]

    def answer_many(
        self, questions: Sequence[str], documents: Sequence[Document]
    ) -> Iterator[SystemReply]:
        """Answers by language, over documents that are read and indexed once for each."""
        started = time.process_time()
        there = [one for one in documents if any(page.text.strip() for page in one.pages)]
        if not there:
            for index in range(len(questions)):
                yield SystemReply(index, Outcome(None, Status.EMPTY, "nothing to read"))
            return
        trees = self.trees(there)
        texts_there = (page.text for one in there for page in one.pages)
        languages = languages_of(questions, texts_there)
        if self.params.language != "auto":
            languages = [self.params.language] * len(questions)
        for language in sorted(set(languages)):
            places = [at for at, one in enumerate(languages) if one == language]
            texts = [questions[at] for at in places]
            shown = self.shown(texts, trees, language)
            took = {"index_s": time.process_time() - started}
            for reply in self._answers(texts, shown, language):
                yield SystemReply(places[reply.index], reply.outcome, {**reply.usage, **took})
                took = {}
            started = time.process_time()

    def _answers(
        self, questions: Sequence[str], shown: Sequence[Shown], language: Language
    ) -> Iterator[SystemReply]:
        tokens = _Tokens()
        if isinstance(self._reader, Chat):
            replies = asked_of_model(
                self._reader,
                questions,
                [one.passages for one in shown],
                self.params.temperature,
                self.params.seed,
                self.params.max_answer_tokens,
            )
        else:
            replies = self._looked_up(questions, shown, language)
        begun = time.process_time()
        for reply in replies:
            what = shown[reply.index]
            usage = {**what.usage, **reply.usage, "context_tokens": tokens.of(what.passages)}
            usage["answer_s"] = time.process_time() - begun
            outcome = reply.outcome
            if outcome.value is not None:
                told = Answer(
                    outcome.value.text,
                    outcome.value.quote,
                    outcome.value.sources,
                    (*what.trace, *outcome.value.trace),
                    outcome.value.headers,
                )
                outcome = Outcome(told, outcome.status, outcome.detail)
            yield SystemReply(reply.index, outcome, usage)
            begun = time.process_time()

    def _looked_up(
        self, questions: Sequence[str], shown: Sequence[Shown], language: Language
    ) -> Iterator[SystemReply]:
        """A reader's answers, each with the sentence or row that holds it and where that stands."""
        pieces = [[piece for passage in one.passages for piece in passage.pieces] for one in shown]
        # What readers keep of the pieces of one question serves the next.
        order = sorted(range(len(pieces)), key=lambda at: _place(pieces[at]))
        hits = [[piece.hit for piece in pieces[at]] for at in order]
        for reply in self._reader.answer_many([questions[at] for at in order], hits):
            at, said = order[reply.index], reply.outcome
            if said.value is None:
                missing: Outcome[Answer] = Outcome(None, said.status, said.detail)
                yield SystemReply(at, missing, reply.usage)
                continue
            found = find_quote(questions[at], said.value, pieces[at], language)
            answer = Answer(said.value)
            if found is not None:
                path = found.piece.path_at(found.at)
                answer = Answer(said.value, found.text, (found.piece.ref,), (), path)
            yield SystemReply(at, Outcome(answer, said.status, said.detail), reply.usage)


def _place(pieces: Sequence[Piece]) -> list[tuple[PageRef, int]]:
    return [(piece.ref, piece.start) for piece in pieces[:3]]


class _Tokens:
    """Estimated tokens of passages, each counted once."""

    def __init__(self) -> None:
        self._known: dict[tuple[object, int, int], float] = {}

    def of(self, passages: Sequence[Passage]) -> float:
        total = 0.0
        for passage in passages:
            for piece in passage.pieces:
                key = (piece.ref, piece.start, len(piece.text))
                if key not in self._known:
                    self._known[key] = count_tokens(piece.text)
                total += self._known[key]
        return float(round(total))
