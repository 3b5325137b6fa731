"""PDFTriage (Saad-Falcon et al. 2023): a model sees a document's structure and fetches its parts.

The first prompt has the metadata of a document's tree; a model fetches pages, sections, tables,
figures or passages by five tools, one per turn, and then answers. Without a model, rules choose
the tools from the words of the question, and a reader answers from what they fetch.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache, partial
from typing import Literal

from pydantic import Field

from ohr import registry
from ohr.plugins import Chat, Params, SystemReply
from ohr.registry import PluginSpec
from ohr.types import Answer, Document, Hit, Outcome
from rag.systems._at_once import run_calls
from rag.systems._batch import BatchSystem
from rag.systems._parts import Spec, chat_of, reader_of, retriever_of
from rag.systems.triage.budget import Budget
from rag.systems.triage.conversation import Conversation
from rag.systems.triage.library import Library, nearest_documents
from rag.systems.triage.metadata import metadata
from rag.systems.triage.rules import answer_from_metadata, plan
from rag.systems.triage.tools import Tools


class PdfTriageParams(Params):
    """``planner``: ``rules``, or ``model``, which is the reader's. ``reader``: gives the answer.

    ``chunker``, ``retriever``, ``top_k``: of the tool ``retrieve``. ``metadata_tokens``,
    ``fetched_tokens``: most tokens of the first prompt's metadata, and of all text fetched for a
    question. ``turns``: turns in which tools may be called. ``documents``: how many documents a
    model sees, those nearest to the question first.
    """

    planner: Literal["rules", "model"] = "rules"
    reader: Spec = PluginSpec(name="extractive")
    retriever: Spec = PluginSpec(name="bm25")
    chunker: Spec = PluginSpec(name="words")
    top_k: int = Field(5, ge=1, le=50)
    metadata_tokens: int = Field(4000, ge=100)
    fetched_tokens: int = Field(4000, ge=100)
    turns: int = Field(4, ge=1, le=20)
    documents: int = Field(3, ge=1, le=50)


class PdfTriage(BatchSystem[PdfTriageParams]):
    """Fetches the parts of documents that a question names, or else the hits of a search."""

    name = "pdftriage"
    version = "4"

    def __init__(self, params: PdfTriageParams | None = None) -> None:
        super().__init__(params)
        self._reader = reader_of(self.params.reader)
        self.note = self._reader.note
        self._retriever = retriever_of(self.params.retriever)
        self.retrievers = (self._retriever,)
        self._chunker = registry.create("chunker", self.params.chunker)
        if self.params.planner == "model":
            self._chat: Chat = chat_of(self.params.reader)

    def identity(self) -> dict[str, object]:
        parts = {"reader", "retriever", "chunker"}
        return super().identity() | {
            "params": self.params.model_dump(mode="json", exclude=parts),
            "reader": self._reader.identity(),
            "retriever": self._retriever.identity(),
            "chunker": self._chunker.identity(),
        }

    def answer_many(
        self, questions: Sequence[str], documents: Sequence[Document]
    ) -> Iterator[SystemReply]:
        """Answers as they come. The documents are indexed once.

        Raises MissingDependencyError and ConfigError of its parts.
        """
        library = Library(documents, self._chunker, self._retriever)
        rankings = library.rank(questions)
        if self.params.planner == "rules":
            yield from self._answer_by_rules(questions, library, rankings)
        else:
            yield from self._answer_by_model(questions, library, rankings)

    # --- by rules ----------------------------------------------------------------------

    def _answer_by_rules(
        self, questions: Sequence[str], library: Library, rankings: Sequence[Sequence[Hit]]
    ) -> Iterator[SystemReply]:
        pending: list[int] = []
        fetched: dict[int, tuple[Budget, list[str], Counter[str]]] = {}
        for index, (question, hits) in enumerate(zip(questions, rankings, strict=True)):
            shelf = library.shelves.get(_likeliest_document(library, hits))
            text, refs = answer_from_metadata(question, shelf) if shelf is not None else ("", ())
            if text:
                source = f"metadata of {shelf.name if shelf else ''}"
                answer = Answer(text, sources=refs, trace=(source,))
                yield SystemReply(index, Outcome(answer), {"answered_by_metadata": 1.0})
                continue
            tools = Tools(library, _fixed_search(hits), self.params.top_k)
            budget, trace, usage = Budget(self.params.fetched_tokens), list[str](), Counter[str]()
            for call in plan(question, shelf):
                result = tools.call(call.tool, call.arguments, shelf.name if shelf else "")
                trace.append(budget.take(call.tool, result).trace)
                usage.update({call.tool: 1, "tool_calls": 1})
            pending.append(index)
            fetched[index] = budget, trace, usage | _budget_usage(budget)
        pending_questions = [questions[index] for index in pending]
        contexts = [fetched[index][0].hits() for index in pending]
        for reply in self._reader.answer_many(pending_questions, contexts):
            index = pending[reply.index]
            budget, trace, usage = fetched[index]
            outcome = reply.outcome
            answer = Answer(outcome.value or "", sources=budget.sources, trace=tuple(trace))
            total = dict(usage) | dict(reply.usage)
            final = Outcome(answer, outcome.status, outcome.detail, outcome.confidence)
            yield SystemReply(index, final, total)

    # --- by a model --------------------------------------------------------------------

    def _answer_by_model(
        self, questions: Sequence[str], library: Library, rankings: Sequence[Sequence[Hit]]
    ) -> Iterator[SystemReply]:
        @lru_cache(maxsize=1024)
        def describe(names: tuple[str, ...]) -> tuple[str, bool]:
            shelves = [library.shelves[name] for name in names]
            return metadata(shelves, self.params.metadata_tokens, self._chat.count_tokens)

        calls = []
        for index, (question, hits) in enumerate(zip(questions, rankings, strict=True)):
            nearest = nearest_documents(hits) or list(library.shelves)
            names = tuple(nearest[: self.params.documents])
            calls.append(partial(self._converse, index, question, library, names, describe))
        yield from run_calls(calls, self._chat.at_once)

    def _converse(
        self,
        index: int,
        question: str,
        library: Library,
        names: tuple[str, ...],
        describe: Callable[[tuple[str, ...]], tuple[str, bool]],
    ) -> SystemReply:
        description, was_cut = describe(names)
        tools = Tools(library, lambda query: library.rank([query])[0], self.params.top_k)
        conversation = Conversation(
            self._chat, tools, Budget(self.params.fetched_tokens), self.params.turns
        )
        default = library.shelves[names[0]] if names else None
        outcome = conversation.answer(question, description, default)
        usage = conversation.usage | _budget_usage(conversation.budget)
        usage["metadata_tokens"] = self._chat.count_tokens(description)
        usage["metadata_cut"] = was_cut
        return SystemReply(index, outcome, {name: float(n) for name, n in usage.items() if n})


def _likeliest_document(library: Library, hits: Sequence[Hit]) -> str:
    """The document that a question is about: the only one, or the nearest."""
    if len(library.shelves) == 1:
        return next(iter(library.shelves))
    nearest = nearest_documents(hits)
    return nearest[0] if nearest else ""


def _fixed_search(hits: Sequence[Hit]) -> Callable[[str], Sequence[Hit]]:
    """A search with known hits: rules only search for the question itself."""
    return lambda query: hits


def _budget_usage(budget: Budget) -> Counter[str]:
    return Counter(fetched_tokens=budget.used, fetches_cut=budget.cuts)
