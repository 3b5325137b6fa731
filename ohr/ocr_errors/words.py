"""The content of a page as words with their places in its source; mark-up stands apart."""

from __future__ import annotations

import re
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import pairwise
from typing import Literal

import numpy as np

from ohr.markup.page import MarkupPage, read_page
from ohr.markup.scanner import MarkupKind, MarkupRegion
from ohr.markup.strip import strip_markup
from ohr.markup.structure import Span
from ohr.markup.writing_systems import has_unspaced, unspaced_tokens

WordKind = Literal["text", "heading", "table", "formula", "chart", "edge", "page number"]
WORD_KINDS: tuple[WordKind, ...] = (
    *("text", "heading", "table", "formula", "chart", "edge", "page number"),
)
"""Words of a chart are those of its table; the *edge* is a short first or last paragraph, such as a
running head; a page number is one of very few words with a digit. An engine that reads the running
head may drop every second page number."""
PART_OF_KIND = (0, 0, 1, 0, 2, 3, 4)
"""Kind of word -> the part of the page (:data:`PARTS`) that it stands in."""
PARTS = ("text", "table", "chart", "edge", "page number")
MarkKind = Literal["heading", "emphasis", "table", "command", "escape"]
MARK_KINDS: tuple[MarkKind, ...] = ("heading", "emphasis", "table", "command", "escape")

MANY_FORMULAS, MANY_CELLS = 0.02, 0.3
"""Shares of a page's words from which it is a page of formulas, or of tables."""
LAYOUT_GROUPS = ("formulas", "charts", "tables", "text")
"""Layouts whose kinds of words have rates of their own; pages of text are one group."""
TEXT_LAYOUTS = {"few words": 50, "short text": 200, "text": 500, "long text": 10**9}
"""Layout -> most words of its pages."""
LONGEST_EDGE = 12
"""Most words of a running head or foot."""
LONGEST_PAGE_NUMBER = 4
"""Most words of a page number: ``Page 3 of 9``."""
MOST_DIGITS = 3
"""Most digits of a page number; a longer number may be a year or a code."""
CACHED_PAGES = 8192
"""Pages that are kept: about 30 kB each."""
_WORD = re.compile(r"\S+")
_ESCAPE = re.compile(r"(?<!\\)\\(?=[%$&#_{}])")
_CHART = re.compile(r"<(?P<closes>/?)chart\b")
_LINE_BREAK = re.compile(r"\n+")
_ROW_END = re.compile(r"\\\\|</tr|\n")


@dataclass(frozen=True, slots=True)
class Mark:
    """Mark-up that an engine may drop: ``source[start:end]`` gives way to ``plain``.

    Marks of one region (a table, a heading) have one ``region`` number.
    """

    kind: MarkKind
    start: int
    end: int
    plain: str
    region: int


@dataclass(frozen=True, slots=True)
class Line:
    """The words ``first`` to ``after`` (not included), which no line break separates.

    ``line_break`` is the one after them in the source (empty after the last line), and ``marks``
    are those of a heading that consists of these words.
    """

    first: int
    after: int
    line_break: Span
    marks: tuple[Mark, ...]


@dataclass(slots=True)
class PageWords:
    """The words of a page's content in order.

    Word i is ``source[starts[i]:stops[i]]``; if mark-up is inside it, ``others[i]`` are the spans
    of its further pieces. A formula is one word; its text is its symbols without commands and
    spaces. In scripts without spaces, a letter is a word.
    """

    source: str
    words: list[str] = field(default_factory=list)
    starts: array[int] = field(default_factory=lambda: array("l"))
    stops: array[int] = field(default_factory=lambda: array("l"))
    others: dict[int, tuple[Span, ...]] = field(default_factory=dict)
    kinds: bytearray = field(default_factory=bytearray)
    """Index of each word's kind in :data:`WORD_KINDS`."""
    marks: list[Mark] = field(default_factory=list)
    lines: list[Line] = field(default_factory=list)
    touching: set[int] = field(default_factory=set)
    """Words without a space between them and the next one."""

    @property
    def length(self) -> int:
        """Characters of the content, with a space between two words that do not touch."""
        return max(0, sum(map(len, self.words)) + len(self.words) - 1 - len(self.touching))

    def gap(self, number: int) -> int:
        """Characters between a word and the next one: 1, or 0 if they touch."""
        return 0 if number in self.touching else 1

    def is_unspaced(self, number: int) -> bool:
        """Whether a word touches one of its neighbours."""
        return number in self.touching or number - 1 in self.touching


def page_words(source: str) -> PageWords:
    """The words and the mark-up of a page of Markdown, LaTeX and HTML."""
    return _Reader(source).read()


def page_layout(page: PageWords) -> str:
    """What a page mostly consists of: formulas, charts, tables, or text of a certain length."""
    count = len(page.words)
    if page.kinds.count(3) >= max(2, MANY_FORMULAS * count):
        return "formulas"
    if page.kinds.count(4):
        return "charts"
    if page.kinds.count(2) >= MANY_CELLS * count > 0:
        return "tables"
    return next(name for name, upto in TEXT_LAYOUTS.items() if count <= upto)


def layout_group(layout: str) -> str:
    """The group (:data:`LAYOUT_GROUPS`) of a layout."""
    return "text" if layout in TEXT_LAYOUTS else layout


def page_parts(page: PageWords) -> list[tuple[int, int, int]]:
    """The page's words by the part they stand in: first word, the one after the last, the part."""
    parts = np.array(PART_OF_KIND, dtype=np.int8)[np.frombuffer(page.kinds, dtype=np.uint8)]
    edges = [0, *(np.flatnonzero(np.diff(parts)) + 1).tolist(), len(parts)]
    return [(a, b, int(parts[a])) for a, b in pairwise(edges) if a < b]


@lru_cache(maxsize=CACHED_PAGES)
def cached_page_words(source: str) -> PageWords:
    """:func:`page_words`, kept for a study that makes errors on its pages again and again."""
    return page_words(source)


class _Reader:
    def __init__(self, source: str) -> None:
        self.page: MarkupPage = read_page(source)
        self.result = PageWords(source)
        self.content: list[str] = []
        self.starts: list[int] = []
        self.offsets: list[int] = []
        self.kinds: list[int] = []
        self.ends: dict[int, int] = {}
        """Start of a formula in the content -> its end in the source."""
        self.length = 0
        self.regions = 0
        self.in_chart = False

    def read(self) -> PageWords:
        tables = {
            table.span: cells
            for table, cells in zip(self.page.tables, self.page.cells, strict=True)
        }
        for region in self.page.regions:
            if region.kind is MarkupKind.TABLE:
                self._table((region.start, region.end), tables[(region.start, region.end)])
            else:
                self._region(region, 0)
        self._split()
        self._edges()
        self.result.lines = list(self._lines())
        return self.result

    def _add(self, start: int, end: int, kind: int) -> None:
        if start < end:
            self.starts.append(self.length)
            self.offsets.append(start)
            self.kinds.append(kind)
            self.content.append(self.page.text[start:end])
            self.length += end - start

    def _gap(self) -> None:
        """A space between words that has no place in the source."""
        self.starts.append(self.length)
        self.offsets.append(-1)
        self.kinds.append(0)
        self.content.append(" ")
        self.length += 1

    def _mark(self, kind: MarkKind, start: int, end: int, plain: str = "") -> None:
        if start < end:
            self.result.marks.append(Mark(kind, start, end, plain, self.regions))

    def _formula(self, region: MarkupRegion) -> None:
        self.starts.append(self.length)
        self.offsets.append(region.start)
        self.kinds.append(3)
        # A stand-in between spaces: the formula is a word of its own.
        self.content.append(f" {_FORMULA} ")
        self.ends[self.length] = region.end
        self.length += 3

    def _region(self, region: MarkupRegion, kind: int) -> None:
        if region.is_formula:
            self._formula(region)
        elif region.kind is MarkupKind.HEADING:
            self._wrapped(region, "heading", 1)
        elif region.kind is MarkupKind.EMPHASIS:
            self._wrapped(region, "emphasis", kind)
        elif region.kind is MarkupKind.COMMAND:
            self._wrapped(region, "command", kind)
        elif region.kind in (MarkupKind.TAG, MarkupKind.IMAGE):
            self.regions += 1
            self._mark("command", region.start, region.end, " ")
            self._gap()
            if tag := _CHART.match(self.page.text, region.start):
                self.in_chart = not tag["closes"]
        else:
            self._plain(region.start, region.end, region.inside, kind)

    def _wrapped(self, region: MarkupRegion, mark: MarkKind, kind: int) -> None:
        self.regions += 1
        self._mark(mark, region.start, region.inner_start)
        self._plain(region.inner_start, region.inner_end, region.inside, kind)
        self._mark(mark, region.inner_end, region.end)

    def _plain(self, start: int, end: int, inside: Iterable[MarkupRegion], kind: int) -> None:
        for region in inside:
            self._text(start, region.start, kind)
            self._region(region, kind)
            start = region.end
        self._text(start, end, kind)

    def _text(self, start: int, end: int, kind: int) -> None:
        """Text without regions; the backslash of ``\\%`` is mark-up."""
        for match in _ESCAPE.finditer(self.page.text, start, end):
            self._add(start, match.start(), kind)
            self.regions += 1
            self._mark("escape", match.start(), match.end())
            start = match.end()
        self._add(start, end, kind)

    def _table(self, span: Span, cells: list[tuple[Span, list[MarkupRegion]]]) -> None:
        first, end = start, _ = span
        self.regions += 1
        own = self.regions
        for (a, b), inside in sorted(cells, key=lambda cell: cell[0]):
            if a < start:  # a cell that stands for several
                continue
            self._mark_between(start, a, own, is_inside=start > first)
            self._plain(a, b, inside, 4 if self.in_chart else 2)
            start = b
        self._mark_between(start, end, own, is_inside=False)

    def _mark_between(self, start: int, end: int, region: int, *, is_inside: bool) -> None:
        """Mark-up before, between or after the cells of a table."""
        between = self.page.text[start:end]
        self._gap()
        if not between.strip():
            return
        plain = "" if not is_inside else "\n" if _ROW_END.search(between) else " "
        cut = between.find("\n")
        if plain != "\n" or cut < 0:
            self.result.marks.append(Mark("table", start, end, plain, region))
            return
        # The source's own line break stays, so that it can go with the words of its row.
        for a, b in ((start, start + cut), (start + cut + 1, end)):
            if a < b:
                self.result.marks.append(Mark("table", a, b, "", region))

    def _split(self) -> None:
        result, text = self.result, "".join(self.content)
        starts, offsets, kinds = [*self.starts, len(text)], self.offsets, self.kinds
        position = 0
        for start, end in self._spans(text):
            while starts[position + 1] <= start:
                position += 1
            number = len(result.words)
            result.kinds.append(kinds[position])
            if kinds[position] == 3 and text[start:end] == _FORMULA:
                a, b = offsets[position], self.ends[starts[position]]
                symbols = "".join(strip_markup(self.page.text[a:b]).split())
                result.words.append(symbols or _FORMULA)
                result.starts.append(a)
                result.stops.append(b)
                continue
            result.words.append(text[start:end])
            first = offsets[position] + start - starts[position]
            result.starts.append(first)
            result.stops.append(first + min(end, starts[position + 1]) - start)
            if end > starts[position + 1]:
                result.others[number] = tuple(self._more(starts, position + 1, end))

    def _spans(self, text: str) -> Iterator[Span]:
        """Where the words are; notes those that touch."""
        unspaced, number = has_unspaced(text), 0
        for match in _WORD.finditer(text):
            spans = [match.span()]
            if unspaced and has_unspaced(match[0]):
                first = match.start()
                spans = [(first + a, first + b) for a, b in unspaced_tokens(match[0])]
                self.result.touching.update(range(number, number + len(spans) - 1))
            yield from spans
            number += len(spans)

    def _edges(self) -> None:
        """Mark the words of a short first and last paragraph."""
        source, result = self.result.source, self.result
        stripped = source.rstrip()
        first, last = (
            source.find("\n\n", len(source) - len(source.lstrip())),
            stripped.rfind("\n\n"),
        )
        if first < 0 or first == last:
            return
        count = len(result.words)
        head = next((i for i in range(count) if result.starts[i] >= first), count)
        foot = next((i for i in range(count, 0, -1) if result.starts[i - 1] < last), 0)
        for own in (range(head), range(foot, count)):
            if len(own) <= LONGEST_EDGE and not any(result.kinds[i] for i in own):
                kind = 6 if _is_page_number([result.words[i] for i in own]) else 5
                for i in own:
                    result.kinds[i] = kind

    def _lines(self) -> Iterator[Line]:
        """The lines of the page; line breaks inside mark-up do not end them."""
        result = self.result
        marks = sorted(result.marks, key=lambda mark: mark.start)
        headings = [mark for mark in marks if mark.kind == "heading"]
        places, of_headings = ([mark.start for mark in own] for own in (marks, headings))
        breaks = [match.span() for match in _LINE_BREAK.finditer(result.source)]
        length, count = len(result.source), len(result.words)
        first, begins = 0, 0
        for start, end in (*breaks, (length, length)):
            after = bisect_left(result.starts, start)
            if after == first:
                continue
            if start < length:
                mark = bisect_right(places, start) - 1
                is_inside = mark >= 0 and start < marks[mark].end
                if after == count or is_inside or start < self._end(after - 1):
                    continue
            own = slice(bisect_left(of_headings, begins), bisect_left(of_headings, start))
            yield Line(first, after, (start, end), tuple(headings[own]))
            first, begins = after, end

    def _end(self, number: int) -> int:
        """Where a word ends in the source."""
        rest = self.result.others.get(number)
        return rest[-1][1] if rest else self.result.stops[number]

    def _more(self, starts: list[int], position: int, end: int) -> Iterator[Span]:
        """The pieces of a word after its first one, up to a place in the content."""
        while position < len(self.offsets) and starts[position] < end:
            length = min(end, starts[position + 1]) - starts[position]
            if length:
                yield self.offsets[position], self.offsets[position] + length
            position += 1


def _is_page_number(words: Sequence[str]) -> bool:
    digits = [sum(map(str.isdigit, word)) for word in words]
    return len(words) <= LONGEST_PAGE_NUMBER and 0 < max(digits, default=0) <= MOST_DIGITS


_FORMULA = "\ufffc"
