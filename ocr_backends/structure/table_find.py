"""Where the tables of a page are: runs of lines whose phrases stand in columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise

import numpy as np

from ocr_backends.structure.phrases import Phrase
from ocr_backends.structure.table_columns import (
    Column,
    Columns,
    Line,
    centre_offset,
    columns_of,
    has_figure,
    is_figure,
    is_row,
    middle_of,
    nearest,
    overlap,
)

PITCH = 3.2
"""Rows further apart than this many heights of a line belong to two tables."""
AGAIN = 1.8
"""Rows this many heights apart belong to two tables if the lower one heads the columns anew."""
SINGLES = 4
"""At most this many lines in a row without a second cell: headings within a table, long labels."""
PROSE = 40
"""A line of this many letters that runs on into the columns of figures is none of the table's."""
LONG = 25
"""So is one this many times as wide as high, where the columns are not known yet."""
FULL = 0.85
"""A cell this wide, of the table's width, is no cell of it."""
STEADY = 0.6
ALIGNED = 0.7
"""Texts are a table if this share of them begins within this many heights of their column's."""
LEAST_PAGES = 4
MOST_DIGITS = 3
"""A table of contents has this many page numbers at least, of this many digits at most ..."""
FALLS = 0.1
"""... which fall at most this often: where its parts come in another order than their pages."""
MARGINAL = 2
"""A line of the header or footer with at most this many phrases is no row."""


@dataclass(frozen=True)
class TableLines:
    """Lines ``[first, end)`` of a column that make a table."""

    first: int
    end: int


def find_tables(
    lines: Sequence[Line], unit: float, furniture: frozenset[Phrase] = frozenset()
) -> list[TableLines]:
    """Tables among the lines of a column of the page, top to bottom.

    ``lines``: phrases from left to right, joined; ``unit``: height of a line in pixels;
    ``furniture``: phrases of the page's header and footer.
    """
    runs: list[TableLines] = []
    position = 0
    marginal = [len(line) <= MARGINAL and furniture.issuperset(line) for line in lines]
    while position < len(lines):
        if not is_row(lines[position]) or marginal[position]:
            position += 1
            continue
        upto = marginal.index(True, position) if any(marginal[position:]) else len(lines)
        end = _end_of_run(lines[:upto], position, unit)
        if _is_table(lines[position:end], unit):
            first = _extend_to_header(lines, position, end, unit, runs[-1].end if runs else 0)
            runs.append(TableLines(first, end))
            position = end
        else:
            position = end if _is_contents(lines[position:end]) else position + 1
    return runs


def _end_of_run(lines: Sequence[Line], first: int, unit: float) -> int:
    """End of the run that begins at a row: it ends with a row, or with the rest of its label."""
    end = first + 1

    @cache
    def columns(upto: int) -> list[Column]:
        return columns_of(lines[first:upto])

    singles = 0
    for position in range(first + 1, len(lines)):
        line = lines[position]
        step = middle_of(line) - middle_of(lines[position - 1])
        if step > PITCH * unit or (
            step > AGAIN * unit and _heads(line, columns(end), lines[first:end])
        ):
            break
        if is_row(line) or _is_total(line, columns(end)):
            if len(line) == 2 and not _fits(line, columns(end)):
                break
            singles = 0
            end = position + 1
        else:
            singles += 1
            if singles > SINGLES or _is_prose(line, columns(end), unit):
                break
    if end < len(lines) and _continues(lines[end], lines[end - 1], unit):
        end += 1
    return end


def _heads(line: Line, columns: Columns, rows: Sequence[Line]) -> bool:
    """Whether a line heads the columns anew, so that another table begins."""
    over = len(columns) > 1 and line[0].left > columns[0][1]
    figures = sum(has_figure(row) for row in rows)
    return over and figures >= 2 and not any(is_figure(phrase) for phrase in line)


def _is_total(line: Line, columns: Columns) -> bool:
    """Whether a line is a figure alone, under others: a total without a label."""
    return (
        len(line) == 1
        and line[0].is_number
        and line[0].left > columns[0][1]
        and any(overlap(line[0], column) > 0 for column in columns[1:])
    )


def _fits(line: Line, columns: Columns) -> bool:
    """Whether a row's two cells stand in the columns so far: neither runs through them."""
    if len(columns) < 2:
        return True
    left_side, right = columns[0][0], columns[-1][1]
    widest = max(line, key=lambda phrase: phrase.width)
    return widest.is_number or widest.width < FULL * (right - left_side)


def _is_prose(line: Line, columns: Columns, unit: float) -> bool:
    """Whether a line without cells runs through the columns as text does."""
    left_side, right = min(p.left for p in line), max(p.right for p in line)
    text = " ".join(phrase.text for phrase in line)
    if len(columns) < 2:
        return right - left_side > LONG * unit
    crossed = any(left_side < (a + b) / 2 < right for a, b in columns[1:])
    letters = sum(char.isalpha() for char in text)
    starts_left = left_side < columns[0][1]
    return starts_left and crossed and letters >= PROSE


def _continues(line: Line, before: Line, unit: float) -> bool:
    """Whether a line is the rest of the label before it."""
    if len(line) != 1 or not line[0].text[:1].islower():
        return False
    near = middle_of(line) - middle_of(before) < 1.5 * unit
    return (
        near and line[0].right < before[-1].left and abs(line[0].left - before[0].left) < 2 * unit
    )


def _is_table(lines: Sequence[Line], unit: float) -> bool:
    rows = [line for line in lines if is_row(line)]
    if len(rows) < 2 or _is_contents(lines):
        return False
    numbers = sum(any(phrase.is_number for phrase in row[1:]) for row in rows)
    if numbers >= 2 and numbers >= 0.3 * len(rows):
        return True
    if len(rows) == 2 and numbers == 1 and len(rows[0]) == len(rows[1]) > 2:
        return True
    columns = columns_of(rows)
    return len(rows) >= 3 and len(columns) >= 2 and _aligned(rows, columns, unit)


def _is_contents(lines: Sequence[Line]) -> bool:
    """Whether lines are a table of contents: titles, each with a page number that does not fall."""
    rows = [line for line in lines if is_row(line)]
    ends = [row[-1].text for row in rows]
    pages = [int(text) for text in ends if text.isdecimal() and len(text) <= MOST_DIGITS]
    rest = sum(is_figure(phrase) for row in rows for phrase in row[1:-1])
    falls = sum(before > after for before, after in pairwise(pages))
    rising = falls <= FALLS * len(pages)
    return len(pages) >= LEAST_PAGES and len(pages) >= 0.8 * len(rows) and rising and not rest


def _aligned(rows: Sequence[Line], columns: Columns, unit: float) -> bool:
    """Whether text stands in columns: most cells begin where others of their column begin."""
    starts: dict[int, list[float]] = {}
    for row in rows:
        for phrase in row:
            starts.setdefault(nearest(phrase, columns), []).append(phrase.left)
    steady = [
        np.abs(np.array(lefts) - np.median(lefts)) < STEADY * unit for lefts in starts.values()
    ]
    return float(np.mean(np.concatenate(steady))) >= ALIGNED


def _extend_to_header(lines: Sequence[Line], first: int, end: int, unit: float, floor: int) -> int:
    """The run with the single lines above that head its columns."""
    columns = columns_of(lines[first:end])
    if len(columns) < 2:
        return first
    while first > floor:
        line, below = lines[first - 1], lines[first]
        if len(line) != 1 or middle_of(below) - middle_of(line) > 1.8 * unit:
            break
        over = line[0].left >= columns[0][1] and line[0].right <= columns[-1][1] + 2 * unit
        over = over and not (line[0].text.startswith("(") or _is_title(line[0], columns, unit))
        unit_of_figures = line[0].text.startswith("(") and line[0].right <= columns[0][1]
        if not over and not unit_of_figures:
            break
        first -= 1
    return first


def _is_title(phrase: Phrase, columns: Columns, unit: float) -> bool:
    """Whether a line stands over the middle of the table, labels and all."""
    whole = centre_offset(phrase, columns, 0, len(columns) - 1)
    return whole < min(unit, centre_offset(phrase, columns, 1, len(columns) - 1))
