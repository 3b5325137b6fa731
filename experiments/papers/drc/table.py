"""Ranking, evidence and answers of DRC, step by step, after McDonald et al. (2022).

Passages are those of the system ``drc`` (:mod:`rag.systems.drc`), from the engine's text of the
question's document. A passage is evidence if it is on an evidence page and shares, in order,
:data:`SHARED` of the words of an evidence line, or of its own words if they are fewer. A question
whose evidence is in no passage counts with recall 0; a question without evidence (QASPER's
unanswerable ones) does not count for recall.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from statistics import fmean
from typing import Any

import pandas as pd
from rapidfuzz.distance import LCSseq

from ohr.analysis.page_texts import ReadPages, read_pages
from ohr.collection import ValidationReport
from ohr.datasets.qasper import Qasper
from ohr.datasets.qasper_file import gold_of, read_papers
from ohr.datasets.verify import form_name
from ohr.errors import ConfigError
from ohr.metrics.default import tokens
from ohr.metrics.qasper import answer_f1, evidence_f1
from ohr.metrics.scores import SCORING
from ohr.ocr.progress import Progress
from ohr.plugins import Retriever
from ohr.scoring.answers import Answering
from ohr.store.artefacts import ArtefactStore
from ohr.study.config import StudyConfig
from ohr.types import Chunk, Document, Hit, KnowledgeBase, Outcome, Page, Question
from rag.systems.drc import best_answer, passages

SHARES = (1, 5, 10, 20)
"""Per cent of a document's passages (table 4)."""
SHARED = 0.7
CLASSIFIER = "rerank"
"""The retriever whose scores are logits of a classifier; its threshold is a probability of 0.5."""


@dataclass(frozen=True)
class Ranked:
    """A question with the ranking of its document's passages.

    ``evidence``: places of the evidence passages; ``order``: places of the hits, best first.
    """

    question: Question
    passages: int
    evidence: frozenset[int]
    order: tuple[int, ...]
    hits: tuple[Hit, ...]

    def recall(self, share: float) -> float:
        """Share of the evidence among the first ``share`` per cent of the passages, rounded up."""
        if not self.evidence:
            return 0.0
        first = self.order[: math.ceil(share / 100 * self.passages)]
        return len(self.evidence.intersection(first)) / len(self.evidence)

    def classified(self) -> float:
        """F1 of the passages that a classifier labels as evidence."""
        places = [
            str(position)
            for position, hit in zip(self.order, self.hits, strict=True)
            if hit.score >= 0
        ]
        return evidence_f1(places, [str(position) for position in self.evidence])


@dataclass(frozen=True)
class DrcTables:
    """``ranking``: recall and evidence F1; ``answers``: F1 at each number of passages read."""

    ranking: pd.DataFrame
    answers: pd.DataFrame


def drc_tables(
    config: StudyConfig, progress: Progress, most: int, *, tables: bool = False
) -> DrcTables:
    """The tables of all knowledge bases and retrievers. Raises OhrError.

    ``most``: number of passages to read per ranking; ``tables``: whether tables are passages too.

    ``ranking`` has ``recall@1%`` and so on, ``evidence_f1`` (NaN without a classifier),
    ``questions``, ``add_evidence``, which recall is over, and ``lost``: those of them whose
    evidence is in no passage, on average over the draws of the noise. ``answers`` has, for each
    reader, ``k`` and group of answers (``all``, ``extractive`` …), ``best`` (the best answer from
    the first k passages, figure 3) and ``chosen`` (the one that ``drc`` chooses), and ``n``.
    Questions count once, however often the noise was drawn.
    """
    pages_read = read_pages(config, progress)
    plan = pages_read.plan
    store = ArtefactStore(config.cache)
    asking = Progress(verb="asking", unit="passages")
    answering = Answering(store, retry_failed=config.retry_failed, progress=asking)
    scorer = _Scorer.from_config(config)
    ranking: list[dict[str, Any]] = []
    answers: list[dict[str, Any]] = []
    with asking:
        for key, draws in pages_read.conditions():
            for name, retriever in plan.retrievers.items():
                if not isinstance(retriever, Retriever) or retriever.whole_pages:
                    raise ConfigError(
                        f"retriever {name!r} ranks no passages: choose another for drc"
                    )
                retriever.use_store(store)
                ranked = [
                    each for _, kb in draws for each in _ranked(pages_read, kb, retriever, tables)
                ]
                row = key | {"retriever": name}
                ranking.append(row | _ranking(ranked, len(draws), retriever.name == CLASSIFIER))
                for reader_name, reader in plan.readers.items():
                    passages_read = [
                        (each.question.text, [hit]) for each in ranked for hit in each.hits[:most]
                    ]
                    outcomes = answering.answers(
                        reader_name,
                        reader,
                        [text for text, _ in passages_read],
                        [hit for _, hit in passages_read],
                    )
                    by_question = _question_outcomes(ranked, outcomes, most)
                    for scores in scorer.rows(ranked, by_question, most, len(draws)):
                        answers.append(row | {"reader": reader_name} | scores)
    return DrcTables(pd.DataFrame(ranking), pd.DataFrame(answers))


def _ranked(
    pages_read: ReadPages, kb: KnowledgeBase, retriever: Retriever, tables: bool
) -> Iterator[Ranked]:
    """The rankings of all questions, document by document, in a fixed order."""
    by_document: dict[str, list[Question]] = {}
    for question in pages_read.plan.questions:
        by_document.setdefault(question.doc_id, []).append(question)
    pages: dict[str, list[Page]] = {}
    for ref, outcome in kb.pages.items():
        if outcome.value is not None:
            pages.setdefault(ref.doc_id, []).append(Page(ref, outcome.value))
    for doc_id, questions in by_document.items():
        document = Document(doc_id, questions[0].domain, pages.get(doc_id, []))
        chunks = list(passages(document, tables=tables))
        places = {(chunk.ref, chunk.start, chunk.end): index for index, chunk in enumerate(chunks)}
        retriever.index(chunks)
        texts = [question.text for question in questions]
        rankings = retriever.search_many(texts, max(len(chunks), 1))
        for question, hits in zip(questions, rankings, strict=True):
            order = tuple(places[hit.ref, *hit.span] for hit in hits)
            evidence = frozenset(_evidence(question, chunks))
            yield Ranked(question, len(chunks), evidence, order, tuple(hits))


def _evidence(question: Question, chunks: Sequence[Chunk]) -> Iterator[int]:
    lines = [words for line in question.evidence_text.splitlines() if (words := _words(line))]
    for index, chunk in enumerate(chunks):
        if chunk.ref in question.evidence_pages and (words := _words(chunk.text)):
            shared = (LCSseq.similarity(words, line) / min(len(words), len(line)) for line in lines)
            if any(share >= SHARED for share in shared):
                yield index


@lru_cache(maxsize=4096)
def _words(text: str) -> tuple[str, ...]:
    return tuple(tokens(text))


def _ranking(ranked: Sequence[Ranked], draws: int, classifier: bool) -> dict[str, Any]:
    with_evidence = [each for each in ranked if each.question.evidence_text.strip()]
    row: dict[str, Any] = {
        f"recall@{share}%": fmean(each.recall(share) for each in with_evidence)
        if with_evidence
        else math.nan
        for share in SHARES
    }
    row["evidence_f1"] = fmean(each.classified() for each in ranked) if classifier else math.nan
    row["questions"] = len(ranked) // draws
    row["with_evidence"] = len(with_evidence) // draws
    row["lost"] = sum(not each.evidence for each in with_evidence) / draws
    row["mean_passages"] = fmean(each.passages for each in ranked)
    return row


def _question_outcomes(
    ranked: Sequence[Ranked], outcomes: Sequence[Outcome[str]], most: int
) -> list[list[Outcome[str]]]:
    """The outcomes of each question's passages, best first."""
    by_question, position = [], 0
    for ranking in ranked:
        count = len(ranking.hits[:most])
        by_question.append(list(outcomes[position : position + count]))
        position += count
    return by_question


@dataclass(frozen=True)
class _Scorer:
    """How answers are scored: as in QASPER, by the type of annotators' answers, or by the study's
    F1 and the question's answer form.
    """

    score: Any
    references: Mapping[str, Sequence[tuple[str, str]]] | None
    """Type and text of each answer to a question, by its id; None if the question has them."""

    @classmethod
    def from_config(cls, config: StudyConfig) -> _Scorer:
        section = config.dataset
        if section.kind != Qasper.name or section.path is None:
            return cls(SCORING[config.scoring].f1, None)
        keeps_unanswerable = section.params.get("unanswerable", True)
        gold = gold_of(read_papers(section.path, ValidationReport()))
        references = {
            qid: [
                (answer.type, answer.answer)
                for answer in answers
                if keeps_unanswerable or answer.type != "none"
            ]
            for qid, answers in gold.items()
        }
        return cls(answer_f1, references)

    def accepted(self, question: Question) -> Sequence[tuple[str, str]]:
        """Type and text of each answer that counts."""
        if self.references is not None:
            return self.references[question.qid]
        return [(form_name(question), text) for text in question.answers]

    def rows(
        self,
        ranked: Sequence[Ranked],
        by_question: Sequence[Sequence[Outcome[str]]],
        most: int,
        draws: int,
    ) -> Iterator[dict[str, Any]]:
        """Mean F1 at each k by group of answers, ``all`` last."""
        for k in range(1, most + 1):
            best: dict[str, list[float]] = {}
            chosen: dict[str, list[float]] = {}
            for each, outcomes in zip(ranked, by_question, strict=True):
                first = outcomes[:k]
                answers = [outcome.value or "" for outcome in first] or [""]
                final = answers[best_answer(first)] if first else ""
                accepted = self.accepted(each.question)
                for group in dict.fromkeys(["all", *filter(None, (kind for kind, _ in accepted))]):
                    texts = [text for kind, text in accepted if group in ("all", kind)]
                    scores = [max(self.score(answer, text) for text in texts) for answer in answers]
                    best.setdefault(group, []).append(max(scores))
                    score = max(self.score(final, text) for text in texts)
                    chosen.setdefault(group, []).append(score)
            for group in sorted(best, key=lambda name: (name == "all", name)):
                means = {"best": fmean(best[group]), "chosen": fmean(chosen[group])}
                yield {"k": k, "group": group} | means | {"n": len(best[group]) // draws}
