"""Which page of a document an output page is, by their words."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping

from ohr.markup.writing_systems import UNSPACED_LETTERS
from ohr.types import Document, Outcome

LEAST_SHARE = 0.2
"""Share of the output's words on its pages from which they can be those pages."""
LEAST_LEAD = 0.15
"""How much larger than any other's the share of the best numbering is."""
MOST_PAGES = 50
"""Pages that are compared, the first ones with words."""
_WORD = re.compile(rf"[{UNSPACED_LETTERS}]|[^\W_{UNSPACED_LETTERS}]+")


def find_shift(
    document: Document, pages: Mapping[int, Outcome[str]], shifts: tuple[int, ...]
) -> int | None:
    """The one of ``shifts`` that turns numbers of the output into those of the document's pages.

    None if the words do not tell: no text to compare with, pages that are alike, other text.
    """
    truth = {page.ref.page_no: page.text for page in document.pages}
    counts = {number: _words(truth[number]) for number in _close_pages(pages, truth, shifts)}
    matched, total = Counter[int](), 0
    compared = 0
    for number, outcome in sorted(pages.items()):
        words = _words(outcome.value or "")
        if not words:
            continue
        total += words.total()
        for shift in shifts:
            if (other := counts.get(number + shift)) is not None:
                matched[shift] += (words & other).total()
        compared += 1
        if compared == MOST_PAGES:
            break
    if not total:
        return None
    best, *rest = sorted(shifts, key=lambda shift: -matched[shift])
    lead = min(matched[best] - matched[other] for other in rest)
    is_clear = matched[best] >= LEAST_SHARE * total and lead >= LEAST_LEAD * total
    return best if is_clear else None


def _close_pages(
    pages: Mapping[int, Outcome[str]], truth: Mapping[int, str], shifts: tuple[int, ...]
) -> set[int]:
    return {number + shift for number in pages for shift in shifts} & truth.keys()


def _words(text: str) -> Counter[str]:
    return Counter(_WORD.findall(text.casefold()))
