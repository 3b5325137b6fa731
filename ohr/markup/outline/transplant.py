"""Puts the headings of one version of a document into another version of its text.

Swapping only the headings shows how much of a system's loss under noise is due to the outline of
documents.
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


def transplant_headings(text: DocumentTree, outline: DocumentTree) -> Document:
    """The pages of ``text`` with the headings of ``outline`` as Markdown instead of their own.

    The marks of their own headings are removed, and the words stay. The other headings are put
    before the words that follow them in ``outline``; pages are aligned word by word. Pages that are
    not in ``outline`` get no headings.
    """
    put: dict[PageRef, list[Section]] = {}
    for section in outline.sections:
        put.setdefault(outline.pages[section.start.page].ref, []).append(section)
    other = {page.ref: page.text for page in outline.pages}
    pages = []
    for page in text.pages:
        bare, other_text = _drop_marks(page.text), other.get(page.ref, "")
        pages.append(Page(page.ref, _replace_headings(bare, other_text, put.get(page.ref, ()))))
    domain = text.doc_id.partition("/")[0]
    return Document(text.doc_id, domain, pages)


def _drop_marks(text: str) -> str:
    """A page's text with only the titles of the headings in mark-up."""
    parts, done = [], 0
    for heading in headings(text, untitled=True):
        parts += [text[done : heading.start], heading.title]
        done = heading.end
    return "".join([*parts, text[done:]])


def _replace_headings(text: str, other: str, sections: Sequence[Section]) -> str:
    if not sections:
        return text
    ours, theirs = list(_WORD.finditer(text)), list(_WORD.finditer(other))
    where = _aligned([word.group() for word in theirs], [word.group() for word in ours])
    starts = [word.start() for word in theirs]
    parts, done = [], 0
    for section in sections:
        after = where[bisect_left(starts, section.body.at)]
        position = max(done, ours[after].start() if after < len(ours) else len(text))
        mark = f"{'#' * section.level} {section.title}"
        parts += [text[done:position], f"\n\n{mark}\n\n"]
        done = position
    return "".join([*parts, text[done:]])


def _aligned(words: Sequence[str], other_words: Sequence[str]) -> list[int]:
    """For each place between words, ends included, the corresponding place in ``other_words``."""
    where = [0] * (len(words) + 1)
    for code in Levenshtein.opcodes(words, other_words):
        for position in range(code.src_start, code.src_end):
            where[position] = min(code.dest_start + position - code.src_start, code.dest_end)
    where[len(words)] = len(other_words)
    return where
