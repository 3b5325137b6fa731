"""The tables, figures and lists of a page, with their captions."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ohr.markup.lines import LIST_MARK
from ohr.markup.outline.numbering import Caption, caption_of
from ohr.markup.outline.tree import TableFound
from ohr.markup.page import MarkupPage, read_page
from ohr.markup.scanner import MarkupKind
from ohr.markup.strip import strip_markup
from ohr.markup.structure import Span, within
from ohr.markup.tables import ParsedTable

LEAST_ROWS = 3
"""Lines of numbers that make a table of plain text."""
MOST_IN_A_ROW = 25
"""Words and numbers of such a line."""
LONGEST_CAPTION = 400
_LINE = re.compile(r"[^\n]+")
_NUMBER = re.compile(r"(?<![\w.])[(\[$€£-]{0,3}\d[\d,.]*%?[)\]]?(?!\w)")
_CHART_OPEN = re.compile(r"<chart>[ \t\n]*\Z")
_CHART_CLOSE = re.compile(r"[ \t\n]*</chart>")
_WHITE = re.compile(r"\s*+")
_LEADERS = re.compile(r"(?:\.[ \t]?){4}")
_FAR = 3
"""Line breaks between a caption and its table, at most."""


@dataclass(frozen=True, slots=True)
class Part:
    """A table or figure on a page: its span with its caption, what it is called and says."""

    start: int
    end: int
    is_table: bool
    label: str
    caption: str
    header: tuple[str, ...] = ()
    n_rows: int = 0
    found: TableFound = "markup"


@dataclass(slots=True)
class _Captioned:
    start: int
    end: int
    caption: Caption
    text: str
    used: bool = False


def parts_of(text: str) -> list[Part]:
    """The tables and figures of a page, in order."""
    page = read_page(text)
    captions = list(_captions(page))
    found = [_marked(page, table, captions) for table in page.tables]
    found += _images(page, captions)
    taken = [(part.start, part.end) for part in found]
    found += _of_lines(page, captions, sorted(taken))
    found += [
        Part(one.start, one.end, one.caption.of_table, one.caption.label, one.text)
        for one in captions
        if not one.used and not one.caption.of_table
    ]
    return sorted(found, key=lambda part: (part.start, part.end))


def _captions(page: MarkupPage) -> Iterator[_Captioned]:
    """Lines that begin a caption, outside tables and code."""
    inside = sorted([*page.structure.tables, *page.structure.fences])
    for line in _LINE.finditer(page.text):
        if line.end() - line.start() > LONGEST_CAPTION or within(inside, line.start()):
            continue
        caption = caption_of(line.group())
        if caption is not None:
            said = " ".join(strip_markup(line.group()).split())
            yield _Captioned(line.start(), line.end(), caption, said)


def _marked(page: MarkupPage, table: ParsedTable, captions: Sequence[_Captioned]) -> Part:
    """A table of mark-up, or the data of a chart."""
    start, end = table.span
    opened = _CHART_OPEN.search(page.text, max(0, start - 20), start)
    closed = _CHART_CLOSE.match(page.text, end)
    is_chart = opened is not None and closed is not None
    if opened is not None and closed is not None:
        start, end = opened.start(), closed.end()
    own = " ".join(strip_markup(table.table.caption).split())
    said = caption_of(own) if own else None
    header = tuple(
        " ".join(strip_markup(cell.content).split()) for cell in table.cells if cell.row == 0
    )
    if own:
        label = said.label if said is not None else ""
        return Part(start, end, not is_chart, label, own, header, table.table.n_rows)
    near = _nearest(page.text, start, end, captions, of_table=not is_chart)
    if near is None:
        return Part(start, end, not is_chart, "", "", header, table.table.n_rows)
    near.used = True
    span = min(start, near.start), max(end, near.end)
    return Part(*span, not is_chart, near.caption.label, near.text, header, table.table.n_rows)


def _nearest(
    text: str, start: int, end: int, captions: Sequence[_Captioned], *, of_table: bool
) -> _Captioned | None:
    """The caption that stands right before or after, of that kind and of nothing else.

    ``captions`` are in order, so what is before the one before does not stand right before.
    """
    before = bisect_right(captions, start, key=lambda one: one.end)
    after = bisect_left(captions, end, key=lambda one: one.start)
    neighbours = [(one, one.end, start) for one in captions[max(before - 1, 0) : before]]
    neighbours += [(one, end, one.start) for one in captions[after : after + 1]]
    for one, gap_start, gap_end in neighbours:
        gap = _WHITE.match(text, gap_start, gap_end)
        is_near = gap is not None and gap.end() == gap_end and gap[0].count("\n") <= _FAR
        if is_near and not one.used and one.caption.of_table is of_table:
            return one
    return None


def _images(page: MarkupPage, captions: Sequence[_Captioned]) -> Iterator[Part]:
    for _, regions in page.stretches:
        for region in regions:
            if region.kind is not MarkupKind.IMAGE:
                continue
            near = _nearest(page.text, region.start, region.end, captions, of_table=False)
            if near is None:
                said = " ".join(strip_markup(page.text[region.start : region.end]).split())
                yield Part(region.start, region.end, False, "", said)
                continue
            near.used = True
            span = min(region.start, near.start), max(region.end, near.end)
            yield Part(*span, False, near.caption.label, near.text)


def _of_lines(
    page: MarkupPage, captions: Sequence[_Captioned], taken: list[Span]
) -> Iterator[Part]:
    """Tables of plain text: lines of numbers, and what a table's caption stands over."""
    text = page.text
    rows: list[Span] = []
    for line in _LINE.finditer(text):
        if within(taken, line.start()) or within(page.structure.fences, line.start()):
            continue
        gap = text[rows[-1][1] : line.start()].count("\n") if rows else 0
        if rows and (gap > 2 or within(taken, rows[-1][1] + 1)):
            yield from _table_of(text, rows, captions)
            rows = []
        if is_row(line.group()):
            rows.append(line.span())
        elif rows and gap >= 1:
            yield from _table_of(text, rows, captions)
            rows = []
    yield from _table_of(text, rows, captions)
    for one in captions:
        if one.caption.of_table and not one.used:
            one.used = True
            yield Part(one.start, one.end, True, one.caption.label, one.text, found="lines")


def is_row(line: str) -> bool:
    """Whether a line of plain text looks like a row of numbers: two of them, and few words.

    Lines of contents, whose dots lead to a page's number, are none.
    """
    numbers = len(_NUMBER.findall(line))
    words = len(line.split())
    if numbers < 2 or words > MOST_IN_A_ROW or numbers * 4 < words:
        return False
    return not (line.rstrip().endswith(".") or _LEADERS.search(line))


def _table_of(text: str, rows: list[Span], captions: Sequence[_Captioned]) -> Iterator[Part]:
    if len(rows) < LEAST_ROWS:
        return
    start, end = rows[0][0], rows[-1][1]
    above = text.rfind("\n", 0, max(0, start - 1)) + 1
    head = " ".join(text[above : max(above, start - 1)].split())
    near = _nearest(text, start, end, captions, of_table=True)
    if near is None and head and 0 < above < start:
        near = _nearest(text, above, end, captions, of_table=True)
    header = (head,) if head and (near is None or above > near.start) else ()
    label, said = "", ""
    if near is not None:
        near.used = True
        label, said = near.caption.label, near.text
        start, end = min(start, near.start), max(end, near.end)
    yield Part(start, end, True, label, said, header, len(rows), "lines")


def lists_of(text: str, skip: Sequence[Span] = ()) -> list[tuple[int, int, int]]:
    """Lists of a page of two items or more: start, end, items. ``skip``: sorted spans of what
    has marks like items and is none, such as numbered headings and tables.
    """
    found: list[tuple[int, int, int]] = []
    start, end, items = 0, 0, 0
    spans = list(skip)
    for line in _LINE.finditer(text):
        gap = text.count("\n", end, line.start()) if items else 0
        marked = LIST_MARK.match(line.group()) and not within(spans, line.start())
        if items and (gap > 2 or (gap > 1 and not marked)):
            if items > 1:
                found.append((start, end, items))
            items = 0
        if marked:
            start = start if items else line.start()
            items += 1
        if items:
            end = line.end()
    if items > 1:
        found.append((start, end, items))
    return found
