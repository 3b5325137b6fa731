"""The cases that metrics score: what a knowledge base, a ranking or an answer has for each unit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ohr.metrics.holes import known_texts
from ohr.plugins.metric import AnswerCase, Case, EvidenceCase, HitsCase, Of, PageCase
from ohr.scoring.documents import ReadDocuments
from ohr.scoring.units import Units
from ohr.types import FAILED, Answer, Hit, KnowledgeBase, Outcome, PageRef, Question, Status


@dataclass(frozen=True)
class Cases:
    """Cases of one kind, one per page or question of the units, in order."""

    of: Of
    cases: Sequence[Case]
    statuses: Sequence[Status]
    """How reading, searching or answering ended."""
    failed: Sequence[bool]
    """Whether a case scores each metric's :attr:`~ohr.plugins.Metric.missing` value."""


def page_cases(units: Units, kb: KnowledgeBase) -> Cases:
    """Each page's text and its truth, without what is not known of the truth.

    Where the truth has only capitals, both are in small letters.
    """
    dataset, folded = units.dataset, units.folds_case

    def case(ref: PageRef) -> PageCase:
        text, truth = known_texts(kb.text(ref), dataset.pages[ref].text, dataset.holes.get(ref))
        if folded:
            text, truth = text.lower(), truth.lower()
        return PageCase(text, truth, units.scoring)

    statuses = [kb.status(ref) for ref in units.pages]
    failed = [status in FAILED for status in statuses]
    return Cases("page", [case(ref) for ref in units.pages], statuses, failed)


def evidence_cases(units: Units, kb: KnowledgeBase) -> Cases:
    """The texts of each question's evidence pages."""
    return Cases(
        "evidence",
        [
            EvidenceCase(tuple(map(kb.text, question.evidence_pages)), question, units.scoring)
            for question in units.questions
        ],
        evidence_statuses(units, kb),
        [_is_lost(units, question, kb) for question in units.questions],
    )


def hits_cases(
    units: Units, rankings: Sequence[Sequence[Hit]], k: int, statuses: Sequence[Status]
) -> Cases:
    """The first ``k`` hits of each question; ``statuses`` as of :func:`hits_statuses`."""
    cases = [
        HitsCase(tuple(hits[:k]), k, question, units.scoring)
        for question, hits in zip(units.questions, rankings, strict=True)
    ]
    return Cases("hits", cases, statuses, [not case.hits for case in cases])


def hits_statuses(rankings: Sequence[Sequence[Hit]]) -> list[Status]:
    """``ok``, or ``empty`` for a question for which nothing was found."""
    return [Status.OK if hits else Status.EMPTY for hits in rankings]


def answer_cases(
    units: Units,
    answers: Sequence[Outcome[Answer]],
    kb: KnowledgeBase | None,
    statuses: Sequence[Status],
) -> Cases:
    """Answers from a knowledge base; closed-book answers if ``kb`` is None."""
    truth = units.dataset.documents
    documents = {} if kb is None else ReadDocuments(kb, truth)
    cases = [
        AnswerCase(outcome.value or Answer(""), question, units.scoring, documents, truth)
        for question, outcome in zip(units.questions, answers, strict=True)
    ]
    failed = [outcome.status is not Status.OK for outcome in answers]
    return Cases("answer", cases, statuses, failed)


def evidence_statuses(units: Units, kb: KnowledgeBase) -> list[Status]:
    """The worst status of each question's evidence pages.

    A row's status is the worse of this and the status of its outcome; the published evaluation
    uses only the latter, so under its protocol every status here is ``ok``.
    """
    if units.protocol == "reference":
        return [Status.OK] * len(units.questions)
    return [
        worst_status([kb.status(ref) for ref in question.evidence_pages])
        for question in units.questions
    ]


def worse_statuses(first: Sequence[Status], second: Sequence[Status]) -> list[Status]:
    """The worse of two statuses, question by question."""
    return [worst_status(pair) for pair in zip(first, second, strict=True)]


def worst_status(statuses: Sequence[Status]) -> Status:
    """The worst of several statuses; ``ok`` if there is none."""
    return max(statuses, key=lambda status: status.severity, default=Status.OK)


def _is_lost(units: Units, question: Question, kb: KnowledgeBase) -> bool:
    """Whether all evidence pages of a question failed; never in the reference protocol."""
    refs = question.evidence_pages
    return (
        units.protocol == "default" and bool(refs) and all(kb.status(ref) in FAILED for ref in refs)
    )
