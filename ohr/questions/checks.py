"""The checks of a made question that need no model (OHR-Bench, section II.5).

A question fails the first check that finds fault; the reason is kept with it.
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
from ohr.types import PageRef, Question

COVERED = 0.8
"""Another place with this share of the words that say what is asked about could be meant too."""
FEWEST_TERMS = 5
"""Words that say what is asked about, where these are a sentence's."""
COMMONPLACE = 0.2
"""An answer on more than this share of its document's pages is guessed, not found."""
COMMON_WORD = 0.03
"""A word on more than this share of all pages is guessed."""
_FEW = 4
KNOWN_IN = 3
"""An abbreviation of so many documents is known without any."""

_OF_VERIFY = (
    *("evidence_verbatim", "evidence_every_page", "evidence_source", "answer_supported"),
    *("answer_form", "context_independent", "pronouns", "multi_page", "lengths"),
)
_POSSESSIVE = re.compile(r"(?<=\w)['\u2019]s\b")
_FRAME = re.compile(r"^(?:Which|What|Who|Under|How)\b[^\u201c]*")
_SENTENCES = frozenset("date amount percentage period year number name word subject".split())


@dataclass(frozen=True, slots=True)
class Examined:
    """A candidate beside the question that it is, and the corpus."""

    candidate: Candidate
    question: Question
    corpus: Corpus
    pages: Mapping[PageRef, SearchablePage]


def first_fault(examined: Examined) -> tuple[str, str] | None:
    """The check that a question fails first, and the reason; None if it passes all."""
    case = verify.Case(examined.question, examined.pages)
    for check in verify.CHECKS:
        if check.name not in _OF_VERIFY:
            continue
        if check.name == "evidence_source" and _is_plain_row(examined):
            continue  # a row of a table without mark-up
        said = check.judge(case)
        if said:
            return check.name, said
    for name, judge in _CHECKS.items():
        if said := judge(examined):
            return name, said
    return None


def _is_plain_row(examined: Examined) -> bool:
    one = examined.candidate
    return one.source == "table" and not examined.pages[one.ref].tables


def _entity(examined: Examined) -> str:
    """A name or a number says what is asked about, beside the words of the wording."""
    one = examined.candidate
    if one.kind in ("table", "definition", "abbreviation", "caption", "heading"):
        return ""  # heads, terms and captions are names
    said = one.terms
    if one.kind not in _SENTENCES:
        said = _FRAME.sub("", one.text).strip("\u201c\u201d?") or one.text
    said = said[:1].lower() + said[1:]
    return "" if wording.names(said) or wording.numbers(said) else "no name and no number"


def _trivial(examined: Examined) -> str:
    one = examined.candidate
    answer = default.tokens(one.answer)
    if not "".join(answer).strip("0") or answer == ["1"]:
        return f"an answer that says nothing: {one.answer}"
    asked = f" {' '.join(default.tokens(_POSSESSIVE.sub('', one.text)))} "
    if one.form != "List" and f" {' '.join(answer)} " in asked:
        return f"the question says its answer: {one.answer}"
    if one.kind in ("subject", "name"):
        share = examined.corpus.share_of_pages(one.answer, one.ref.doc_id)
        n_pages = examined.corpus.n_pages(one.ref.doc_id)
        if n_pages >= 5 and share > COMMONPLACE:
            return f"{share:.0%} of its document's pages have the answer: {one.answer}"
        if len(wording.content_words(one.answer)) < 1:
            return f"an answer without a name: {one.answer}"
    if one.kind == "word":
        many, all_pages = examined.corpus.pages_with[one.answer], len(examined.corpus.texts)
        if many > max(_FEW, COMMON_WORD * all_pages):
            return f"a common word: {one.answer}"
    if one.kind == "abbreviation":
        short = one.terms
        if (many := examined.corpus.documents_with(short)) >= KNOWN_IN:
            return f"{many} documents have {short}: it is known without them"
    return ""


def _unique(examined: Examined) -> str:
    one, corpus = examined.candidate, examined.corpus
    doc_id = one.ref.doc_id if one.names_document else ""
    if one.kind == "table":
        cells = corpus.cells_of[doc_id] if doc_id else corpus.cells
        row, column = (key(part) for part in one.terms.split("\n"))
        if (many := cells[row, column]) > 1:
            return f"{many} tables have a cell under these heads"
        return ""
    terms = wording.content_words(one.terms)
    if one.kind in _SENTENCES and len(terms) < FEWEST_TERMS:
        return f"{len(terms)} words say what is asked about"
    for evidence in one.evidence:
        place = (evidence.ref, evidence.start, evidence.end)
        other = corpus.elsewhere(one.terms, *place, COVERED, doc_id=doc_id)
        if other is not None and other not in examined.question.evidence_pages[1:]:
            return f"page {other.page_no + 1} of {other.doc_id} has its words too"
        if one.kind.startswith(MODEL_KIND):
            break
    return ""


_CHECKS: Mapping[str, Callable[[Examined], str]] = {
    "entity_named": _entity,
    "not_trivial": _trivial,
    "unique": _unique,
}
NAMES = (*_OF_VERIFY, *_CHECKS, "near_duplicate")
"""Every check without a model, in the order in which they are made."""
