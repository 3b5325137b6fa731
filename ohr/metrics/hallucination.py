"""Flags for answers whose quote, page or headers are not in the documents; they need no gold.

After Noe, Breier and Nuredini, Reliable information retrieval with LLMs, "Hallucination rates".
Each flag is raised (1) or not (0) on the page texts that the system had, and again on the ground
truth. Both are needed: a quote that an engine misread is no invention, and noise can raise or hide
a flag on one text.

A quote or header counts as found if a text contains it, without regard to white space, with the
mark-up of both or without it. Equivalent code points match, and so do straight and curly quotation
marks, and dashes of any length (:func:`ohr.markup.folding.fold_quotation`). ``tolerance`` allows
edits: it bounds the normalised distance (insertions and deletions over both lengths; a
substitution is one of each) to the most similar stretch of the text, of any length. An answer
without a quote is flagged, since nothing of it can be checked, unless it declines to answer. An
answer without headers is not flagged.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import ClassVar

from pydantic import Field

from ohr import plugins
from ohr.markup.folding import fold_quotation
from ohr.markup.strip import strip_markup
from ohr.metrics.matching import has_stretch_like
from ohr.metrics.reference import collapse
from ohr.metrics.refusal import refused
from ohr.plugins.metric import AnswerCase
from ohr.types import Document, PageRef

_CACHED_TEXTS = 16_384
_CACHED_DOCUMENTS = 64


class FlagParams(plugins.Params):
    """``tolerance``: the share of a quote's or header's characters that may differ."""

    tolerance: float = Field(0.0, ge=0, le=0.5)


@lru_cache(maxsize=_CACHED_TEXTS)
def _forms(text: str) -> tuple[str, str]:
    """A text with and without its mark-up, both folded and with collapsed white space."""
    return collapse(fold_quotation(text)), collapse(fold_quotation(strip_markup(text)))


@lru_cache(maxsize=_CACHED_DOCUMENTS)
def _joined(texts: tuple[str, ...]) -> tuple[str, str]:
    """Pages joined to one text, with and without mark-up."""
    forms = [_forms(text) for text in texts]
    return " ".join(form[0] for form in forms), " ".join(form[1] for form in forms)


def is_found(words: str, texts: Iterable[str], tolerance: float = 0.0) -> bool:
    """Whether the texts, joined, contain the words; they may run on from one text to the next."""
    pages = tuple(texts)
    marked, plain = _forms(pages[0]) if len(pages) == 1 else _joined(pages)
    return _occurs(words, marked, plain, tolerance)


def _occurs(words: str, marked: str, plain: str, tolerance: float) -> bool:
    as_is, bare = _forms(words)
    if not bare:
        return bool(as_is) and as_is in marked
    if as_is in marked or as_is in plain or bare in plain:
        return True
    return tolerance > 0 and has_stretch_like(bare, plain, tolerance)


class _Flag(plugins.Metric[FlagParams], ABC, abstract=True):
    version = "4"
    of = "answer"
    higher_is_better = False
    without_context = False
    argument = "tolerance"
    clean: ClassVar[bool] = False
    """Whether the flag is raised on the ground truth instead of the page texts."""

    @abstractmethod
    def raised(self, case: AnswerCase, documents: Mapping[str, Document]) -> bool:
        """Whether the flag is raised for these documents."""

    def measure(self, case: AnswerCase) -> float:
        return float(self.raised(case, case.truth if self.clean else case.documents))

    def is_found(self, words: str, texts: Iterable[str]) -> bool:
        return is_found(words, texts, self.params.tolerance)


def _documents(case: AnswerCase, documents: Mapping[str, Document]) -> list[Document]:
    """The documents that an answer names as its sources, otherwise that of its question."""
    names = dict.fromkeys([ref.doc_id for ref in case.answer.sources] or [case.question.doc_id])
    return [documents[name] for name in names if name in documents]


def _texts(document: Document) -> dict[int, str]:
    return {page.ref.page_no: page.text for page in document.pages}


def _text_at(ref: PageRef, documents: Mapping[str, Document]) -> str:
    return _texts(documents[ref.doc_id]).get(ref.page_no, "") if ref.doc_id in documents else ""


def _lacks_quote(case: AnswerCase) -> bool:
    """Whether a missing quote is a fault; it is not if the answer declines to answer."""
    return not refused(case.answer.text)


class QuoteFlag(_Flag):
    """Whether the quote cannot be found in the document."""

    name = "quote_flag"
    title = "quote not found"

    def raised(self, case: AnswerCase, documents: Mapping[str, Document]) -> bool:
        if not case.answer.quote:
            return _lacks_quote(case)
        return not any(
            self.is_found(case.answer.quote, _texts(document).values())
            for document in _documents(case, documents)
        )


class HeadersFlag(_Flag):
    """Whether any of the headers cannot be found in the document."""

    name = "headers_flag"
    title = "header not found"

    def raised(self, case: AnswerCase, documents: Mapping[str, Document]) -> bool:
        texts_by_document = [_texts(doc).values() for doc in _documents(case, documents)]
        return not all(
            any(self.is_found(header, texts) for texts in texts_by_document)
            for header in case.answer.headers
        )


class PageFlag(_Flag):
    """Whether the quote cannot be found on the page that the answer names."""

    name = "page_flag"
    title = "quote not on its page"

    def raised(self, case: AnswerCase, documents: Mapping[str, Document]) -> bool:
        if not case.answer.quote:
            return _lacks_quote(case)
        return not any(
            self.is_found(case.answer.quote, [_text_at(ref, documents)])
            for ref in case.answer.sources
        )


class IrrelevantHeadersFlag(_Flag):
    """Whether none of the headers can be found on the quote's page or the one before.

    The quote's page is the page that the answer names, if the quote is there; otherwise the pages
    that have the quote; otherwise the named page.
    """

    name = "irrelevant_headers_flag"
    title = "headers irrelevant"

    def raised(self, case: AnswerCase, documents: Mapping[str, Document]) -> bool:
        if not case.answer.headers:
            return False
        near = [
            _text_at(PageRef(ref.doc_id, number), documents)
            for ref in self._pages(case, documents)
            for number in (ref.page_no - 1, ref.page_no)
        ]
        return not any(
            self.is_found(header, [text]) for header in case.answer.headers for text in near
        )

    def _pages(self, case: AnswerCase, documents: Mapping[str, Document]) -> list[PageRef]:
        quote, named = case.answer.quote, list(case.answer.sources)
        standing = [
            ref for ref in named if quote and self.is_found(quote, [_text_at(ref, documents)])
        ]
        if standing or not quote:
            return standing or named
        return [
            PageRef(document.doc_id, number)
            for document in _documents(case, documents)
            for number, text in _texts(document).items()
            if self.is_found(quote, [text])
        ] or named


class CleanQuoteFlag(QuoteFlag):
    """``quote_flag`` on the ground truth."""

    name = "quote_flag_clean"
    title = "quote not found in the truth"
    clean = True


class CleanHeadersFlag(HeadersFlag):
    """``headers_flag`` on the ground truth."""

    name = "headers_flag_clean"
    title = "header not found in the truth"
    clean = True


class CleanPageFlag(PageFlag):
    """``page_flag`` on the ground truth."""

    name = "page_flag_clean"
    title = "quote not on its page in the truth"
    clean = True


class CleanIrrelevantHeadersFlag(IrrelevantHeadersFlag):
    """``irrelevant_headers_flag`` on the ground truth."""

    name = "irrelevant_headers_flag_clean"
    title = "headers irrelevant in the truth"
    clean = True
