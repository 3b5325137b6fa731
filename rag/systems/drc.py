"""Detect, retrieve, comprehend: McDonald et al., "Detect, Retrieve, Comprehend: A Flexible
Framework for Zero-Shot Document-Level Question Answering" (2022).

Detection is done by the engine (``structured`` with a layout model and ``keep``). The remaining
paragraphs and captions of the pages are ranked (section 2.4), and the reader reads the best
passages one by one (2.5, 4.4).
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Literal

from pydantic import Field

from ohr.metrics.refusal import refused
from ohr.plugins import Params, Reply, SystemReply
from ohr.registry import PluginSpec
from ohr.types import Answer, Document, Hit, Outcome, Status
from rag.systems._batch import BatchSystem
from rag.systems._drc_passages import LONGEST, passages
from rag.systems._parts import Spec, reader_of, retriever_of

__all__ = ["BM25", "Drc", "DrcParams", "best_answer", "passages"]

BM25 = PluginSpec(name="bm25", params={"k1": 0.9, "b": 0.4})
"""Section 3.3: Pyserini's own parameters."""
NO_PASSAGE = "no passage was found"


class DrcParams(Params):
    """``retriever``: also ``dpr``, or ``rerank`` with a cross-encoder. ``reader``: for UnifiedQA,
    ``transformers`` with its ``prompt: unifiedqa``.

    ``top_k``: passages that are read. ``reading``: ``each`` passage alone, after which the answers
    vote, with weight 1/r for rank r; or all ``joined`` as one context. ``tables``: whether tables
    are passages too. ``longest``: most words of a passage.
    """

    retriever: Spec = BM25
    reader: Spec = PluginSpec(name="extractive")
    top_k: int = Field(default=1, ge=1, le=1000)
    reading: Literal["each", "joined"] = "each"
    tables: bool = False
    longest: int = Field(default=LONGEST, ge=10)


class Drc(BatchSystem[DrcParams]):
    """Paragraphs and captions, ranked, and read one by one.

    The quote is the passage with the answer. Each line of the trace is a passage that was read, as
    JSON: ``rank`` from 1, ``document``, ``page`` from 0, ``score``, ``answer``,
    ``status``.
    """

    name = "drc"
    version = "3"

    def __init__(self, params: DrcParams | None = None) -> None:
        super().__init__(params or DrcParams())
        self._retriever = retriever_of(self.params.retriever)
        self.retrievers = (self._retriever,)
        self._reader = reader_of(self.params.reader)
        self.note = self._reader.note
        self._indexed: Sequence[Document] | None = None

    def identity(self) -> dict[str, object]:
        params = self.params.model_dump(mode="json", exclude={"retriever", "reader"})
        return super().identity() | {
            "params": params,
            "retriever": self._retriever.identity(),
            "reader": self._reader.identity(),
        }

    def answer_many(
        self, questions: Sequence[str], documents: Sequence[Document]
    ) -> Iterator[SystemReply]:
        """Answers as they become ready; the documents are indexed once."""
        self._index(documents)
        rankings = self._retriever.search_many(questions, self.params.top_k)
        tasks: list[tuple[int, int]] = []  # question, and first hit of its context
        contexts: list[Sequence[Hit]] = []
        for index, hits in enumerate(rankings):
            if not hits:
                empty = Outcome(Answer(""), Status.EMPTY, NO_PASSAGE)
                yield SystemReply(index, empty, {"without_passage": 1.0})
            parts = [hits] if hits and self.params.reading == "joined" else [[hit] for hit in hits]
            tasks += [(index, first) for first in range(len(parts))]
            contexts += parts
        readings: dict[int, dict[int, Reply]] = {}
        texts = [questions[index] for index, _ in tasks]
        for reply in self._reader.answer_many(texts, contexts):
            index, first = tasks[reply.index]
            of_question = readings.setdefault(index, {})
            of_question[first] = reply
            joined = self.params.reading == "joined"
            if len(of_question) == (1 if joined else len(rankings[index])):
                ordered = [of_question[position] for position in sorted(of_question)]
                yield _combine(index, rankings[index], ordered)
                del readings[index]

    def _index(self, documents: Sequence[Document]) -> None:
        if documents is self._indexed:
            return
        self._indexed = None
        tables, longest = self.params.tables, self.params.longest
        self._retriever.index(
            [
                passage
                for document in documents
                for passage in passages(document, tables=tables, longest=longest)
            ]
        )
        self._indexed = documents


def _combine(index: int, hits: Sequence[Hit], readings: Sequence[Reply]) -> SystemReply:
    """A question's reply from the reader's: one per hit, or one for all hits."""
    outcomes = [reply.outcome for reply in readings]
    usage = Counter[str]()
    for reply in readings:
        usage.update(dict(reply.usage))
    usage["passages_read"] += len(hits)
    if n_failed := sum(outcome.status not in (Status.OK, Status.EMPTY) for outcome in outcomes):
        usage["readings_failed"] += n_failed
    best = best_answer(outcomes)
    chosen = outcomes[best]
    if chosen.value is None:
        return SystemReply(index, Outcome(None, chosen.status, chosen.detail), dict(usage))
    refs = [hits[best].ref] if len(readings) == len(hits) else [hit.ref for hit in hits]
    trace = tuple(
        _trace_line(hit, outcomes[min(position, len(outcomes) - 1)])
        for position, hit in enumerate(hits)
    )
    answer = Answer(chosen.value, hits[best].text, tuple(dict.fromkeys(refs)), trace)
    result = Outcome(answer, chosen.status, chosen.detail, chosen.confidence)
    return SystemReply(index, result, dict(usage))


def best_answer(outcomes: Sequence[Outcome[str]]) -> int:
    """The index of the most frequent answer, where the answer from rank r counts 1/r.

    Answers that are empty, failed or refusals count only if there are no others.
    """
    texts = {
        index: " ".join(outcome.value.casefold().split())
        for index, outcome in enumerate(outcomes)
        if outcome.status is Status.OK and outcome.value is not None
    }
    texts = {index: text for index, text in texts.items() if not refused(text)} or texts
    if not texts:
        return 0
    votes = Counter[str]()
    for index, text in texts.items():
        votes[text] += 1 / (index + 1)  # type: ignore[assignment]  # counters hold any number
    return max(texts, key=lambda index: (votes[texts[index]], -index))


def _trace_line(hit: Hit, outcome: Outcome[str]) -> str:
    source = {"rank": hit.rank + 1, "document": hit.ref.doc_id, "page": hit.ref.page_no}
    result = {"answer": outcome.value or "", "status": str(outcome.status)}
    return json.dumps(source | {"score": round(hit.score, 6)} | result, ensure_ascii=False)
