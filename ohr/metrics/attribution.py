"""Whether an answer cites the right place: quote, page and headers compared with the gold ones.

After Noe, Breier and Nuredini, "Answer metrics" and "Source attribution metrics". Headers are
compared without mark-up, case and white space, and after folding equivalent code points. If no
heading is above the evidence, no header is the right answer.
"""

from __future__ import annotations

from functools import lru_cache, partial

from rapidfuzz.fuzz import partial_ratio_alignment

from ohr.markup.folding import fold_quotation
from ohr.markup.outline.read import document_tree
from ohr.markup.outline.tree import DocumentTree, Place
from ohr.markup.strip import strip_markup
from ohr.metrics.evidence import EVIDENCE_WORDS
from ohr.metrics.reference import collapse
from ohr.plugins.metric import AnswerCase, metric
from ohr.types import Document, Page

_SEARCHED = 300
"""Characters of the evidence to search for on its page."""


def gold_headers(case: AnswerCase) -> tuple[str, ...]:
    """The headers above a question's evidence, outermost first.

    Those that the data name; otherwise those of the ground truth above the evidence's first words.
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
            position = _place(question.evidence_text[:_SEARCHED], page.text)
            return tree.path(tree.section_at(Place(number, position)))
    return ()


@lru_cache(maxsize=1024)
def _tree(doc_id: str, pages: tuple[Page, ...]) -> DocumentTree:
    return document_tree(Document(doc_id, "", pages))


@lru_cache(maxsize=16_384)
def _place(words: str, text: str) -> int:
    """Where words, or the most similar passage, begin in a text; 0 if nothing is similar."""
    position = text.find(words)
    if position >= 0 or not text or not words:
        return max(position, 0)
    where = partial_ratio_alignment(words, text)
    return where.dest_start if where is not None else 0


def _plain(headers: tuple[str, ...]) -> list[str]:
    """Headers in the form in which they are compared, without repetitions."""
    plain = (collapse(fold_quotation(strip_markup(header))).casefold() for header in headers)
    return list(dict.fromkeys(filter(None, plain)))


_located = partial(metric, of="answer", needs={"evidence", "page"}, without_context=False)


@_located(title="quote ROUGE-L", version="4", basis=EVIDENCE_WORDS)
def quote_rouge_l(case: AnswerCase) -> float:
    """ROUGE-L of the quote against the evidence: F1 of their longest common subsequence."""
    return case.scoring.rouge_l(case.answer.quote, case.question.evidence_text)


@_located(title="page found")
def page_found(case: AnswerCase) -> float:
    """Whether the first page that the answer names is one of the evidence pages."""
    return float(bool(set(case.answer.sources[:1]) & set(case.question.evidence_pages)))


@_located(title="perfect header found", version="3")
def perfect_header(case: AnswerCase) -> float:
    """Whether the header right above the evidence is among the answer's."""
    gold, headers = _plain(gold_headers(case)), _plain(case.answer.headers)
    return float(gold[-1] in headers) if gold else float(not headers)


@_located(title="header intersection", version="3")
def header_intersection(case: AnswerCase) -> float:
    """Share of the answer's headers that are above the evidence.

    Without any header 0, or 1 if there is none above the evidence.
    """
    gold, headers = _plain(gold_headers(case)), _plain(case.answer.headers)
    if not headers:
        return float(not gold)
    return sum(header in gold for header in headers) / len(headers)


@_located(title="location score", version="3")
def location_score(case: AnswerCase) -> float:
    """Mean of page found, perfect header found and header intersection."""
    return (page_found(case) + perfect_header(case) + header_intersection(case)) / 3
