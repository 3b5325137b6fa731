"""Finds headings in plain text without mark-up, by number, case and length of the lines.

A heading is a short separate line that is no sentence: it begins with a number, is in capitals, or
is followed by running text. Not headings are lines of tables and of contents, list items, captions,
and lines at the edges of several pages (running headers, page numbers).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ohr.markup.lines import LIST_MARK
from ohr.markup.outline.numbering import Number, caption_of, number_of
from ohr.markup.outline.tree import HeadingSource
from ohr.markup.page import read_page
from ohr.markup.structure import is_covered

LONGEST = 100
"""Most characters of a heading's line."""
MOST_WORDS = 14
RUNNING = 3
"""Least number of pages that have a running header or footer at their edge."""
_EDGE = 2
"""Number of lines at the top and at the bottom of a page that are its edges."""
_MOST_AFTER_BARE = 8
_CAPITALS_RANK = 50
_SHORT_RANK = 60
_LINE = re.compile(r"[^\n]*(?:\n|\Z)")
_DIGITS = re.compile(r"\d+")
_WORD = re.compile(r"[^\W\d_]{2,}")
_LEADERS = re.compile(r"(?:\.[ \t]?){3,}|[ \t]\d{1,4}[ \t]*$")
_COLUMNS = re.compile(r"\S[ \t]{3,}\S|\t|\||[$€£]\s?\d|\d[ \t]+[$(]?\d")
_BOLD = re.compile(r"(?:\*\*|__)([^*_\n]+)(?:\*\*|__)")
_SHORT = 0.6
"""On pages without empty lines, a line shorter than this share of the widest ends a paragraph."""
_PARAGRAPH_END = (".", ":", "?", "!")
_SENTENCE_END = (".", ",", ";", ":", "?", "!", "-", "—", "…")


@dataclass(frozen=True, slots=True)
class PlainHeading:
    """A line that looks like a heading: its place in the page's text, its title, its rank (a
    smaller one is further out), and how it was recognised.
    """

    start: int
    end: int
    title: str
    rank: int
    source: HeadingSource


@dataclass(frozen=True, slots=True)
class _Line:
    start: int
    end: int
    text: str
    """Stripped."""
    alone: bool
    """Whether it is a whole paragraph."""
    opens: bool
    """Whether it begins a paragraph."""


def running_lines(pages: Sequence[str]) -> frozenset[str]:
    """Headers and footers: lines at the edges of at least three pages, regardless of numbers."""
    seen: Counter[str] = Counter()
    for text in pages:
        lines = [line for line in text.splitlines() if line.strip()]
        edges = lines[:_EDGE] + lines[-_EDGE:]
        seen.update({_likeness(line) for line in edges if len(line) <= LONGEST})
    return frozenset(line for line, count in seen.items() if count >= RUNNING and line)


def _likeness(line: str) -> str:
    return " ".join(_DIGITS.sub("0", line).lower().split())


def plain_headings(text: str, running: frozenset[str] = frozenset()) -> list[PlainHeading]:
    """The headings of a page's plain text, in order.

    ``running``: headers and footers, as :func:`running_lines` returns them, which are no headings.
    """
    page = read_page(text)
    tables_and_code = sorted([*page.structure.tables, *page.structure.fences])
    headings: list[PlainHeading] = []
    lines = list(_lines(text))
    for number, line in enumerate(lines):
        if len(line.text) > LONGEST or is_covered(tables_and_code, line.start):
            continue
        at_edge = number < _EDGE or number >= len(lines) - _EDGE
        if at_edge and _likeness(line.text) in running:
            continue
        following = lines[number + 1] if number + 1 < len(lines) else None
        if following is not None and is_covered(tables_and_code, following.start):
            following = None
        heading = _heading(line, following)
        if heading is not None:
            headings.append(heading)
    return headings


def _lines(text: str) -> Iterator[_Line]:
    """The non-empty lines of a page.

    On a page without empty lines, a line's length and last character decide where paragraphs end.
    """
    spans = [match.span() for match in _LINE.finditer(text) if match.end() > match.start()]
    texts = [text[a:b].strip() for a, b in spans]
    spaced = any(not line for line in texts[1:-1])
    short = _SHORT * max(map(len, texts), default=0)
    for number, ((start, end), line) in enumerate(zip(spans, texts, strict=True)):
        if not line:
            continue
        before = texts[number - 1] if number else ""
        after = texts[number + 1] if number + 1 < len(texts) else ""
        if spaced:
            opens, closes = not before, not after
        else:
            opens = len(before) < short or before.endswith(_PARAGRAPH_END)
            closes = len(line) < short
        yield _Line(start, end, line, opens and closes, opens)


def _heading(line: _Line, following: _Line | None) -> PlainHeading | None:
    bold = _BOLD.fullmatch(line.text)
    text = bold[1] if bold is not None else line.text
    words = text.split()
    if not line.opens or len(words) > MOST_WORDS or not _WORD.search(text):
        return None
    if _LEADERS.search(text) or _COLUMNS.search(text) or caption_of(text) is not None:
        return None
    number = number_of(text)
    title = text[number.title_at :].lstrip("_~|*- ") if number is not None else text
    if number is not None and not _is_numbered(number, title, line, following):
        number = None
    if number is not None:
        return PlainHeading(line.start, line.end, " ".join(words), number.rank, "numbering")
    if LIST_MARK.match(text) or not (text[0].isupper() or text[0] in "\"“'(§"):
        return None
    if text.endswith(_SENTENCE_END):
        return None
    letters = [c for c in text if c.isalpha()]
    if len(letters) >= 4 and all(c.isupper() for c in letters if c.isupper() or c.islower()):
        return PlainHeading(line.start, line.end, " ".join(words), _CAPITALS_RANK, "capitals")
    before_prose = following is not None and _is_prose(following.text)
    if line.alone and (bold is not None or before_prose):
        return PlainHeading(line.start, line.end, " ".join(words), _SHORT_RANK, "short line")
    return None


def _is_numbered(number: Number, title: str, line: _Line, following: _Line | None) -> bool:
    """Whether a line with a number is a heading, not a list item, quantity or sentence."""
    if title and (title.endswith((".", ",", ";")) and len(title.split()) > 4):
        return False
    if title and not (title[0].isupper() or title[0] in "\"“'("):
        return False
    if number.bare and not (title and line.alone and len(title.split()) <= _MOST_AFTER_BARE):
        return False
    if number.bare and (len(number.text) > 2 or title.endswith(_SENTENCE_END)):
        return False
    # Only "Item 1" or "2.1" are clear: list items too begin with "1." or "(a)".
    worded = " " in number.text or "." in number.text
    if not title:
        return worded
    listed = following is not None and not line.alone and number_of(following.text) is not None
    return not listed and (worded or line.alone)


def _is_prose(text: str) -> bool:
    """Whether a line is running text: eight words, few of them numbers."""
    words = text.split()
    return len(words) >= 8 and sum(not any(c.isdigit() for c in w) for w in words) >= 6
