"""Finds the page of a document that holds an answer, or evidence, that is given without a page."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import lru_cache

from ohr.datasets.locating import lines_with
from ohr.datasets.wording import verdict
from ohr.markup.folding import fold
from ohr.metrics.default import lcs
from ohr.metrics.scores import R_NOISE_THRESHOLD
from ohr.types import Document, Page, PageRef, Question

_NAMED = 5
_MOST_LINES = 8
"""Most lines over which an answer may run."""
_WITHOUT_SPACES = 0x2E80
"""From this code point on, letters belong to writing without spaces between words."""


@dataclass(frozen=True)
class PageSearch:
    """The result of a search: the only page and its evidence, or the reason for doubt."""

    page: PageRef | None = None
    evidence: str = ""
    doubt: str = ""


def search_page(
    question: Question, document: Document, without_truth: Collection[PageRef]
) -> PageSearch:
    """Search the whole document for the page that holds the evidence or, without one, an answer.

    Pages of ``without_truth`` are not searched. The result is in doubt if several pages match, or
    none, and for yes and no, which are not searched for.
    """
    pages = [page for page in document.pages if page.ref not in without_truth]
    unsearched = len(document.pages) - len(pages)
    aside = f"; {unsearched} of its pages have no usable text" if unsearched else ""
    if question.evidence_text.strip():
        what = "its evidence is"
        matches = [
            page for page in pages if lcs(page.text, question.evidence_text) > R_NOISE_THRESHOLD
        ]
    else:
        answers = [answer for answer in question.answers if answer.strip() and not verdict(answer)]
        if not answers:
            reason = "yes and no are not searched for" if question.answers else "it has no answer"
            return PageSearch(doubt=reason)
        what = "its answer is"
        matches = [page for page in pages if holds(answers, page.text)]
    if len(matches) != 1:
        return PageSearch(doubt=f"{what} on {_where(matches)} of {document.doc_id}{aside}")
    evidence = question.evidence_text or evidence_of(answers, matches[0].text)
    return PageSearch(matches[0].ref, evidence)


def _where(pages: Sequence[Page]) -> str:
    if not pages:
        return "no page"
    numbers = [str(page.ref.page_no + 1) for page in pages[:_NAMED]]
    more = f" and {len(pages) - _NAMED} more" if len(pages) > _NAMED else ""
    return f"pages {', '.join(numbers)}{more}"


def holds(answers: Sequence[str], text: str) -> bool:
    """Whether a text contains one of the answers as words of its own, also across lines.

    Case, white space and glyphs that look the same do not matter. ``oil`` is not in ``boil``, and 5
    is not in 15, 1.5 or 5,000. Words of writing without spaces are found anywhere.
    """
    flat = _flat(text)
    return any(_pattern(_flat(answer)).search(flat) for answer in answers if answer.strip())


def evidence_of(answers: Sequence[str], text: str) -> str:
    """The lines of a page that hold an answer, or the fewest successive lines that hold it whole.

    Empty if the answer runs over more than :data:`_MOST_LINES` lines.
    """
    lines = text.splitlines()
    own = [line for line in lines if holds(answers, line)]
    if own:
        return "\n".join(own)
    for count in range(2, _MOST_LINES + 1):
        for start in range(len(lines) - count + 1):
            run = lines[start : start + count]
            if holds(answers, "\n".join(run)):
                return "\n".join(run)
    return lines_with(answers, text)


@lru_cache(maxsize=4096)
def _flat(text: str) -> str:
    return " ".join(fold(text).casefold().split())


@lru_cache(maxsize=4096)
def _pattern(answer: str) -> re.Pattern[str]:
    first, last = answer[:1], answer[-1:]
    before, after = "", ""
    if first.isdigit():
        before = r"(?<!\w)(?<!\d[.,])"
    elif first.isalpha() and ord(first) < _WITHOUT_SPACES:
        before = r"(?<!\w)"
    if last.isdigit():
        after = r"(?!\w)(?!,\d)(?!\.\d*[1-9])"
    elif last.isalpha() and ord(last) < _WITHOUT_SPACES:
        after = r"(?!\w)"
    return re.compile(before + re.escape(answer) + after)
