"""The header of a table: what stands over its columns, merged as drawn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ocr_backends.structure.ink import Rule
from ocr_backends.structure.phrases import Phrase
from ocr_backends.structure.table_columns import (
    Columns,
    Line,
    centre_offset,
    has_figure,
    is_year,
    nearest,
    place_of,
)
from ohr.markup.blocks import GridCell


@dataclass
class _Heading:
    """A cell of the header: columns ``[start, end]``, and its phrases from the top."""

    start: int
    end: int
    phrases: list[Phrase]
    level: int = 0
    """Rows of the header below it."""


def head_lines(lines: Sequence[Line], columns: Columns) -> int:
    """How many lines head the columns: those above the first label with a figure, no year."""
    head = 0
    for number, line in enumerate(lines):
        if has_figure(line):
            return head
        if any(phrase.left > columns[0][1] or phrase.right > columns[-1][0] for phrase in line):
            head = number + 1
    return 0


def header_cells(
    lines: Sequence[Line],
    columns: Columns,
    unit: float,
    rules: Sequence[Rule],
) -> list[GridCell]:
    """Cells of the header: a heading of several lines is one, a wider one spans what it heads."""
    headings: list[_Heading] = []
    places = _header_places(lines, columns, unit, rules)
    for line, line_places in zip(lines, places, strict=True):
        for phrase, (start, end) in zip(line, line_places, strict=True):
            above = [
                heading
                for heading in headings
                if (heading.start, heading.end) == (start, end)
                and phrase.top - heading.phrases[-1].bottom < 0.5 * unit
            ]
            if above:
                above[-1].phrases.append(phrase)
            else:
                headings.append(_Heading(start, end, [phrase]))
    for position in range(len(headings) - 1, -1, -1):
        below = [
            other.level + 1
            for other in headings[position + 1 :]
            if other.start <= headings[position].end
            and other.end >= headings[position].start
            and other.phrases[0].middle > headings[position].phrases[-1].middle
        ]
        headings[position].level = max(below, default=0)
    height = max((heading.level + 1 for heading in headings), default=0)
    texts: dict[tuple[int, int], tuple[int, str]] = {}
    for heading in headings:
        row = height - 1 - heading.level
        text = " ".join(phrase.text for phrase in heading.phrases)
        taken = next(
            (
                key
                for key, (end, _) in texts.items()
                if key[0] == row and key[1] <= heading.end and end >= heading.start
            ),
            None,
        )
        if taken is None:
            texts[row, heading.start] = (heading.end, text)
        else:
            texts[taken] = (texts[taken][0], f"{texts[taken][1]} {text}")
    cells = [
        GridCell(row, start, text, colspan=end - start + 1)
        for (row, start), (end, text) in texts.items()
    ]
    filled = {
        (c.row, position) for c in cells for position in range(c.column, c.column + c.colspan)
    }
    cells += [
        GridCell(row, position, "")
        for row in range(height)
        for position in range(len(columns))
        if (row, position) not in filled
    ]
    return cells


def _header_places(
    lines: Sequence[Line],
    columns: Columns,
    unit: float,
    rules: Sequence[Rule],
) -> list[list[tuple[int, int]]]:
    """First and last column of each heading of each line: those over which it stands."""
    result: list[list[tuple[int, int]]] = []
    for line in reversed(lines):
        places = [place_of(phrase, columns) for phrase in line]
        wide = []
        for number, (phrase, (start, end)) in enumerate(zip(line, places, strict=True)):
            ruled = _ruled(phrase, line, columns, unit, rules)
            if ruled is not None:
                wide.append((min(start, ruled[0]), max(end, ruled[1])))
                continue
            first = places[number - 1][1] + 1 if number else 1
            last = places[number + 1][0] - 1 if number + 1 < len(line) else len(columns) - 1
            place = _centred(phrase, columns, (start, end), (first, last), unit)
            below = lines[len(lines) - len(result)] if result else []
            lone = sum(position > 0 for position, _ in places) == 1
            if lone and start > 0 and _is_over_years(phrase, below, columns, unit):
                place = (1, len(columns) - 1)
            wide.append(place)
        if result:
            wide = _align_with_below(line, wide, lines[len(lines) - len(result)], result[-1], unit)
        result.append(wide)
    return result[::-1]


def _ruled(
    phrase: Phrase,
    line: Line,
    columns: Columns,
    unit: float,
    rules: Sequence[Rule],
) -> tuple[int, int] | None:
    """First and last column over the ruling line under a heading; None where there is none."""
    for rule in rules:
        under = phrase.middle + 0.2 * unit < rule.y < phrase.bottom + 0.5 * unit
        if under and rule.left < phrase.centre < rule.right and rule.left > columns[0][1]:
            over = [
                index
                for index, (left_edge, right) in enumerate(columns)
                if rule.left - unit < (left_edge + right) / 2 < rule.right + unit
            ]
            # Pieces of a line under one word say nothing of the columns beside it, and one under
            # several headings belongs to none.
            alone = sum(rule.left < other.centre < rule.right for other in line) == 1
            if over and alone and rule.right - rule.left > phrase.width - unit:
                return over[0], over[-1]
    return None


def _centred(
    phrase: Phrase,
    columns: Columns,
    place: tuple[int, int],
    room: tuple[int, int],
    unit: float,
) -> tuple[int, int]:
    """The columns within ``room`` over whose middle a heading stands, if it is not its own."""
    start, end = place
    best, least = place, centre_offset(phrase, columns, start, end) - unit
    if start == 0:
        return place
    for first in range(min(room[0], start), start + 1):
        for last in range(end, max(room[1], end) + 1):
            off = centre_offset(phrase, columns, first, last)
            if off < least:
                best, least = (first, last), off
    return best


def _is_over_years(phrase: Phrase, below: Line, columns: Columns, unit: float) -> bool:
    """Whether a heading alone over the columns stands over the middle of a year for each column."""
    years = {nearest(other, columns) for other in below if is_year(other.text)}
    return (
        years == set(range(1, len(columns)))
        and centre_offset(phrase, columns, 1, len(columns) - 1) < 1.5 * unit
    )


def _align_with_below(
    line: Line,
    places: Sequence[tuple[int, int]],
    below: Line,
    places_below: Sequence[tuple[int, int]],
    unit: float,
) -> list[tuple[int, int]]:
    """A heading's first line spans what its last one does."""
    result = []
    for number, (phrase, (start, end)) in enumerate(zip(line, places, strict=True)):
        for other, (first, last) in zip(below, places_below, strict=True):
            near = other.top - phrase.bottom < 0.5 * unit
            near = near and not any(
                place[0] <= last and place[1] >= first
                for index, place in enumerate(places)
                if index != number
            )
            if near and first <= start <= end <= last and abs(other.centre - phrase.centre) < unit:
                start, end = first, last
        result.append((start, end))
    return result
