"""Parses HTML tables with their positions.

The standard library's parser is quadratic on unclosed tags, and lxml and html5lib give no
character offsets, so this scans for the tags of tables. Everything else in a cell is its content.
Missing end tags of rows and cells are implied, as in HTML.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace

from ohr.markup.tables.model import MOST_SPANNED, Cell, ParsedTable, Span, Table

# No tag runs past the next "<", so no part of a text is scanned twice.
_TAG = re.compile(
    r"<(?P<close>/?)(?P<name>table|thead|tbody|tfoot|tr|td|th|caption|colgroup|col)"
    r"(?P<attributes>(?:[\s/][^<>]*)?)>|(?P<comment><!--)",
    re.IGNORECASE,
)
_BLANK = re.compile(r"\n[ \t]*\n")
_SPAN = re.compile(r"""(?<![\w-])(rowspan|colspan)\s*=\s*["']?\s*(\d{1,5})""", re.IGNORECASE)
_ATTRIBUTE = re.compile(r"(?<![\w-])(id|class|style|border|bgcolor|width)\s*=", re.IGNORECASE)


@dataclass(slots=True)
class _Tag:
    name: str
    close: bool
    attributes: str
    start: int
    end: int


def parse_html(text: str) -> list[ParsedTable]:
    """Every HTML table of a page, in order; inner tables stay in their cell.

    A table that is never closed, as when an engine stopped, ends before the next blank line, the
    next table or the page's end.
    """
    if "<" not in text or "<table" not in text.lower():
        return []
    tags = _tags(text)
    closed: list[tuple[int, int]] = []
    stack: list[int] = []
    for i, tag in enumerate(tags):
        if tag.name == "table":
            if not tag.close:
                stack.append(i)
            elif stack:
                closed.append((stack.pop(), i))
    closed.sort()
    unclosed = [_open(text, tags, first) for first in stack]
    tables: list[ParsedTable] = []
    inner = dict(closed)
    end = -1
    for first, last in closed:
        if first > end:
            end = last
            if (table := _table(text, tags, first, last, inner)) is not None:
                tables.append(table)
    if not stack:
        return tables
    return sorted([*tables, *filter(None, unclosed)], key=lambda table: table.span)


def _open(text: str, tags: list[_Tag], first: int) -> ParsedTable | None:
    """The table of an opening tag that is never closed."""
    following = first + 1
    while following < len(tags) and tags[following].name != "table":
        following += 1
    limit = tags[following].start if following < len(tags) else len(text)
    blank = _BLANK.search(text, tags[first].end, limit)
    _, limit = _trimmed(text, tags[first].end, limit if blank is None else blank.start())
    inside = [tag for tag in tags[first:following] if tag.end <= limit]
    inside.append(_Tag("table", True, "", limit, limit))
    return _table(text, inside, 0, len(inside) - 1, {})


def _tags(text: str) -> list[_Tag]:
    tags: list[_Tag] = []
    position = 0
    while (mark := _TAG.search(text, position)) is not None:
        position = mark.end()
        if mark["comment"]:
            end = text.find("-->", position)
            if end < 0:
                # Neither this nor any later comment is closed: they are text.
                return tags + [_tag(m) for m in _TAG.finditer(text, position) if not m["comment"]]
            position = end + 3
            tags.append(_Tag("!", False, "", mark.start(), position))
        else:
            tags.append(_tag(mark))
    return tags


def _tag(mark: re.Match[str]) -> _Tag:
    return _Tag(
        mark["name"].lower(), bool(mark["close"]), mark["attributes"], mark.start(), mark.end()
    )


@dataclass(slots=True)
class _Grid:
    """Places cells as HTML does: each in the first column that no row span covers."""

    text: str
    cells: list[Cell] = field(default_factory=list)
    row: int = -1
    in_row: bool = False
    column: int = 0
    width: int = 0
    reaching: dict[int, int] = field(default_factory=dict)
    """Column -> the row before which the span that covers it ends."""
    spanning: list[int] = field(default_factory=list)
    """Cells of the row group that span rows."""

    def start_row(self) -> None:
        self.row += 1
        self.column = 0
        self.in_row = True
        self.reaching = {c: end for c, end in self.reaching.items() if end > self.row}

    def end_group(self) -> None:
        """Row spans end with their row group."""
        for i in self.spanning:
            cell = self.cells[i]
            self.cells[i] = replace(cell, rowspan=min(cell.rowspan, self.row + 1 - cell.row))
        self.spanning = []
        self.reaching = {}
        self.in_row = False

    def add(self, tag: _Tag, end: int) -> None:
        """The cell that a ``td`` or ``th`` opens and that ends before ``end``."""
        if not self.in_row:
            self.start_row()
        while self.column in self.reaching:
            self.column += 1
        spans = {m[1].lower(): int(m[2]) for m in _SPAN.finditer(tag.attributes)}
        colspan = min(max(1, spans.get("colspan", 1)), MOST_SPANNED)
        rowspan = min(spans.get("rowspan", 1) or MOST_SPANNED, MOST_SPANNED)
        last = self.column + 1
        while last < self.column + colspan and last not in self.reaching:
            last += 1
        start, end = _trimmed(self.text, tag.end, end)
        if rowspan > 1:
            self.spanning.append(len(self.cells))
            for column in range(self.column, last):
                self.reaching[column] = self.row + rowspan
        self.cells.append(
            Cell(
                self.row,
                self.column,
                self.text[start:end],
                rowspan=rowspan,
                colspan=last - self.column,
                header=tag.name == "th",
                content_span=(start, end),
            )
        )
        self.column = last
        self.width = max(self.width, last)


def _trimmed(text: str, start: int, end: int) -> Span:
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return start, end


def _table(
    text: str, tags: list[_Tag], first: int, last: int, inner: dict[int, int]
) -> ParsedTable | None:
    """The table between two tags, or None if there is text outside its cells."""
    grid = _Grid(text)
    caption = ""
    opened: _Tag | None = None
    position = tags[first].end
    extras = {"attributes"} if _ATTRIBUTE.search(tags[first].attributes) else set()
    i = first + 1
    while i <= last:
        tag = tags[i]
        if i in inner or tag.name == "!":
            # A comment or an inner table belongs to the cell it stands in.
            close = tags[inner.get(i, i)]
            if opened is None:
                if close.name == "table" or text[position : tag.start].strip():
                    return None
                position = close.end
            i = inner.get(i, i) + 1
            continue
        if opened is None and text[position : tag.start].strip():
            return None
        if opened is not None:
            if opened.name == "caption":
                start, end = _trimmed(text, opened.end, tag.start)
                caption = caption or text[start:end]
            else:
                grid.add(opened, tag.start)
            opened = None
        position = tag.end
        if not tag.close and tag.name in ("td", "th", "caption"):
            opened = tag
            if _ATTRIBUTE.search(tag.attributes):
                extras.add("attributes")
        elif tag.name == "tr":
            if not tag.close:
                grid.start_row()
            else:
                grid.in_row = False
        elif tag.name in ("thead", "tbody", "tfoot"):
            grid.end_group()
        i += 1
    grid.end_group()
    if not grid.cells:
        return None
    table = Table(tuple(grid.cells), grid.row + 1, grid.width, caption=caption)
    return ParsedTable(
        "html", (tags[first].start, tags[last].end), table, extras=tuple(sorted(extras))
    )
