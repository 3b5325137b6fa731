"""A page as the rules see it: regions, tables, and runs of plain words with the gaps in them."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property

from ohr.markup.tables import ParsedTable, parse_tables
from perturb.text.scanner import MarkupKind, MarkupRegion, scan
from perturb.text.structure import Span, Structure, merged, within

# A word of text alone: no mark-up, except an escaped sign of which LaTeX makes a character.
_LETTERS = r"[^\s\\*_`\[\]<>{}^~|&$#@]"
_WORD = rf"(?=\S)(?:{_LETTERS}|\\[$%&#]){{1,40}}+(?!\S)"
_WORDS = re.compile(rf"(?<!\S)(?<!\\\s){_WORD}(?:[ \t]++{_WORD})*+")
_GAP = re.compile(r"[ \t]+")
_HEADING = re.compile(r"^ {0,3}(#{1,6}[ \t]+)(?=\S)[^\n]*", re.MULTILINE)
_MARK = r"(?:(?:[-+*>•◦▪●■□–]|\d{1,9}[.)]|\(?[a-zA-Z]{1,3}[.)]|\(\d{1,3}\))[ \t]+)++"
_LIST_MARK = re.compile(rf"^[ \t]*{_MARK}", re.MULTILINE)
_CELL_MARK = re.compile(_MARK)
_COMMENT = re.compile(r"(?<!\\)%[^\n]*")
_CONTAINER = re.compile(r"^[ \t]*(?:[-+*>]|\d{1,9}[.)])(?!\S)", re.MULTILINE)
_BLOCK_START = re.compile(r"[-+*#>=:|~`<_•]|\d{1,9}[.)](?!\S)")
_RULE_LINE = re.compile(r"[-=*_:|+ \t]*[-=*_][-=*_:|+ \t]*$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Words:
    """Plain words on one line, ``text[start:end]``; ``gaps`` are the spaces between them."""

    start: int
    end: int
    gaps: list[Span]

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
        tables = parse_tables(self.text)
        self.structure = Structure(self.text, [table.span for table in tables])
        # A table that a code block shows is code.
        self.tables = [t for t in tables if not within(self.structure.fences, t.span[0])]
        self.headings = []
        self.body = [self._body(*stretch) for stretch in self._outside_tables()]
        self.cells = [
            self._cell(cell.content_span, table.format)
            for table in self.tables
            for cell in table.cells
            if cell.content_span[0] < cell.content_span[1]
        ]

    def _outside_tables(self) -> Iterator[tuple[int, int, str]]:
        """Stretches of body text, each with the format of the table right above it."""
        done, above = 0, ""
        for table in self.tables:
            if done < table.span[0]:
                yield done, table.span[0], above
            done, above = table.span[1], table.format
        if done < len(self.text):
            yield done, len(self.text), above

    def _cell(self, span: Span, format_: str) -> Area:
        start, end = span
        regions = scan(self.structure, start, end)
        shields = [(region.start, region.end) for region in regions]
        marks = [mark.span() for mark in _LIST_MARK.finditer(self.text, start, end)]
        # "^" does not match where a stretch begins inside a line.
        marks += [mark.span() for mark in (_CELL_MARK.match(self.text, start, end),) if mark]
        shields = merged(shields + marks) if marks else shields
        # A cell's edges part words as white space does, so it is read on its own.
        words = list(_plain(self.text[start:end], start, (start, end), shields))
        return Area(start, end, regions, words, format_)

    def _body(self, start: int, end: int, above: str) -> Area:
        regions = scan(self.structure, start, end)
        shields = [(region.start, region.end) for region in regions]
        code = [(region.start, region.end) for region in regions if region.kind is MarkupKind.CODE]
        tail = start
        if above == "markdown":
            # Whatever follows a Markdown table without a blank line would be its last row.
            tail = self.structure.paragraph_end(start, end)
            shields.append((start, tail))
        if "#" in self.text:
            for heading in _HEADING.finditer(self.text, start, end):
                if not within(code, heading.start()) and heading.start() >= tail:
                    shields.append(heading.span())
                    # Code right below would go on with the paragraph that loses the mark.
                    if not within(code, heading.end() + 1):
                        self.headings.append(heading.span(1))
        shields += (mark.span() for mark in _LIST_MARK.finditer(self.text, start, end))
        shields += self._loose_rows(start, end)
        words = list(_plain(self.text, 0, (start, end), merged(shields)))
        return Area(start, end, regions, words)

    def _loose_rows(self, start: int, end: int) -> Iterator[Span]:
        """Lines that look like rows of a table that lost its frame."""
        for sign, least in (("&", 2), ("\\\\", 1), ("|", 2)):
            at = self.text.find(sign, start, end)
            while at >= 0:
                line_start = max(start, self.text.rfind("\n", start, at) + 1)
                line_end = self.text.find("\n", at, end)
                line_end = end if line_end < 0 else line_end
                if self.text.count(sign, line_start, line_end) >= least:
                    yield line_start, line_end
                at = self.text.find(sign, line_end, end)

    @cached_property
    def comments(self) -> list[Span]:
        """What LaTeX would take for comments: from a bare ``%`` to the line's end."""
        return [match.span() for match in _COMMENT.finditer(self.text)]

    @cached_property
    def _containers(self) -> list[int]:
        return [match.start() for match in _CONTAINER.finditer(self.text)]

    def in_container(self, position: int) -> bool:
        """Whether this position's paragraph has a line of a Markdown list or quotation."""
        if not self._containers:
            return False
        blank = self.structure.blank_lines
        at = bisect_left(blank, position)
        start = blank[at - 1] if at else 0
        end = blank[at] if at < len(blank) else len(self.text)
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
    # The pattern takes the stretch's end for the text's: a word that goes on is cut there.
    cut = end < len(text) and not text[end].isspace()
    for match in _WORDS.finditer(text, start, end):
        a, b = match.span()
        gaps = [(base + gap.start(), base + gap.end()) for gap in _GAP.finditer(text, a, b)]
        if cut and b == end:
            if not gaps:
                continue
            b = gaps.pop()[0] - base
        if any(map(str.isalnum, text[a:b])):
            yield Words(base + a, base + b, gaps)
