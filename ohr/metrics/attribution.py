"""Whether an answer says rightly where it stands: quote, page and headers against the gold ones.

After Noe, Breier and Nuredini, "Answer metrics" and "Source attribution metrics". Headers are
compared without mark-up, case and white space; the same in other code points is the same. Where
no heading stands above the evidence, no header is the right answer.
"""

from __future__ import annotations

from functools import lru_cache

from rapidfuzz.fuzz import partial_ratio_alignment

from ohr import plugins
from ohr.markup.folding import fold_quotation
from ohr.markup.outline.read import document_tree
from ohr.markup.outline.tree import DocumentTree, Place
from ohr.markup.strip import strip_markup
from ohr.metrics.evidence import EVIDENCE_WORDS
from ohr.metrics.reference import collapse
from ohr.plugins.metric import AnswerCase
from ohr.types import Document, Page

_LOOKED_FOR = 300
"""Characters of the evidence that are looked for on its page."""


def gold_headers(case: AnswerCase) -> tuple[str, ...]:
    """The headers above a question's evidence, outermost first: those that the data name, else
    those of the ground truth at the place of the evidence's first words.
    """
    question = case.question
    if question.headers or not question.evidence_pages:
        return question.headers
    ref = question.evidence_pages[0]
    document = case.truth.get(ref.doc_id)
    if document is None:
        return ()
    tree = _tree(document.doc_id, tuple(document.pages))
    for number, page in enumerate(tree.pages):
        if page.ref == ref:
            at = _place(question.evidence_text[:_LOOKED_FOR], page.text)
            return tree.path(tree.section_at(Place(number, at)))
    return ()


@lru_cache(maxsize=1024)
def _tree(doc_id: str, pages: tuple[Page, ...]) -> DocumentTree:
    return document_tree(Document(doc_id, "", pages))


@lru_cache(maxsize=16_384)
def _place(words: str, text: str) -> int:
    """Where words begin in a text, or what is most like them; without any, where it begins."""
    at = text.find(words)
    if at >= 0 or not text or not words:
        return max(at, 0)
    where = partial_ratio_alignment(words, text)
    return where.dest_start if where is not None else 0


def _plain(headers: tuple[str, ...]) -> list[str]:
    """Headers as they are compared, each once."""
    plain = (collapse(fold_quotation(strip_markup(header))).casefold() for header in headers)
    return list(dict.fromkeys(filter(None, plain)))


def page_found(case: AnswerCase) -> float:
    """Whether the page that an answer names first is one of its evidence."""
    return float(bool(set(case.answer.sources[:1]) & set(case.question.evidence_pages)))


def perfect_header(case: AnswerCase) -> float:
    """Whether the header right above the evidence is among an answer's."""
    gold, given = _plain(gold_headers(case)), _plain(case.answer.headers)
    return float(gold[-1] in given) if gold else float(not given)


def header_intersection(case: AnswerCase) -> float:
    """The share of an answer's headers that are gold; 0 without any, unless there is no gold."""
    gold, given = _plain(gold_headers(case)), _plain(case.answer.headers)
    if not given:
        return float(not gold)
    return sum(header in gold for header in given) / len(given)


class _Located(plugins.Metric, abstract=True):
    of = "answer"
    needs = frozenset({"evidence", "page"})
    without_context = False


class QuoteRougeL(_Located):
    """ROUGE-L of the quote against the evidence: F1 of their longest common subsequence."""

    name = "quote_rouge_l"
    version = "3"
    title = "quote ROUGE-L"
    basis = EVIDENCE_WORDS

    def measure(self, case: AnswerCase) -> float:
        return case.scoring.rouge_l(case.answer.quote, case.question.evidence_text)


class PageFound(_Located):
    """Whether the page that the answer names is one of the evidence; of several, the first."""

    name = "page_found"
    title = "page found"

    def measure(self, case: AnswerCase) -> float:
        return page_found(case)


class PerfectHeader(_Located):
    """Whether the header right above the evidence is among the answer's."""

    name = "perfect_header"
    version = "3"
    title = "perfect header found"

    def measure(self, case: AnswerCase) -> float:
        return perfect_header(case)


class HeaderIntersection(_Located):
    """Share of the answer's headers that stand above the evidence."""

    name = "header_intersection"
    version = "3"
    title = "header intersection"

    def measure(self, case: AnswerCase) -> float:
        return header_intersection(case)


class LocationScore(_Located):
    """Mean of page found, perfect header found and header intersection."""

    name = "location_score"
    version = "3"
    title = "location score"

    def measure(self, case: AnswerCase) -> float:
        return (page_found(case) + perfect_header(case) + header_intersection(case)) / 3
