"""Splits a page into regions: text, heading, table, formula, code, link, emphasis, list, image.

One scan serves all users of mark-up: formatting noise, metrics, the stripper, the reader, the
chunker and the checks of datasets. The rules are in the reference, "How page text is parsed".
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property, lru_cache

from ohr.markup.lines import LIST_MARK
from ohr.markup.scanner import MarkupKind, MarkupRegion, scan
from ohr.markup.structure import Span, Structure
from ohr.markup.tables.model import ParsedTable
from ohr.markup.tables.parse import tables_and_code

_CACHED_PAGES = 32
_LONGEST_CACHED = 100_000
_SIGNS = ("$", "\\(", "\\[", "\\begin")


def read_page(text: str) -> MarkupPage:
    """Parse a page's mark-up; the last few pages are cached, since several users need them."""
    return _cached_page(text) if len(text) <= _LONGEST_CACHED else MarkupPage(text)


def formulas_of(text: str) -> list[MarkupRegion]:
    """The formulas of a page in order; a text without any sign of a formula is not parsed."""
    return read_page(text).formulas if any(sign in text for sign in _SIGNS) else []


class MarkupPage:
    """A page's text and its regions, found on first use. Time is linear in any text."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.tables: list[ParsedTable]
        """The page's tables, without those in another table or in a fenced code block."""
        self.tables, fences = tables_and_code(text)
        self.structure = Structure(text, [table.span for table in self.tables], fences)

    @cached_property
    def stretches(self) -> list[tuple[Span, list[MarkupRegion]]]:
        """The parts outside tables, each with its regions other than text and list marks."""
        edges = [0, *(edge for table in self.tables for edge in table.span), len(self.text)]
        spans = zip(edges[::2], edges[1::2], strict=True)
        return [((a, b), scan(self.structure, a, b)) for a, b in spans if a < b]

    @cached_property
    def cells(self) -> list[list[tuple[Span, list[MarkupRegion]]]]:
        """For each table: the spans of its non-empty cells, with their regions."""
        return [
            [
                (cell.content_span, scan(self.structure, *cell.content_span, depth=1))
                for cell in table.cells
                if cell.content_span[0] < cell.content_span[1]
            ]
            for table in self.tables
        ]

    @cached_property
    def regions(self) -> list[MarkupRegion]:
        """The page's regions in order, none empty, which together cover the whole page."""
        parts = [
            region
            for (start, end), regions in self.stretches
            for region in _add_text(self.text, start, end, regions)
        ]
        parts += (
            MarkupRegion(MarkupKind.TABLE, *table.span, *table.span, tuple(inside))
            for table, inside in zip(self.tables, self._table_regions(), strict=True)
        )
        return sorted(parts, key=lambda region: region.start)

    def _table_regions(self) -> Iterator[list[MarkupRegion]]:
        """The regions of each table: those of its caption and of its cells."""
        for table, cells in zip(self.tables, self.cells, strict=True):
            inside = [region for _, regions in cells for region in regions]
            spans = [cell.content_span for cell in table.cells]
            if table.table.caption and spans:
                first, last = min(a for a, _ in spans), max(b for _, b in spans)
                before = scan(self.structure, table.span[0], first, depth=1)
                inside = [*before, *inside, *scan(self.structure, last, table.span[1], depth=1)]
            yield inside

    def walk(self) -> Iterator[MarkupRegion]:
        """All regions in order, inner regions after the outer ones."""
        for region in self.regions:
            yield from region.walk()

    def marked(self) -> Iterator[MarkupRegion]:
        """All regions except text, tables and list marks, in order, inner ones included."""
        parts = [(start, regions) for (start, _), regions in self.stretches]
        parts += ((t.span[0], r) for t, r in zip(self.tables, self._table_regions(), strict=True))
        for _, regions in sorted(parts, key=lambda part: part[0]):
            for region in regions:
                yield from region.walk()

    @cached_property
    def formulas(self) -> list[MarkupRegion]:
        """The page's formulas in order, also those in headings, cells and arguments."""
        return [region for region in self.marked() if region.is_formula]


_cached_page = lru_cache(_CACHED_PAGES)(MarkupPage)


def _add_text(
    text: str, start: int, end: int, regions: list[MarkupRegion]
) -> Iterator[MarkupRegion]:
    """The regions of a part of a page, with list marks and the text between them."""
    marks = [mark.span() for mark in LIST_MARK.finditer(text, start, end)]
    done, number = start, 0
    for region in [*regions, MarkupRegion(MarkupKind.TEXT, end, end, end, end)]:
        while number < len(marks) and marks[number][0] < region.start:
            a, b = marks[number][0], min(marks[number][1], region.start)
            number += 1
            if a < done:
                continue
            if done < a:
                yield MarkupRegion(MarkupKind.TEXT, done, a, done, a)
            yield MarkupRegion(MarkupKind.LIST, a, b, b, b)
            done = b
        if done < region.start:
            yield MarkupRegion(MarkupKind.TEXT, done, region.start, done, region.start)
        if region.start < region.end:
            yield region
        done = region.end
