"""A table as it is typeset: its cells, the side of each, and what its columns need."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from ohr.markup.strip import strip_markup
from ohr.markup.tables.content import Node, plain
from ohr.markup.tables.model import Cell, ParsedTable, TableFormat
from ohr.markup.tables.read_content import read_content
from ohr.sample.typesetting.faces import is_wide

_SIDES = {"l": "left", "c": "center", "r": "right"}
_LONGEST_TEXT = 90
_LONGEST_WORD = 26
_WIDER = frozenset("WM%@mw&\u2014")
_NARROWER = frozenset("iIjlt.,:;'!|()[] /-")
_NUMERIC = frozenset("0123456789.,%()$+-\u2013\u2014\u2212/\u20ac\u00a3 ")


@dataclass(frozen=True, slots=True)
class Layout:
    """``words`` has the longest word of each column, ``texts`` its longest line."""

    format: TableFormat
    n_rows: int
    n_columns: int
    cells: tuple[Cell, ...]
    caption: tuple[Node, ...]
    words: tuple[str, ...]
    texts: tuple[str, ...]
    sides: tuple[str, ...]

    def side(self, cell: Cell) -> str:
        """The side on which a cell's text is set."""
        return "center" if cell.colspan > 1 and cell.column else self.sides[cell.column]


@lru_cache(4096)
def content_of(format: TableFormat, cell: Cell) -> tuple[Node, ...]:
    """The nodes of a cell."""
    return read_content(cell.content, format)


@lru_cache(256)
def table_layout(parsed: ParsedTable) -> Layout:
    """How a table is typeset: columns on the side that the source says, numbers on the right."""
    table = parsed.table
    n_columns = max(table.n_columns, 1)
    words, texts = ["x"] * n_columns, ["x"] * n_columns
    numeric = [0] * n_columns
    filled = [0] * n_columns
    spanning: list[tuple[Cell, str]] = []
    for cell in table.cells:
        shown = _shown(content_of(parsed.format, cell))
        if not shown:
            continue
        word = max(_parts(shown), key=_width, default="")[:_LONGEST_WORD]
        if cell.header:  # in bold
            shown, word = shown + "n", word + "n"
        if cell.colspan > 1:
            spanning.append((cell, word))
            continue
        column = cell.column
        if cell.row:
            filled[column] += 1
            numeric[column] += set(shown) <= _NUMERIC
        words[column] = max(words[column], word, key=_width)
        texts[column] = max(texts[column], shown[:_LONGEST_TEXT], key=_width)
    for cell, word in spanning:
        columns = range(cell.column, min(cell.column + cell.colspan, n_columns))
        if sum(_width(words[column]) for column in columns) < _width(word):
            part = word[: math.ceil(len(word) / len(columns))]
            for column in columns:
                words[column] = max(words[column], part, key=_width)
    letters = table.alignments or ("",) * n_columns
    centred = set(letters) <= {"c", ""}  # OHR-Bench's tables say c for every column
    sides = tuple(
        "right"
        if numeric[column] * 2 > filled[column]
        else "left"
        if centred
        else _SIDES.get(letters[column] if column < len(letters) else "", "left")
        for column in range(n_columns)
    )
    return Layout(
        parsed.format,
        # Rows without a cell at the end are none for Typst.
        max((cell.row + cell.rowspan for cell in table.cells), default=0),
        n_columns,
        table.cells,
        read_content(table.caption, parsed.format) if table.caption else (),
        tuple(words),
        tuple(texts),
        sides,
    )


def _shown(nodes: Sequence[Node]) -> str:
    text = plain(nodes)
    if "$" in text or "\\" in text:
        text = strip_markup(text)
    return " ".join(text.split())


def _parts(text: str) -> list[str]:
    """The parts between which a line may break."""
    parts: list[str] = []
    for word in text.split():
        if any(map(is_wide, word)):
            parts += word
        else:
            parts += word.replace("-", "- ").split()
    return parts


def _width(text: str) -> float:
    """About how wide a text is; which of two is wider is all that counts."""
    return sum(
        2.0
        if is_wide(char)
        else 1.5
        if char in _WIDER
        else 0.6
        if char in _NARROWER
        else 1.15
        if char.isupper()
        else 1.0
        for char in text
    )
