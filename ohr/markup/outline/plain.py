"""Headings of plain text, by number, case and length of their lines, for readings without mark-up.

A heading is a short line by itself that is no sentence: with a number before it, in capitals, or
followed by running text. Lines of tables and of contents, list items, captions, and what stands
at the edge of several pages alike (running headers, page numbers) are none.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ohr.markup.lines import LIST_MARK
from ohr.markup.outline.numbering import Number, caption_of, number_of
from ohr.markup.outline.tree import Found
from ohr.markup.page import read_page
from ohr.markup.structure import within

LONGEST = 100
"""Characters of a heading's line."""
MOST_WORDS = 14
RUNNING = 3
"""Pages at whose edge a line stands alike before it is a running header or footer."""
_EDGE = 2
"""Lines from a page's first or last one that are its edge."""
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
"""Of a page's widest line: a shorter one ends a paragraph, where no empty lines do."""
_PARAGRAPH_END = (".", ":", "?", "!")
_SENTENCE_END = (".", ",", ";", ":", "?", "!", "-", "—", "…")


@dataclass(frozen=True, slots=True)
class PlainHeading:
    """A line that looks like a heading: its place in the page's text, title, how far out it
    stands (a smaller ``rank`` is further out), and how it was recognised.
    """

    start: int
    end: int
    title: str
    rank: int
    found: Found


@dataclass(frozen=True, slots=True)
class _Line:
    start: int
    end: int
    text: str
    """Stripped."""
    alone: bool
    """Whether it is a paragraph by itself."""
    opens: bool
    """Whether it begins a paragraph."""


def running_lines(pages: Sequence[str]) -> frozenset[str]:
    """What stands at the edges of at least three pages, numbers apart: headers and footers."""
    seen: Counter[str] = Counter()
    for text in pages:
        lines = [line for line in text.splitlines() if line.strip()]
        edges = lines[:_EDGE] + lines[-_EDGE:]
        seen.update({_likeness(line) for line in edges if len(line) <= LONGEST})
    return frozenset(line for line, count in seen.items() if count >= RUNNING and line)


def _likeness(line: str) -> str:
    return " ".join(_DIGITS.sub("0", line).lower().split())


def plain_headings(text: str, running: frozenset[str] = frozenset()) -> list[PlainHeading]:
    """The headings of a page's plain text, in order. ``running``: lines that are none."""
    page = read_page(text)
    taken = sorted([*page.structure.tables, *page.structure.fences])
    found: list[PlainHeading] = []
    lines = list(_lines(text))
    for number, line in enumerate(lines):
        if len(line.text) > LONGEST or within(taken, line.start):
            continue
        at_edge = number < _EDGE or number >= len(lines) - _EDGE
        if at_edge and _likeness(line.text) in running:
            continue
        following = lines[number + 1] if number + 1 < len(lines) else None
        if following is not None and within(taken, following.start):
            following = None
        heading = _heading(line, following)
        if heading is not None:
            found.append(heading)
    return found


def _lines(text: str) -> Iterator[_Line]:
    """The lines that are not empty.

    Where a page has no empty lines, a line's length and last character say where paragraphs end.
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
    """Whether a line with a number is a heading, and no item of a list, quantity or sentence."""
    if title and (title.endswith((".", ",", ";")) and len(title.split()) > 4):
        return False
    if title and not (title[0].isupper() or title[0] in "\"“'("):
        return False
    if number.bare and not (title and line.alone and len(title.split()) <= _MOST_AFTER_BARE):
        return False
    if number.bare and (len(number.text) > 2 or title.endswith(_SENTENCE_END)):
        return False
    # "Item 1", "2.1", and not "1." or "(a)", which items of lists have too.
    worded = " " in number.text or "." in number.text
    if not title:
        return worded
    listed = following is not None and not line.alone and number_of(following.text) is not None
    return not listed and (worded or line.alone)


def _is_prose(text: str) -> bool:
    """Whether a line is running text: eight words, few of them numbers."""
    words = text.split()
    return len(words) >= 8 and sum(not any(c.isdigit() for c in w) for w in words) >= 6
