"""The tables, figures and lists of a page, with their captions."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ohr.markup.lines import LIST_MARK
from ohr.markup.outline.numbering import Caption, caption_of
from ohr.markup.outline.tree import TableSource
from ohr.markup.page import MarkupPage, read_page
from ohr.markup.scanner import MarkupKind
from ohr.markup.strip import strip_markup
from ohr.markup.structure import Span, is_covered
from ohr.markup.tables import ParsedTable

LEAST_ROWS = 3
"""Least number of lines of numbers that form a table in plain text."""
MOST_IN_A_ROW = 25
"""Most words and numbers in such a line."""
LONGEST_CAPTION = 400
_LINE = re.compile(r"[^\n]+")
_NUMBER = re.compile(r"(?<![\w.])[(\[$€£-]{0,3}\d[\d,.]*%?[)\]]?(?!\w)")
_CHART_OPEN = re.compile(r"<chart>[ \t\n]*\Z")
_CHART_CLOSE = re.compile(r"[ \t\n]*</chart>")
_WHITE = re.compile(r"\s*+")
_LEADERS = re.compile(r"(?:\.[ \t]?){4}")
_FAR = 3
"""Most line breaks between a caption and its table."""


@dataclass(frozen=True, slots=True)
class Part:
    """A table or figure on a page: its span, caption included, its label and its caption."""

    start: int
    end: int
    is_table: bool
    label: str
    caption: str
    header: tuple[str, ...] = ()
    n_rows: int = 0
    source: TableSource = "markup"


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
    parts = [_marked(page, table, captions) for table in page.tables]
    parts += _images(page, captions)
    spans = [(part.start, part.end) for part in parts]
    parts += _line_tables(page, captions, sorted(spans))
    parts += [
        Part(
            caption.start,
            caption.end,
            caption.caption.of_table,
            caption.caption.label,
            caption.text,
        )
        for caption in captions
        if not caption.used and not caption.caption.of_table
    ]
    return sorted(parts, key=lambda part: (part.start, part.end))


def _captions(page: MarkupPage) -> Iterator[_Captioned]:
    """The lines outside tables and code that begin a caption."""
    inside = sorted([*page.structure.tables, *page.structure.fences])
    for line in _LINE.finditer(page.text):
        if line.end() - line.start() > LONGEST_CAPTION or is_covered(inside, line.start()):
            continue
        caption = caption_of(line.group())
        if caption is not None:
            text = " ".join(strip_markup(line.group()).split())
            yield _Captioned(line.start(), line.end(), caption, text)


def _marked(page: MarkupPage, table: ParsedTable, captions: Sequence[_Captioned]) -> Part:
    """A table in mark-up, or the data of a chart."""
    start, end = table.span
    opened = _CHART_OPEN.search(page.text, max(0, start - 20), start)
    closed = _CHART_CLOSE.match(page.text, end)
    is_chart = opened is not None and closed is not None
    if opened is not None and closed is not None:
        start, end = opened.start(), closed.end()
    own = " ".join(strip_markup(table.table.caption).split())
    own_caption = caption_of(own) if own else None
    header = tuple(
        " ".join(strip_markup(cell.content).split()) for cell in table.cells if cell.row == 0
    )
    if own:
        label = own_caption.label if own_caption is not None else ""
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
    """The unused caption of that kind right before or after; None without one.

    ``captions`` are in order, so only the nearest one on each side can be right there.
    """
    before = bisect_right(captions, start, key=lambda caption: caption.end)
    after = bisect_left(captions, end, key=lambda caption: caption.start)
    neighbours = [
        (caption, caption.end, start) for caption in captions[max(before - 1, 0) : before]
    ]
    neighbours += [(caption, end, caption.start) for caption in captions[after : after + 1]]
    for caption, gap_start, gap_end in neighbours:
        gap = _WHITE.match(text, gap_start, gap_end)
        is_near = gap is not None and gap.end() == gap_end and gap[0].count("\n") <= _FAR
        if is_near and not caption.used and caption.caption.of_table is of_table:
            return caption
    return None


def _images(page: MarkupPage, captions: Sequence[_Captioned]) -> Iterator[Part]:
    for _, regions in page.stretches:
        for region in regions:
            if region.kind is not MarkupKind.IMAGE:
                continue
            near = _nearest(page.text, region.start, region.end, captions, of_table=False)
            if near is None:
                alternative = " ".join(strip_markup(page.text[region.start : region.end]).split())
                yield Part(region.start, region.end, False, "", alternative)
                continue
            near.used = True
            span = min(region.start, near.start), max(region.end, near.end)
            yield Part(*span, False, near.caption.label, near.text)


def _line_tables(
    page: MarkupPage, captions: Sequence[_Captioned], spans: list[Span]
) -> Iterator[Part]:
    """Tables in plain text: lines of numbers, and table captions without any."""
    text = page.text
    rows: list[Span] = []
    for line in _LINE.finditer(text):
        if is_covered(spans, line.start()) or is_covered(page.structure.fences, line.start()):
            continue
        gap = text[rows[-1][1] : line.start()].count("\n") if rows else 0
        if rows and (gap > 2 or is_covered(spans, rows[-1][1] + 1)):
            yield from _table_of(text, rows, captions)
            rows = []
        if is_row(line.group()):
            rows.append(line.span())
        elif rows and gap >= 1:
            yield from _table_of(text, rows, captions)
            rows = []
    yield from _table_of(text, rows, captions)
    for caption in captions:
        if caption.caption.of_table and not caption.used:
            caption.used = True
            yield Part(
                caption.start,
                caption.end,
                True,
                caption.caption.label,
                caption.text,
                source="lines",
            )


def is_row(line: str) -> bool:
    """Whether a line of plain text looks like a table row: at least two numbers, and few words.

    Lines of a table of contents, with dots before the page number, are no rows.
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
    label, caption = "", ""
    if near is not None:
        near.used = True
        label, caption = near.caption.label, near.text
        start, end = min(start, near.start), max(end, near.end)
    yield Part(start, end, True, label, caption, header, len(rows), "lines")


def lists_of(text: str, skip: Sequence[Span] = ()) -> list[tuple[int, int, int]]:
    """A page's lists of two items or more: start, end, number of items.

    ``skip``: sorted spans with marks like those of items, such as numbered headings and tables.
    """
    lists: list[tuple[int, int, int]] = []
    start, end, items = 0, 0, 0
    spans = list(skip)
    for line in _LINE.finditer(text):
        gap = text.count("\n", end, line.start()) if items else 0
        marked = LIST_MARK.match(line.group()) and not is_covered(spans, line.start())
        if items and (gap > 2 or (gap > 1 and not marked)):
            if items > 1:
                lists.append((start, end, items))
            items = 0
        if marked:
            start = start if items else line.start()
            items += 1
        if items:
            end = line.end()
    if items > 1:
        lists.append((start, end, items))
    return lists
