"""The checks of a made question that need no model (OHR-Bench, section II.5).

A question is rejected by the first check that it fails, with the reason.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from ohr.datasets import verify, wording
from ohr.datasets.locating import SearchablePage
from ohr.metrics import default
from ohr.questions.candidate import MODEL_KIND, Candidate
from ohr.questions.corpus import Corpus
from ohr.questions.from_tables import key
from ohr.statistics.numbers import percent
from ohr.types import PageRef, Question

COVERED = 0.8
"""Another place with this share of a question's terms could be meant too."""
FEWEST_TERMS = 5
"""Least number of terms of a question about a sentence."""
COMMONPLACE = 0.2
"""An answer on more than this share of its document's pages can be guessed."""
COMMON_WORD = 0.03
"""A word on more than this share of all pages can be guessed."""
_FEW = 4
KNOWN_IN = 3
"""An abbreviation in so many documents is general knowledge."""

_OF_VERIFY = (
    *("evidence_verbatim", "evidence_every_page", "evidence_source", "answer_supported"),
    *("answer_form", "context_independent", "pronouns", "multi_page", "lengths"),
)
_POSSESSIVE = re.compile(r"(?<=\w)['\u2019]s\b")
_FRAME = re.compile(r"^(?:Which|What|Who|Under|How)\b[^\u201c]*")
_SENTENCES = frozenset("date amount percentage period year number name word subject".split())


@dataclass(frozen=True, slots=True)
class Examined:
    """A candidate with its question, the corpus and the pages."""

    candidate: Candidate
    question: Question
    corpus: Corpus
    pages: Mapping[PageRef, SearchablePage]


def first_fault(examined: Examined) -> tuple[str, str] | None:
    """The first check that a question fails, and the reason; None if it passes all."""
    case = verify.Case(examined.question, examined.pages)
    for check in verify.CHECKS:
        if check.name not in _OF_VERIFY:
            continue
        if check.name == "evidence_source" and _is_plain_row(examined):
            continue  # a row of a table without mark-up
        reason = check.judge(case)
        if reason:
            return check.name, reason
    for name, judge in _CHECKS.items():
        if reason := judge(examined):
            return name, reason
    return None


def _is_plain_row(examined: Examined) -> bool:
    candidate = examined.candidate
    return candidate.source == "table" and not examined.pages[candidate.ref].tables


def _entity(examined: Examined) -> str:
    """Fails unless a name or a number identifies what is asked about."""
    candidate = examined.candidate
    if candidate.kind in ("table", "definition", "abbreviation", "caption", "heading"):
        return ""  # heads, terms and captions are names
    subject = candidate.terms
    if candidate.kind not in _SENTENCES:
        subject = _FRAME.sub("", candidate.text).strip("\u201c\u201d?") or candidate.text
    subject = subject[:1].lower() + subject[1:]
    return "" if wording.names(subject) or wording.numbers(subject) else "no name and no number"


def _trivial(examined: Examined) -> str:
    candidate = examined.candidate
    answer = default.tokens(candidate.answer)
    if not "".join(answer).strip("0") or answer == ["1"]:
        return f"an answer that says nothing: {candidate.answer}"
    question_words = f" {' '.join(default.tokens(_POSSESSIVE.sub('', candidate.text)))} "
    if candidate.form != "List" and f" {' '.join(answer)} " in question_words:
        return f"the question says its answer: {candidate.answer}"
    if candidate.kind in ("subject", "name"):
        share = examined.corpus.share_of_pages(candidate.answer, candidate.ref.doc_id)
        n_pages = examined.corpus.n_pages(candidate.ref.doc_id)
        if n_pages >= 5 and share > COMMONPLACE:
            return f"{percent(share)} of its document's pages have the answer: {candidate.answer}"
        if len(wording.content_words(candidate.answer)) < 1:
            return f"an answer without a name: {candidate.answer}"
    if candidate.kind == "word":
        many, all_pages = examined.corpus.pages_with[candidate.answer], len(examined.corpus.texts)
        if many > max(_FEW, COMMON_WORD * all_pages):
            return f"a common word: {candidate.answer}"
    if candidate.kind == "abbreviation":
        short = candidate.terms
        if (many := examined.corpus.documents_with(short)) >= KNOWN_IN:
            return f"{many} documents have {short}: it is known without them"
    return ""


def _unique(examined: Examined) -> str:
    candidate, corpus = examined.candidate, examined.corpus
    doc_id = candidate.ref.doc_id if candidate.names_document else ""
    if candidate.kind == "table":
        cells = corpus.cells_of[doc_id] if doc_id else corpus.cells
        row, column = (key(part) for part in candidate.terms.split("\n"))
        if (many := cells[row, column]) > 1:
            return f"{many} tables have a cell under these heads"
        return ""
    terms = wording.content_words(candidate.terms)
    if candidate.kind in _SENTENCES and len(terms) < FEWEST_TERMS:
        return f"only {len(terms)} words identify what is asked about"
    for evidence in candidate.evidence:
        place = (evidence.ref, evidence.start, evidence.end)
        other = corpus.elsewhere(candidate.terms, *place, COVERED, doc_id=doc_id)
        if other is not None and other not in examined.question.evidence_pages[1:]:
            return f"page {other.page_no + 1} of {other.doc_id} has its words too"
        if candidate.kind.startswith(MODEL_KIND):
            break
    return ""


_CHECKS: Mapping[str, Callable[[Examined], str]] = {
    "entity_named": _entity,
    "not_trivial": _trivial,
    "unique": _unique,
}
NAMES = (*_OF_VERIFY, *_CHECKS, "near_duplicate")
"""All checks without a model, in order."""
