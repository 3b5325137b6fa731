"""The cells of a table from where its words stand, without a model."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ocr_backends.structure.ink import Ink
from ocr_backends.structure.table_columns import (
    Column,
    Columns,
    Line,
    columns_of,
    has_figure,
    middle_of,
    place_of,
)
from ocr_backends.structure.table_header import head_lines, header_cells
from ohr.markup.blocks import GridCell

DASH = "—"
_CURRENCY = ("$", "S", "€", "£")
CLOSE = 0.8
"""Lines of one label follow each other in less than this much of the distance of rows."""
_GOES_ON = (
    *(",", "&", "-", "/"),
    *(f" {word}" for word in "and or of for in to the on by from with".split()),
)
"""Ends of a label that goes on in the next line."""


def grid_cells(lines: Sequence[Line], unit: float, ink: Ink | None = None) -> list[GridCell]:
    """Cells of a table, empty ones too: rows from lines, merged headings as they stand.

    ``ink``: the page's; a heading stands over the columns that the line under it does, and
    dashes among figures are cells.
    """
    columns = columns_of(lines)
    head = head_lines(lines, columns)
    cells = header_cells(lines[:head], columns, unit, ink.rules if ink else ())
    first = max((cell.row + 1 for cell in cells), default=0)
    for number, row in enumerate(_rows(lines[head:], columns, unit), first):
        filled: set[int] = set()
        for (start, end), text in _spans(row, columns).items():
            if text in _CURRENCY and ink and _has_dash(ink, row, columns[start], unit, text):
                text = f"{text.replace('S', '$')}{DASH}"
            elif text == "一":  # the sign for one, as an engine that knows Chinese reads a dash
                text = DASH
            cells.append(GridCell(number, start, text, colspan=end - start))
            filled.update(range(start, end))
        for position in range(len(columns)):
            if position not in filled:
                dash = (
                    position > 0
                    and ink is not None
                    and _has_dash(ink, row, columns[position], unit)
                )
                cells.append(GridCell(number, position, DASH if dash else ""))
    return cells


def _has_dash(ink: Ink, row: Line, column: Column, unit: float, currency: str = "") -> bool:
    """Whether a dash stands in a row's cell, to the right of its currency sign."""
    left_side, right = column
    for phrase in row:
        if currency and phrase.text == currency and left_side <= phrase.centre <= right:
            left_side = phrase.right
    figures = [phrase.middle for phrase in row if phrase.is_number]
    middle = float(np.median(figures or [phrase.middle for phrase in row]))
    return ink.has_dash(left_side - 2, right + 2, middle, unit)


def _rows(lines: Sequence[Line], columns: Columns, unit: float) -> list[Line]:
    """Lines, with labels of two lines made one row."""
    rows: list[Line] = []
    middles = [middle_of(line) for line in lines if has_figure(line)]
    pitch = float(np.quantile(np.diff(middles), 0.2)) if len(middles) > 2 else 0.0
    for line in lines:
        before = rows[-1] if rows else None
        if before is not None and _same_row(before, line, columns, unit, pitch):
            rows[-1] = before + line
        else:
            rows.append(list(line))
    return rows


def _same_row(before: Line, line: Line, columns: Columns, unit: float, pitch: float) -> bool:
    """Whether a line goes on with the label of the row before it."""
    edge = columns[0][1]
    labels = [phrase for phrase in before if phrase.left <= edge]
    if not labels or line[0].left > edge or line[0].middle - labels[-1].middle > 1.6 * unit:
        return False
    if len(line) > 1 and len(before) > len(labels):  # both have figures
        return False
    if line[0].middle - labels[-1].middle < CLOSE * pitch:
        return True
    text = labels[-1].text
    return (
        line[0].text[:1].islower() or text.endswith(_GOES_ON) or text.count("(") > text.count(")")
    )


def _spans(row: Line, columns: Columns) -> dict[tuple[int, int], str]:
    """Columns ``[start, end)`` of each cell of a row -> its text, from left to right."""
    if all(phrase.left <= columns[0][1] and not phrase.is_number for phrase in row):
        return {(0, len(columns)): " ".join(phrase.text for phrase in row)}
    texts: dict[tuple[int, int], str] = {}
    places = [place_of(phrase, columns) for phrase in row]
    for number in sorted(range(len(row)), key=lambda number: places[number]):
        start, end = places[number]
        last = next(reversed(texts), None)
        if last is not None and start < last[1]:  # one cell's second phrase
            texts[last] = f"{texts[last]} {row[number].text}"
        else:
            texts[start, end + 1] = row[number].text
    return texts
