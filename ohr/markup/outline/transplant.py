"""One document's headings in another reading of it: what a text would be with the other's outline.

Swapping headings and nothing else says how much of what noise costs a system goes through the
structure of documents.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence

from rapidfuzz.distance import Levenshtein

from ohr.markup.headings import headings
from ohr.markup.outline.tree import DocumentTree, Section
from ohr.types import Document, Page, PageRef

_WORD = re.compile(r"\S+")


def with_headings_of(text: DocumentTree, outline: DocumentTree) -> Document:
    """The pages of ``text`` with the headings of ``outline`` as Markdown, and none of their own.

    A heading's own mark is removed and its words stay. The other's are put where the words that
    follow them stand: pages are aligned word by word. Pages that ``outline`` lacks get none.
    """
    put: dict[PageRef, list[Section]] = {}
    for section in outline.sections:
        put.setdefault(outline.pages[section.start.page].ref, []).append(section)
    other = {page.ref: page.text for page in outline.pages}
    pages = []
    for page in text.pages:
        bare, there = _without_marks(page.text), other.get(page.ref, "")
        pages.append(Page(page.ref, _with_headings(bare, there, put.get(page.ref, ()))))
    domain = text.doc_id.partition("/")[0]
    return Document(text.doc_id, domain, pages)


def _without_marks(text: str) -> str:
    """A page's text with the headings in mark-up as plain lines of their titles."""
    parts, done = [], 0
    for heading in headings(text, untitled=True):
        parts += [text[done : heading.start], heading.title]
        done = heading.end
    return "".join([*parts, text[done:]])


def _with_headings(text: str, other: str, sections: Sequence[Section]) -> str:
    if not sections:
        return text
    ours, theirs = list(_WORD.finditer(text)), list(_WORD.finditer(other))
    where = _aligned([word.group() for word in theirs], [word.group() for word in ours])
    starts = [word.start() for word in theirs]
    parts, done = [], 0
    for section in sections:
        after = where[bisect_left(starts, section.body.at)]
        at = max(done, ours[after].start() if after < len(ours) else len(text))
        mark = f"{'#' * section.level} {section.title}"
        parts += [text[done:at], f"\n\n{mark}\n\n"]
        done = at
    return "".join([*parts, text[done:]])


def _aligned(one: Sequence[str], other: Sequence[str]) -> list[int]:
    """For each place between words of ``one``, ends included, the place in ``other``."""
    where = [0] * (len(one) + 1)
    for code in Levenshtein.opcodes(one, other):
        for at in range(code.src_start, code.src_end):
            where[at] = min(code.dest_start + at - code.src_start, code.dest_end)
    where[len(one)] = len(other)
    return where
