"""Tables without a model: runs of lines whose phrases stand in columns, and the cells of each."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ocr_backends._blocks import GridCell
from ocr_backends._ink import Ink, Rule
from ocr_backends._phrases import Phrase

Line = list[Phrase]

PITCH = 3.2
"""Rows further apart than so many heights of a line belong to two tables."""
DASH = "—"
_CURRENCY = ("$", "S", "€", "£")
AGAIN = 1.8
"""Rows so many heights apart belong to two tables if the lower one heads the columns anew."""
SINGLES = 4
"""At most so many lines in a row without a second cell: headings within a table, long labels."""
SHRINK = 0.2
"""Cells touch their neighbours by so much of a line's height, and are still in columns apart."""
COVERED = 0.5
"""A cell that covers two cells of another row, each by so much of its width, spans columns."""
PROSE = 40
"""A line of so many letters that runs on into the columns of figures is none of the table's."""
CLOSE = 0.8
"""Lines of one label follow each other in less than so much of the distance of rows."""
MARKER = re.compile(
    r"[•●▪■○◦·∙»‣*–—-]|\(?[a-zA-Z0-9]{1,3}[.)]|\(?[ivxIVX]{1,5}[.)]|\([a-zA-Z0-9]{1,3}\)|[oO§]|\d{1,2}"
)
"""What stands before an item of a list."""


@dataclass(frozen=True)
class Run:
    """Lines ``[first, end)`` of a column that make a table."""

    first: int
    end: int


def find_tables(lines: Sequence[Line], unit: float) -> list[Run]:
    """Tables among the lines of a column of the page, top to bottom.

    ``lines``: phrases from left to right, joined; ``unit``: height of a line in pixels.
    """
    runs: list[Run] = []
    at = 0
    while at < len(lines):
        if not _is_row(lines[at]):
            at += 1
            continue
        end = _end_of_run(lines, at, unit)
        if _is_table(lines[at:end]):
            first = _with_header(lines, at, end, unit, runs[-1].end if runs else 0)
            runs.append(Run(first, end))
            at = end
        else:
            at += 1
    return runs


def _is_row(line: Line) -> bool:
    """Whether a line has cells; a marker with its item has not."""
    return len(line) > 1 and not (len(line) == 2 and MARKER.fullmatch(line[0].text.strip()))


def _top(line: Line) -> float:
    return min(phrase.top for phrase in line)


def _bottom(line: Line) -> float:
    return max(phrase.bottom for phrase in line)


def _middle(line: Line) -> float:
    return float(np.mean([phrase.middle for phrase in line]))


def _end_of_run(lines: Sequence[Line], first: int, unit: float) -> int:
    """End of the run that begins at a row: it ends with a row, or with the rest of its label."""
    columns = _columns(lines[first : first + 1])
    end = first + 1
    singles = 0
    for at in range(first + 1, len(lines)):
        line = lines[at]
        step = _middle(line) - _middle(lines[at - 1])
        if step > PITCH * unit or (step > AGAIN * unit and _heads(line, columns, lines[first:end])):
            break
        if _is_row(line) or _is_total(line, columns):
            if not _fits(line, columns):
                break
            singles = 0
            end = at + 1
            columns = _columns(lines[first:end])
        else:
            singles += 1
            if singles > SINGLES or _is_prose(line, columns, unit):
                break
    if end < len(lines) and _continues(lines[end], lines[end - 1], unit):
        end += 1
    return end


def _heads(line: Line, columns: Sequence[tuple[float, float]], rows: Sequence[Line]) -> bool:
    """Whether a line heads the columns anew, so that another table begins."""
    over = len(columns) > 1 and line[0].left > columns[0][1]
    figures = sum(_has_figure(row) for row in rows)
    return over and figures >= 2 and not any(_is_figure(phrase) for phrase in line)


def _is_total(line: Line, columns: Sequence[tuple[float, float]]) -> bool:
    """Whether a line is a figure alone, under others: a total without a label."""
    return len(line) == 1 and line[0].is_number and line[0].left > columns[0][1]


def _fits(line: Line, columns: Sequence[tuple[float, float]]) -> bool:
    """Whether a row's cells stand in the columns so far: no cell but the first spans all."""
    if len(columns) < 2:
        return True
    left, right = columns[0][0], columns[-1][1]
    widest = max(line, key=lambda phrase: phrase.width)
    return len(line) > 2 or widest.is_number or widest.width < 0.85 * (right - left)


def _is_prose(line: Line, columns: Sequence[tuple[float, float]], unit: float) -> bool:
    """Whether a line without cells runs through the columns as text does."""
    left, right = min(p.left for p in line), max(p.right for p in line)
    text = " ".join(phrase.text for phrase in line)
    if len(columns) < 2:
        return right - left > 25 * unit
    crossed = any(left < (a + b) / 2 < right for a, b in columns[1:])
    letters = sum(char.isalpha() for char in text)
    starts_left = left < columns[0][1]
    return starts_left and crossed and letters >= PROSE


def _continues(line: Line, before: Line, unit: float) -> bool:
    """Whether a line is the rest of the label before it."""
    if len(line) != 1 or not line[0].text[:1].islower():
        return False
    near = _middle(line) - _middle(before) < 1.5 * unit
    return (
        near and line[0].right < before[-1].left and abs(line[0].left - before[0].left) < 2 * unit
    )


def _is_table(lines: Sequence[Line]) -> bool:
    rows = [line for line in lines if _is_row(line)]
    if len(rows) < 2:
        return False
    numbers = sum(any(phrase.is_number for phrase in row[1:]) for row in rows)
    if numbers >= 2 and numbers >= 0.3 * len(rows):
        return True
    if len(rows) == 2 and numbers == 1 and len(rows[0]) == len(rows[1]) > 2:
        return True
    columns = _columns(rows)
    return len(rows) >= 3 and len(columns) >= 2 and _aligned(rows, columns)


def _aligned(rows: Sequence[Line], columns: Sequence[tuple[float, float]]) -> bool:
    """Whether text stands in columns: most cells begin where others of their column begin."""
    starts: dict[int, list[float]] = {}
    for row in rows:
        for phrase in row:
            starts.setdefault(_nearest(phrase, columns), []).append(phrase.left)
    kept = [np.abs(np.array(found) - np.median(found)) < 12 for found in starts.values()]
    return float(np.mean(np.concatenate(kept))) >= 0.7


def _with_header(lines: Sequence[Line], first: int, end: int, unit: float, floor: int) -> int:
    """The run with the single lines above that head its columns."""
    columns = _columns(lines[first:end])
    if len(columns) < 2:
        return first
    while first > floor:
        line, below = lines[first - 1], lines[first]
        if len(line) != 1 or _middle(below) - _middle(line) > 1.8 * unit:
            break
        over = line[0].left >= columns[0][1] and line[0].right <= columns[-1][1] + 2 * unit
        over = over and not line[0].text.startswith("(")
        unit_of_figures = line[0].text.startswith("(") and line[0].right <= columns[0][1]
        if not over and not unit_of_figures:
            break
        first -= 1
    return first


def _columns(lines: Sequence[Line]) -> list[tuple[float, float]]:
    """Columns of rows: where their cells stand that span no others, from left to right."""
    rows = [line for line in lines if _is_row(line)] or list(lines)
    figures = [row for row in rows if _has_figure(row)]
    base = figures if len(figures) >= 2 else rows
    columns = _clusters(_unspanned(base))
    for row in rows:  # a column without figures
        if row in base:
            continue
        for phrase in row:
            if not any(_overlap(phrase, column) > 0 for column in columns):
                columns = sorted([*columns, (phrase.left, phrase.right)])
    return columns


def _has_figure(row: Line) -> bool:
    return any(_is_figure(phrase) for phrase in row[1:])


def _is_figure(phrase: Phrase) -> bool:
    return phrase.is_number and not _is_year(phrase.text)


def _unspanned(rows: Sequence[Line]) -> list[Phrase]:
    cells = [phrase for row in rows for phrase in row]
    left = np.array([phrase.left for phrase in cells])
    right = np.array([phrase.right for phrase in cells])
    row_of = np.array([number for number, row in enumerate(rows) for _ in row])
    kept = []
    for number, cell in enumerate(cells):
        covered = np.minimum(right, cell.right) - np.maximum(left, cell.left)
        whole = covered >= COVERED * (right - left)
        counts = np.bincount(row_of[whole & (row_of != row_of[number])], minlength=len(rows))
        if counts.max(initial=0) < 2:
            kept.append(cell)
    return kept


def _clusters(cells: Sequence[Phrase]) -> list[tuple[float, float]]:
    columns: list[tuple[float, float]] = []
    for cell in sorted(cells, key=lambda cell: cell.left):
        shrunk = SHRINK * cell.height
        if columns and cell.left + shrunk < columns[-1][1] - shrunk:
            columns[-1] = (columns[-1][0], max(columns[-1][1], cell.right))
        else:
            columns.append((cell.left, cell.right))
    return columns


def _overlap(phrase: Phrase, column: tuple[float, float]) -> float:
    return min(phrase.right, column[1]) - max(phrase.left, column[0])


def _nearest(phrase: Phrase, columns: Sequence[tuple[float, float]]) -> int:
    """The column that a cell shares most with, else the nearest."""
    return max(
        range(len(columns)),
        key=lambda at: (
            _overlap(phrase, columns[at]),
            -abs(phrase.centre - sum(columns[at]) / 2),
        ),
    )


def grid_cells(lines: Sequence[Line], unit: float, ink: Ink | None = None) -> list[GridCell]:
    """Cells of a table, empty ones too: rows from lines, merged headings as they stand.

    ``ink``: the page's; a heading stands over the columns that the line under it does, and
    dashes among figures are cells.
    """
    columns = _columns(lines)
    head = _head(lines, columns)
    cells = _header_cells(lines[:head], columns, unit, ink.rules if ink else ())
    first = max((cell.row + 1 for cell in cells), default=0)
    for number, row in enumerate(_rows(lines[head:], columns, unit), first):
        filled: set[int] = set()
        for (start, end), text in _spans(row, columns).items():
            if text in _CURRENCY and ink and _has_dash(ink, row, columns[start], unit, text):
                text = f"${DASH}"
            cells.append(GridCell(number, start, text, colspan=end - start))
            filled.update(range(start, end))
        for at in range(len(columns)):
            if at not in filled:
                dash = at > 0 and ink is not None and _has_dash(ink, row, columns[at], unit)
                cells.append(GridCell(number, at, DASH if dash else ""))
    return cells


def _has_dash(
    ink: Ink, row: Line, column: tuple[float, float], unit: float, currency: str = ""
) -> bool:
    """Whether a dash stands in a row's cell, to the right of its currency sign."""
    left, right = column
    for phrase in row:
        if currency and phrase.text == currency and left <= phrase.centre <= right:
            left = phrase.right
    figures = [phrase.middle for phrase in row if phrase.is_number]
    middle = float(np.median(figures or [phrase.middle for phrase in row]))
    return ink.has_dash(left - 2, right + 2, middle, unit)


def _head(lines: Sequence[Line], columns: Sequence[tuple[float, float]]) -> int:
    """How many lines head the columns: those above the first label with a figure, no year."""
    head = 0
    for number, line in enumerate(lines):
        if _has_figure(line):
            return head
        if any(phrase.left > columns[0][1] or phrase.right > columns[-1][0] for phrase in line):
            head = number + 1
    return 0


def _is_year(text: str) -> bool:
    return re.fullmatch(r"\(?(?:19|20)\d\d\)?\W{0,2}(?:\([a-z0-9]\))?", text.strip()) is not None


@dataclass
class _Heading:
    """A cell of the header: columns ``[start, end]``, and its phrases from the top."""

    start: int
    end: int
    phrases: list[Phrase]
    level: int = 0
    """Rows of the header below it."""


def _header_cells(
    lines: Sequence[Line],
    columns: Sequence[tuple[float, float]],
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
    for at in range(len(headings) - 1, -1, -1):
        below = [
            other.level + 1
            for other in headings[at + 1 :]
            if other.start <= headings[at].end
            and other.end >= headings[at].start
            and other.phrases[0].middle > headings[at].phrases[-1].middle
        ]
        headings[at].level = max(below, default=0)
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
    filled = {(c.row, at) for c in cells for at in range(c.column, c.column + c.colspan)}
    cells += [
        GridCell(row, at, "")
        for row in range(height)
        for at in range(len(columns))
        if (row, at) not in filled
    ]
    return cells


def _header_places(
    lines: Sequence[Line],
    columns: Sequence[tuple[float, float]],
    unit: float,
    rules: Sequence[Rule],
) -> list[list[tuple[int, int]]]:
    """First and last column of each heading of each line: those over which it stands."""
    result: list[list[tuple[int, int]]] = []
    for line in reversed(lines):
        places = [_place(phrase, columns) for phrase in line]
        wide = []
        for number, (phrase, (start, end)) in enumerate(zip(line, places, strict=True)):
            ruled = _ruled(phrase, line, columns, unit, rules)
            if ruled is not None:
                wide.append((min(start, ruled[0]), max(end, ruled[1])))
                continue
            first = places[number - 1][1] + 1 if number else 1
            last = places[number + 1][0] - 1 if number + 1 < len(line) else len(columns) - 1
            wide.append(_centred(phrase, columns, (start, end), (first, last), unit))
        if result:
            wide = _as_below(line, wide, lines[len(lines) - len(result)], result[-1], unit)
        result.append(wide)
    return result[::-1]


def _ruled(
    phrase: Phrase,
    line: Line,
    columns: Sequence[tuple[float, float]],
    unit: float,
    rules: Sequence[Rule],
) -> tuple[int, int] | None:
    """First and last column over the ruling line under a heading; None where there is none."""
    for rule in rules:
        under = phrase.middle + 0.2 * unit < rule.y < phrase.bottom + 0.5 * unit
        if under and rule.left < phrase.centre < rule.right and rule.left > columns[0][1]:
            over = [
                at
                for at, (left, right) in enumerate(columns)
                if rule.left - unit < (left + right) / 2 < rule.right + unit
            ]
            # Pieces of a line under one word say nothing of the columns beside it, and one under
            # several headings belongs to none.
            alone = sum(rule.left < other.centre < rule.right for other in line) == 1
            if over and alone and rule.right - rule.left > phrase.width - unit:
                return over[0], over[-1]
    return None


def _centred(
    phrase: Phrase,
    columns: Sequence[tuple[float, float]],
    place: tuple[int, int],
    room: tuple[int, int],
    unit: float,
) -> tuple[int, int]:
    """The columns within ``room`` over whose middle a heading stands, if it is not its own."""
    start, end = place
    best, least = place, _off_centre(phrase, columns, start, end) - unit
    if start == 0:
        return place
    for first in range(min(room[0], start), start + 1):
        for last in range(end, max(room[1], end) + 1):
            off = _off_centre(phrase, columns, first, last)
            if off < least:
                best, least = (first, last), off
    return best


def _as_below(
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
                for at, place in enumerate(places)
                if at != number
            )
            if near and first <= start <= end <= last and abs(other.centre - phrase.centre) < unit:
                start, end = first, last
        result.append((start, end))
    return result


def _off_centre(
    phrase: Phrase, columns: Sequence[tuple[float, float]], start: int, end: int
) -> float:
    return abs(phrase.centre - (columns[start][0] + columns[end][1]) / 2)


def _place(phrase: Phrase, columns: Sequence[tuple[float, float]]) -> tuple[int, int]:
    """First and last column that a cell stands in."""
    crossed = [
        at
        for at, column in enumerate(columns)
        if _overlap(phrase, column) >= 0.4 * (column[1] - column[0])
    ]
    if len(crossed) > 1 and not phrase.is_number:
        return crossed[0], crossed[-1]
    at = _nearest(phrase, columns)
    return at, at


def _rows(lines: Sequence[Line], columns: Sequence[tuple[float, float]], unit: float) -> list[Line]:
    """Lines, with labels of two lines made one row."""
    rows: list[Line] = []
    middles = [_middle(line) for line in lines if _has_figure(line)]
    pitch = float(np.quantile(np.diff(middles), 0.2)) if len(middles) > 2 else 0.0
    for line in lines:
        before = rows[-1] if rows else None
        if before is not None and _same_row(before, line, columns, unit, pitch):
            rows[-1] = before + line
        else:
            rows.append(list(line))
    return rows


def _same_row(
    before: Line, line: Line, columns: Sequence[tuple[float, float]], unit: float, pitch: float
) -> bool:
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


_GOES_ON = (
    *(",", "&", "-", "/"),
    *(f" {word}" for word in "and or of for in to the on by from with".split()),
)
"""Ends of a label that goes on in the next line."""


def _spans(row: Line, columns: Sequence[tuple[float, float]]) -> dict[tuple[int, int], str]:
    """Columns ``[start, end)`` of each cell of a row -> its text, from left to right."""
    if all(phrase.left <= columns[0][1] and not phrase.is_number for phrase in row):
        return {(0, len(columns)): " ".join(phrase.text for phrase in row)}
    texts: dict[tuple[int, int], str] = {}
    places = [_place(phrase, columns) for phrase in row]
    for number in sorted(range(len(row)), key=lambda number: places[number]):
        start, end = places[number]
        last = next(reversed(texts), None)
        if last is not None and start < last[1]:  # one cell's second phrase
            texts[last] = f"{texts[last]} {row[number].text}"
        else:
            texts[start, end + 1] = row[number].text
    return texts
