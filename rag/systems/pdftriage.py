"""PDFTriage (Saad-Falcon et al. 2023): a document's structure is told, and asked for by tools.

The metadata of a document's tree is the first prompt; a model fetches pages, sections, tables,
figures or passages by five tools, one a turn, and then answers. Without a model, rules read off
the question which tools it asks for, and a reader answers from what they fetch.
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
from rag.systems._at_once import replies
from rag.systems._batch import BatchSystem
from rag.systems._parts import Spec, chat_of, reader_of, retriever_of
from rag.systems.triage.budget import Budget
from rag.systems.triage.conversation import Conversation
from rag.systems.triage.library import Library, nearest_documents
from rag.systems.triage.metadata import metadata
from rag.systems.triage.rules import from_metadata, plan
from rag.systems.triage.tools import Tools


class PdfTriageParams(Params):
    """``planner``: ``rules``, or ``model``: the reader's own. ``reader``: what answers.

    ``chunker``, ``retriever``, ``top_k``: of the tool ``retrieve``. ``metadata_tokens``,
    ``fetched_tokens``: of the first prompt's metadata, and of all that a question fetches.
    ``turns``: in which tools may be called. ``documents``: of several, those of which a model
    is told, the nearest to the question first.
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
    """Fetches the parts of documents that a question names, or else what a search finds."""

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

        Raises MissingDependencyError and ConfigError of what it is made of.
        """
        library = Library(documents, self._chunker, self._retriever)
        rankings = library.rank(questions)
        if self.params.planner == "rules":
            yield from self._by_rules(questions, library, rankings)
        else:
            yield from self._by_model(questions, library, rankings)

    # --- by rules ----------------------------------------------------------------------

    def _by_rules(
        self, questions: Sequence[str], library: Library, rankings: Sequence[Sequence[Hit]]
    ) -> Iterator[SystemReply]:
        read: list[int] = []
        fetched: dict[int, tuple[Budget, list[str], Counter[str]]] = {}
        for index, (question, hits) in enumerate(zip(questions, rankings, strict=True)):
            shelf = library.shelves.get(_meant(library, hits))
            said, refs = from_metadata(question, shelf) if shelf is not None else ("", ())
            if said:
                read_off = f"metadata of {shelf.name if shelf else ''}"
                answer = Answer(said, sources=refs, trace=(read_off,))
                yield SystemReply(index, Outcome(answer), {"answered_by_metadata": 1.0})
                continue
            tools = Tools(library, _found(hits), self.params.top_k)
            budget, trace, usage = Budget(self.params.fetched_tokens), list[str](), Counter[str]()
            for call in plan(question, shelf):
                result = tools.call(call.tool, call.arguments, shelf.name if shelf else "")
                trace.append(budget.take(call.tool, result).trace)
                usage.update({call.tool: 1, "tool_calls": 1})
            read.append(index)
            fetched[index] = budget, trace, usage | _fetched(budget)
        asked = [questions[index] for index in read]
        contexts = [fetched[index][0].hits() for index in read]
        for reply in self._reader.answer_many(asked, contexts):
            index = read[reply.index]
            budget, trace, usage = fetched[index]
            outcome = reply.outcome
            answer = Answer(outcome.value or "", sources=budget.sources, trace=tuple(trace))
            told = dict(usage) | dict(reply.usage)
            yield SystemReply(index, Outcome(answer, outcome.status, outcome.detail), told)

    # --- by a model --------------------------------------------------------------------

    def _by_model(
        self, questions: Sequence[str], library: Library, rankings: Sequence[Sequence[Hit]]
    ) -> Iterator[SystemReply]:
        @lru_cache(maxsize=1024)
        def told(names: tuple[str, ...]) -> tuple[str, bool]:
            shelves = [library.shelves[name] for name in names]
            return metadata(shelves, self.params.metadata_tokens, self._chat.count_tokens)

        asks = []
        for index, (question, hits) in enumerate(zip(questions, rankings, strict=True)):
            near = nearest_documents(hits) or list(library.shelves)
            names = tuple(near[: self.params.documents])
            asks.append(partial(self._converse, index, question, library, names, told))
        yield from replies(asks, self._chat.at_once)

    def _converse(
        self,
        index: int,
        question: str,
        library: Library,
        names: tuple[str, ...],
        told: Callable[[tuple[str, ...]], tuple[str, bool]],
    ) -> SystemReply:
        about, was_cut = told(names)
        tools = Tools(library, lambda query: library.rank([query])[0], self.params.top_k)
        held = Conversation(
            self._chat, tools, Budget(self.params.fetched_tokens), self.params.turns
        )
        default = library.shelves[names[0]] if names else None
        outcome = held.answer(question, about, default)
        usage = held.usage | _fetched(held.budget)
        usage["metadata_tokens"] = self._chat.count_tokens(about)
        usage["metadata_cut"] = was_cut
        return SystemReply(index, outcome, {name: float(n) for name, n in usage.items() if n})


def _meant(library: Library, hits: Sequence[Hit]) -> str:
    """The document that a question is taken to mean: the only one, or the nearest."""
    if len(library.shelves) == 1:
        return next(iter(library.shelves))
    near = nearest_documents(hits)
    return near[0] if near else ""


def _found(hits: Sequence[Hit]) -> Callable[[str], Sequence[Hit]]:
    """A search that was made before: rules ask for the question's own alone."""
    return lambda query: hits


def _fetched(budget: Budget) -> Counter[str]:
    return Counter(fetched_tokens=budget.used, fetches_cut=budget.cuts)
