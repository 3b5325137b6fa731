"""Whether an answer's quote, page and headers are in the documents: flags that need no gold.

After Noe, Breier and Nuredini, Reliable information retrieval with LLMs, "Hallucination rates".
Each flag is raised (1) or not (0) on the text that a system was given, and again on the ground
truth: a quote that an engine misread is no invention, and a flag on the one text alone is raised
or hidden by noise.

A quote or header is found where it stands in a text, white space aside, with the mark-up of both
or without. The same in other code points is the same, as are straight and curly quotation marks,
and dashes of any length (:func:`ohr.markup.folding.fold_quotation`). ``tolerance`` allows edits:
the normalised distance (insertions and deletions over both lengths; a substitution is one of each)
to the stretch of the text that is most like it, however long that is. An answer without a quote is
flagged, since nothing of it can be looked up, unless it says that there is no answer; an answer
without headers is not.
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
    """``tolerance``: share of a quote's or header's characters that may differ; 0 is none."""

    tolerance: float = Field(0.0, ge=0, le=0.5)


@lru_cache(maxsize=_CACHED_TEXTS)
def _forms(text: str) -> tuple[str, str]:
    """A text with its mark-up and without, folded, white space collapsed."""
    return collapse(fold_quotation(text)), collapse(fold_quotation(strip_markup(text)))


@lru_cache(maxsize=_CACHED_DOCUMENTS)
def _joined(texts: tuple[str, ...]) -> tuple[str, str]:
    """Pages as one text, with mark-up and without."""
    forms = [_forms(text) for text in texts]
    return " ".join(form[0] for form in forms), " ".join(form[1] for form in forms)


def is_found(words: str, texts: Iterable[str], tolerance: float = 0.0) -> bool:
    """Whether words stand in one of some texts, or run on from one to the next."""
    there = tuple(texts)
    marked, plain = _forms(there[0]) if len(there) == 1 else _joined(there)
    return _in(words, marked, plain, tolerance)


def _in(words: str, marked: str, plain: str, tolerance: float) -> bool:
    as_is, bare = _forms(words)
    if not bare:
        return bool(as_is) and as_is in marked
    if as_is in marked or as_is in plain or bare in plain:
        return True
    return tolerance > 0 and has_stretch_like(bare, plain, tolerance)


class _Flag(plugins.Metric[FlagParams], ABC, abstract=True):
    version = "3"
    of = "answer"
    higher_is_better = False
    without_context = False
    argument = "tolerance"
    clean: ClassVar[bool] = False
    """Whether it is raised on the ground truth in place of what was read."""

    @abstractmethod
    def raised(self, case: AnswerCase, there: Mapping[str, Document]) -> bool:
        """Whether the flag is raised over documents."""

    def measure(self, case: AnswerCase) -> float:
        return float(self.raised(case, case.truth if self.clean else case.read))

    def found(self, words: str, texts: Iterable[str]) -> bool:
        return is_found(words, texts, self.params.tolerance)


def _documents(case: AnswerCase, there: Mapping[str, Document]) -> list[Document]:
    """The documents that an answer names as its sources; if it names none, its question's."""
    names = dict.fromkeys([ref.doc_id for ref in case.answer.sources] or [case.question.doc_id])
    return [there[name] for name in names if name in there]


def _texts(document: Document) -> dict[int, str]:
    return {page.ref.page_no: page.text for page in document.pages}


def _text_at(ref: PageRef, there: Mapping[str, Document]) -> str:
    return _texts(there[ref.doc_id]).get(ref.page_no, "") if ref.doc_id in there else ""


def _without_quote(case: AnswerCase) -> bool:
    """Whether a missing quote is a fault: not where the answer is that there is none."""
    return not refused(case.answer.text)


class QuoteFlag(_Flag):
    """Whether the quote cannot be found in the document."""

    name = "quote_flag"
    title = "quote not found"

    def raised(self, case: AnswerCase, there: Mapping[str, Document]) -> bool:
        if not case.answer.quote:
            return _without_quote(case)
        return not any(
            self.found(case.answer.quote, _texts(one).values()) for one in _documents(case, there)
        )


class HeadersFlag(_Flag):
    """Whether any of the headers cannot be found in the document."""

    name = "headers_flag"
    title = "header not found"

    def raised(self, case: AnswerCase, there: Mapping[str, Document]) -> bool:
        documents = [_texts(one).values() for one in _documents(case, there)]
        return not all(
            any(self.found(header, texts) for texts in documents) for header in case.answer.headers
        )


class PageFlag(_Flag):
    """Whether the quote cannot be found on the page that the answer names."""

    name = "page_flag"
    title = "quote not on its page"

    def raised(self, case: AnswerCase, there: Mapping[str, Document]) -> bool:
        if not case.answer.quote:
            return _without_quote(case)
        return not any(
            self.found(case.answer.quote, [_text_at(ref, there)]) for ref in case.answer.sources
        )


class IrrelevantHeadersFlag(_Flag):
    """Whether none of the headers can be found on the quote's page or the one before.

    The quote's page is the one that the answer names, if it stands there; else the pages where it
    stands; else the one that is named.
    """

    name = "irrelevant_headers_flag"
    title = "headers irrelevant"

    def raised(self, case: AnswerCase, there: Mapping[str, Document]) -> bool:
        if not case.answer.headers:
            return False
        near = [
            _text_at(PageRef(ref.doc_id, number), there)
            for ref in self._pages(case, there)
            for number in (ref.page_no - 1, ref.page_no)
        ]
        return not any(
            self.found(header, [text]) for header in case.answer.headers for text in near
        )

    def _pages(self, case: AnswerCase, there: Mapping[str, Document]) -> list[PageRef]:
        quote, named = case.answer.quote, list(case.answer.sources)
        standing = [ref for ref in named if quote and self.found(quote, [_text_at(ref, there)])]
        if standing or not quote:
            return standing or named
        return [
            PageRef(document.doc_id, number)
            for document in _documents(case, there)
            for number, text in _texts(document).items()
            if self.found(quote, [text])
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
