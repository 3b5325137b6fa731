"""A page as the rules see it: regions, tables, and runs of plain words with the gaps in them."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise

from ohr.markup.lines import LIST_MARK, LIST_MARKS
from ohr.markup.page import read_page
from ohr.markup.scanner import MarkupKind, MarkupRegion
from ohr.markup.structure import Span, merged
from ohr.markup.tables import ParsedTable
from ohr.markup.writing_systems import has_unspaced, unspaced_tokens

# A word of text alone: no mark-up, except an escaped sign of which LaTeX makes a character.
_LETTERS = r"[^\s\\*_`\[\]<>{}^~|&$#@]"
_WORD = rf"(?=\S)(?:{_LETTERS}|\\[$%&#]){{1,40}}+(?!\S)"
_WORDS = re.compile(rf"(?<!\S)(?<!\\\s){_WORD}(?:[ \t]++{_WORD})*+")
_PLAIN = re.compile(rf"(?:{_LETTERS}|\\[$%&#]|[ \t])+")
_GAP = re.compile(r"[ \t]+")
_CODE = (MarkupKind.CODE, MarkupKind.INDENTED)
_CELL_MARK = re.compile(LIST_MARKS)
_COMMENT = re.compile(r"(?<!\\)%[^\n]*")
_CONTAINER = re.compile(r"^[ \t]*(?:[-+*>]|\d{1,9}[.)])(?!\S)", re.MULTILINE)
_BLOCK_START = re.compile(r"[-+*#>=:|~`<_•]|\d{1,9}[.)](?!\S)")
_RULE_LINE = re.compile(r"[-=*_:|+ \t]*[-=*_][-=*_:|+ \t]*$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Words:
    """Plain words on one line, ``text[start:end]``; ``gaps`` are the spaces between them.

    In scripts without spaces between words (``unspaced``), two tokens are taken for a word, and
    most gaps are empty.
    """

    start: int
    end: int
    gaps: list[Span]
    unspaced: bool = False

    @property
    def count(self) -> int:
        return len(self.gaps) + 1

    def word(self, number: int) -> Span:
        """Where a word stands, counted from 0."""
        start = self.gaps[number - 1][1] if number else self.start
        end = self.gaps[number][0] if number < len(self.gaps) else self.end
        return start, end


@dataclass(frozen=True, slots=True)
class Area:
    """A stretch of body text, or a table cell's content."""

    start: int
    end: int
    regions: list[MarkupRegion]
    words: list[Words]
    format: str = ""
    """The format of the table that a cell belongs to; empty for body text."""


@dataclass
class EditablePage:
    """A page's text, read once. Nothing here is random."""

    text: str
    tables: list[ParsedTable] = field(init=False)
    body: list[Area] = field(init=False)
    cells: list[Area] = field(init=False)
    headings: list[Span] = field(init=False)
    """The marks of Markdown headings, ``# `` with the space."""

    def __post_init__(self) -> None:
        page = read_page(self.text)
        self.structure = page.structure
        self.tables = page.tables
        self.headings = []
        formats = {table.span[1]: table.format for table in self.tables}
        self.body = [
            self._body(*span, regions, formats.get(span[0], "")) for span, regions in page.stretches
        ]
        self.cells = [
            self._cell(span, regions, table.format)
            for table, cells in zip(self.tables, page.cells, strict=True)
            for span, regions in cells
        ]

    def _cell(self, span: Span, regions: list[MarkupRegion], format_: str) -> Area:
        start, end = span
        shields = [(region.start, region.end) for region in regions]
        marks = [mark.span() for mark in LIST_MARK.finditer(self.text, start, end)]
        # "^" does not match where a stretch begins inside a line.
        marks += [mark.span() for mark in (_CELL_MARK.match(self.text, start, end),) if mark]
        shields = merged(shields + marks) if marks else shields
        # A cell's edges part words as white space does, so it is read on its own.
        words = list(_plain(self.text[start:end], start, (start, end), shields))
        return Area(start, end, regions, words, format_)

    def _body(self, start: int, end: int, candidates: list[MarkupRegion], above: str) -> Area:
        """A stretch of body text; ``above`` is the format of the table right above it."""
        shields = [(region.start, region.end) for region in candidates]
        regions: list[MarkupRegion] = []
        tail = start
        if above == "markdown":
            # Whatever follows a Markdown table without a blank line would be its last row.
            tail = self.structure.paragraph_end(start, end)
            shields.append((start, tail))
        for region, following in pairwise([*candidates, None]):
            if region is None or region.kind is MarkupKind.INDENTED:
                continue
            if not self._is_marked(region):
                regions.append(region)
                continue
            regions += region.inside
            # Code right below would go on with the paragraph that loses the mark.
            code_below = following is not None and (
                following.start == region.end + 1 and following.kind in _CODE
            )
            if region.start >= tail and region.inner_start < region.inner_end and not code_below:
                mark = self.text.index("#", region.start)
                self.headings.append((mark, region.inner_start))
        shields += (mark.span() for mark in LIST_MARK.finditer(self.text, start, end))
        shields += self._loose_rows(start, end)
        words = list(_plain(self.text, 0, (start, end), merged(shields)))
        return Area(start, end, regions, words)

    def _is_marked(self, region: MarkupRegion) -> bool:
        """Whether it is a heading with Markdown's signs."""
        return region.kind is MarkupKind.HEADING and self.text[region.start] in " #"

    def _loose_rows(self, start: int, end: int) -> Iterator[Span]:
        """Lines that look like rows of a table that lost its frame."""
        for sign, least in (("&", 2), ("\\\\", 1), ("|", 2)):
            position = self.text.find(sign, start, end)
            while position >= 0:
                line_start = max(start, self.text.rfind("\n", start, position) + 1)
                line_end = self.text.find("\n", position, end)
                line_end = end if line_end < 0 else line_end
                if self.text.count(sign, line_start, line_end) >= least:
                    yield line_start, line_end
                position = self.text.find(sign, line_end, end)

    @cached_property
    def comments(self) -> list[Span]:
        """What LaTeX would take for comments: from a bare ``%`` to the line's end."""
        return [match.span() for match in _COMMENT.finditer(self.text)]

    @cached_property
    def _containers(self) -> list[int]:
        return [match.start() for match in _CONTAINER.finditer(self.text)]

    def is_in_container(self, position: int) -> bool:
        """Whether this position's paragraph has a line of a Markdown list or quotation."""
        if not self._containers:
            return False
        blank = self.structure.blank_lines
        index = bisect_left(blank, position)
        start = blank[index - 1] if index else 0
        end = blank[index] if index < len(blank) else len(self.text)
        first = bisect_left(self._containers, start)
        return first < len(self._containers) and self._containers[first] < end

    def starts_block(self, position: int) -> bool:
        """Whether what stands here would open a block if a line began with it."""
        return _BLOCK_START.match(self.text, position) is not None

    def ruled(self, position: int) -> bool:
        """Whether the line of this position is a rule or an underline: ``---``, ``===``."""
        start = self.text.rfind("\n", 0, position) + 1
        return _RULE_LINE.match(self.text, start) is not None


def _plain(text: str, base: int, stretch: Span, shields: list[Span]) -> Iterator[Words]:
    """Runs of plain words in a stretch outside the shields, which are sorted and apart.

    ``text`` begins at ``base`` of the page; all spans are the page's.
    """
    done = stretch[0]
    for a, b in [*shields, (stretch[1], stretch[1])]:
        if done < a:
            yield from _words(text, base, done - base, a - base)
        done = max(done, b)


def _words(text: str, base: int, start: int, end: int) -> Iterator[Words]:
    if not has_unspaced(text[start:end]):
        yield from _spaced_words(text, base, start, end)
        return
    while start < end:
        line_end = text.find("\n", start, end) + 1 or end
        unspaced = has_unspaced(text[start:line_end])
        yield from (_unspaced_words if unspaced else _spaced_words)(text, base, start, line_end)
        start = line_end


def _spaced_words(text: str, base: int, start: int, end: int) -> Iterator[Words]:
    # The pattern takes the stretch's end for the text's: a word that goes on is cut there.
    cut = end < len(text) and not text[end].isspace() and text[end - 1] != "\n"
    for match in _WORDS.finditer(text, start, end):
        a, b = match.span()
        gaps = [(base + gap.start(), base + gap.end()) for gap in _GAP.finditer(text, a, b)]
        if cut and b == end:
            if not gaps:
                continue
            b = gaps.pop()[0] - base
        if any(map(str.isalnum, text[a:b])):
            yield Words(base + a, base + b, gaps)


def _unspaced_words(text: str, base: int, start: int, end: int) -> Iterator[Words]:
    """The words of a line in a script without spaces between words."""
    for match in _PLAIN.finditer(text, start, end):
        first, last = match.span()
        tokens = [(first + a, first + b) for a, b in unspaced_tokens(match[0])]
        # What touches mark-up may belong to it: another mark beside it would join it.
        if tokens and first > 0 and not text[first - 1].isspace() and tokens[0][0] == first:
            del tokens[0]
        if tokens and last < len(text) and not text[last].isspace() and tokens[-1][1] == last:
            del tokens[-1]
        if _AFTER_A.search(text, max(0, first - 12), first):
            del tokens[:2]  # see _pairs
        words = _pairs(text, tokens)
        if words and any(map(str.isalnum, text[words[0][0] : words[-1][1]])):
            gaps = [(base + a[1], base + b[0]) for a, b in pairwise(words)]
            yield Words(base + words[0][0], base + words[-1][1], gaps, unspaced=True)


_AFTER_A = re.compile(r"(?:\A|[\W_])[aA][\W_]*\Z")
"""A lone ``a``, on the line before or in mark-up, and what parts it from what follows."""
_MARK = re.compile(r"\d{1,9}[.)]|[-+*#>=~|:]+")
"""Tokens that begin a block of Markdown where they begin a line."""


def _pairs(text: str, tokens: list[Span]) -> list[Span]:
    """Words of up to two tokens that touch; a number or a Latin word is one of its own.

    A lone ``a`` stays with the two tokens after it: it is an article only before a word of two
    letters. What would be a list's mark on a line of its own stays with its neighbours.
    """
    words: list[Span] = []
    is_open, to_join = False, 0
    for start, end in tokens:
        is_letter = has_unspaced(text[start:end])
        is_lone = text[end - 1] in "aA" and not text[max(start, end - 2) : end - 1].isalnum()
        is_mark = _MARK.fullmatch(text, start, end) is not None
        touches = bool(words) and words[-1][1] == start
        joins = to_join > 0 or (is_mark and bool(words)) or (is_open and is_letter and touches)
        if joins:
            words[-1] = words[-1][0], end
        else:
            words.append((start, end))
        is_open = not joins and is_letter and text[end - 1].isalnum()
        to_join = 2 if is_lone else max(to_join - 1, int(is_mark))
    return words
