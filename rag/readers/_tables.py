"""Tables of a page, LaTeX, Markdown or HTML, as grids of cells."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from dataclasses import dataclass

from ohr.markup.page import read_page
from ohr.markup.tables import ParsedTable, TableFormat

_MAX_COLUMNS = 64
_RULE = re.compile(r"\\(?:hline|toprule|midrule|bottomrule|cline\s{0,5}\{[^{}\n]{0,20}\})")
_SPAN = re.compile(
    r"\\multicolumn\s{0,5}\{\s{0,5}\d{1,2}\s{0,5}\}\s{0,5}\{(?:[^{}\n]|\{[^{}\n]{0,40}\}){0,80}\}"
    r"|\\multirow(?:\[[^\]\n]{0,20}\])?\s{0,5}\{[^{}\n]{0,20}\}\s{0,5}\{[^{}\n]{0,20}\}"
)
_NESTED = re.compile(r"\\(?:begin|end)\{[^{}\n]{1,40}\}(?:\{[|lcr ]{0,40}\})?|\\\\")
_TAG = re.compile(r"</?[a-zA-Z][^<>\n]{0,100}>")

Row = list[str]


@dataclass(frozen=True, slots=True)
class RawTable:
    """Rows of raw cells; a cell that spans columns is followed by empty ones."""

    rows: list[Row]
    header_rows: int
    """How many of the first rows name the columns; they stay in ``rows``."""


def split_tables(text: str) -> Iterator[str | RawTable]:
    """The page as pieces of running text and tables, in order."""
    done = 0
    for parsed in read_page(text).tables:
        yield text[done : parsed.span[0]]
        if parsed.table.caption:
            yield parsed.table.caption
        yield _table(parsed)
        done = parsed.span[1]
    yield text[done:]


def _table(parsed: ParsedTable) -> RawTable:
    rows: list[Row] = [
        [""] * min(parsed.table.n_columns, _MAX_COLUMNS) for _ in range(parsed.table.n_rows)
    ]
    for cell in parsed.cells:
        if cell.column < _MAX_COLUMNS:
            rows[cell.row][cell.column] = _plain(cell.content, parsed.format)
    rows = [row for row in rows if any(row)]
    if any(cell.header for cell in parsed.cells) and parsed.format == "markdown":
        return RawTable(rows, min(1, len(rows)))
    # A header goes on while its first column is empty: "| | 2021 | | 2020 |" stands
    # above or below the row that names that column.
    header_rows = min(1, len(rows))
    while header_rows < min(3, len(rows)) and not (
        rows[header_rows - 1][0] and rows[header_rows][0]
    ):
        header_rows += 1
    return RawTable(rows, header_rows)


def _plain(content: str, kind: TableFormat) -> str:
    """A cell's content without the commands that draw the table."""
    if kind == "latex":
        return _NESTED.sub(" ", _RULE.sub(" ", _SPAN.sub("", content))).strip()
    if kind == "html":
        return " ".join(html.unescape(_TAG.sub(" ", content)).split())
    return content
