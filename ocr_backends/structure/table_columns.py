"""Rows of phrases, and the columns that their cells stand in."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from ocr_backends.structure.phrases import Phrase

Column = tuple[float, float]
"""Where a column begins and ends, in pixels."""
Columns = Sequence[Column]
Line = list[Phrase]
SHRINK = 0.2
"""Cells touch their neighbours by this much of a line's height, and are still in columns apart."""
COVERED = 0.5
"""A cell that covers two cells of another row, each by this much of its width, spans columns."""
MARKER = re.compile(
    r"[•●▪■○◦·∙»‣*–—-]|\(?[a-zA-Z0-9]{1,3}[.)]|\(?[ivxIVX]{1,5}[.)]|\([a-zA-Z0-9]{1,3}\)|[oO§]|\d{1,2}"
)
"""What stands before an item of a list."""


def is_row(line: Line) -> bool:
    """Whether a line has cells; a marker with its item has not."""
    return len(line) > 1 and not (len(line) == 2 and MARKER.fullmatch(line[0].text.strip()))


def middle_of(line: Line) -> float:
    """How far down a line stands, in pixels."""
    return float(np.mean([phrase.middle for phrase in line]))


def columns_of(lines: Sequence[Line]) -> list[Column]:
    """Columns of rows: where their cells stand that span no others, from left to right."""
    rows = [line for line in lines if is_row(line)] or list(lines)
    figures = [row for row in rows if has_figure(row)]
    base = figures if len(figures) >= 2 else rows
    columns = _clusters(_unspanned(base))
    for row in rows[rows.index(base[0]) :]:  # columns without figures, headings aside
        for phrase in row:
            if not any(overlap(phrase, column) > 0 for column in columns):
                columns = sorted([*columns, (phrase.left, phrase.right)])
    return columns


def has_figure(row: Line) -> bool:
    """Whether a cell behind the first is a number, and no year."""
    return any(is_figure(phrase) for phrase in row[1:])


def is_figure(phrase: Phrase) -> bool:
    """Whether a phrase is a number, and no year."""
    return phrase.is_number and not is_year(phrase.text)


def is_year(text: str) -> bool:
    """Whether a text is a year of this century or the last, perhaps with a note."""
    return re.fullmatch(r"\(?(?:19|20)\d\d\)?\W{0,2}(?:\([a-z0-9]\))?", text.strip()) is not None


def _unspanned(rows: Sequence[Line]) -> list[Phrase]:
    cells = [phrase for row in rows for phrase in row]
    left_side = np.array([phrase.left for phrase in cells])
    right = np.array([phrase.right for phrase in cells])
    row_of = np.array([number for number, row in enumerate(rows) for _ in row])
    narrow = []
    for number, cell in enumerate(cells):
        covered = np.minimum(right, cell.right) - np.maximum(left_side, cell.left)
        whole = covered >= COVERED * (right - left_side)
        counts = np.bincount(row_of[whole & (row_of != row_of[number])], minlength=len(rows))
        if counts.max(initial=0) < 2:
            narrow.append(cell)
    return narrow


def _clusters(cells: Sequence[Phrase]) -> list[Column]:
    columns: list[Column] = []
    for cell in sorted(cells, key=lambda cell: cell.left):
        shrunk = SHRINK * cell.height
        if columns and cell.left + shrunk < columns[-1][1] - shrunk:
            columns[-1] = (columns[-1][0], max(columns[-1][1], cell.right))
        else:
            columns.append((cell.left, cell.right))
    return columns


def overlap(phrase: Phrase, column: Column) -> float:
    """Pixels that a phrase and a column share; negative where they are apart."""
    return min(phrase.right, column[1]) - max(phrase.left, column[0])


def nearest(phrase: Phrase, columns: Columns) -> int:
    """The column that a cell shares most with, else the nearest."""
    return max(
        range(len(columns)),
        key=lambda position: (
            overlap(phrase, columns[position]),
            -abs(phrase.centre - sum(columns[position]) / 2),
        ),
    )


def centre_offset(phrase: Phrase, columns: Columns, start: int, end: int) -> float:
    """Pixels between the middles of a phrase and of the columns ``start`` to ``end``."""
    return abs(phrase.centre - (columns[start][0] + columns[end][1]) / 2)


def place_of(phrase: Phrase, columns: Columns) -> tuple[int, int]:
    """First and last column that a cell stands in."""
    crossed = [
        index
        for index, column in enumerate(columns)
        if overlap(phrase, column) >= 0.4 * (column[1] - column[0])
    ]
    if len(crossed) > 1 and not phrase.is_number:
        return crossed[0], crossed[-1]
    index = nearest(phrase, columns)
    return index, index
