"""Ties: questions about a page whose text another page repeats, so that order decides rank."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ohr.store.identity import digest
from ohr.study.plan import Plan
from ohr.types import PageRef

_HEAD_WORDS = 8
"""Words in which two pages are compared first."""


@dataclass(frozen=True, slots=True)
class Tie:
    """A question's page, and the first other page of its knowledge base with the same text."""

    qid: str
    page: PageRef
    other: PageRef


def find_ties(plan: Plan) -> list[Tie]:
    """A tie for each question with an evidence page whose text is also on another page.

    Texts are those of the ground truth; white space does not matter. Pages without text or without
    ground truth do not count.
    """
    if not {"retrieval", "overall"} & {*plan.config.stages}:
        return []
    dataset = plan.dataset
    gold_pages = {ref for question in plan.questions for ref in question.evidence_pages}
    heads = {_head(dataset.pages[ref].text) for ref in gold_pages if ref in dataset.pages} - {""}
    texts: dict[PageRef, tuple[str, str]] = {}
    same: dict[tuple[str, str], list[PageRef]] = {}
    for ref, page in dataset.pages.items():
        # Only a page that begins as one of these can be equal to it.
        if _head(page.text) in heads and ref not in dataset.without_truth:
            text = digest(" ".join(page.text.split()))
            texts[ref] = plan.units.scope_of_document(ref.doc_id), text
            same.setdefault(texts[ref], []).append(ref)
    ties = []
    for question in plan.questions:
        gold = question.evidence_pages
        candidates = (
            Tie(question.qid, ref, other)
            for ref in gold
            if ref in texts
            for other in same[texts[ref]]
            if other not in gold
        )
        if (tie := next(candidates, None)) is not None:
            ties.append(tie)
    return ties


def _head(text: str) -> str:
    """The beginning of a text, as far as white space does not matter."""
    return " ".join(text.split(maxsplit=_HEAD_WORDS)[:_HEAD_WORDS])


def tie_lines(ties: Sequence[Tie], n_questions: int) -> list[str]:
    """The line for the console that counts the ties; empty without ties."""
    if not ties:
        return []
    first = ties[0]
    return [
        f"ties: {len(ties)} of {n_questions} questions ask about a page whose text another page of "
        f"the knowledge base repeats, such as {_named(first.page)} and {_named(first.other)}: "
        "their order decides which one is found first, and only one counts"
    ]


def _named(ref: PageRef) -> str:
    return f"page {ref.page_no + 1} of {ref.doc_id}"
