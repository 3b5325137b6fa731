"""Parses Markdown pipe tables as on GitHub.

Lines without a row of dashes are a table too if they begin and end with a bar and have the same
number of cells. Pipes in a cell are escaped. Bare pipes in formulas and code do not split a row,
unless the row would otherwise have fewer cells than the header.
"""

from __future__ import annotations

import itertools
import re

from ohr.markup.tables.model import MOST_SPANNED, Cell, ParsedTable, Span, Table

_DELIMITER = re.compile(
    r"^[ \t]{0,3}(?=[^\n]*\|)\|?[ \t]*+:?-++:?[ \t]*+(?:\|[ \t]*+:?-++:?[ \t]*+)*+\|?[ \t]*+$",
    re.MULTILINE,
)
_BARRED = re.compile(r"^[ \t]{0,3}\|(?=[ \t|])[^\n]*(?<=[ \t|])\|[ \t]*$", re.MULTILINE)
_MARK = re.compile(r"\\.|`+|\$\$?|\|", re.DOTALL)
_FENCE = re.compile(r"[ \t]{0,3}(?:```|~~~)")


def parse_markdown(text: str) -> list[ParsedTable]:
    """Every pipe table of a page, in order."""
    if "|" not in text:
        return []
    tables: list[ParsedTable] = []
    done = 0
    for delimiter in _DELIMITER.finditer(text) if "-" in text else ():
        header_end = delimiter.start() - 1
        if header_end <= done or delimiter.start() < done:
            continue
        header_start = text.rfind("\n", done, header_end) + 1 or done
        if (table := _table(text, header_start, header_end, delimiter)) is not None:
            tables.append(table)
            done = table.span[1]
    return _add_bare_tables(text, tables)


def _add_bare_tables(text: str, tables: list[ParsedTable]) -> list[ParsedTable]:
    """The tables and those without a row of dashes, in order."""
    runs: list[list[Span]] = []
    spans = iter([*(table.span for table in tables), (len(text), len(text))])
    start, end = next(spans)
    for line in _BARRED.finditer(text):
        while end < line.start():
            start, end = next(spans)
        if start < line.end() and start < len(text):
            continue
        if runs and runs[-1][-1][1] + 1 == line.start():
            runs[-1].append(line.span())
        else:
            runs.append([line.span()])
    bare = [table for run in runs if len(run) > 1 and (table := _bare(text, run)) is not None]
    return sorted([*tables, *bare], key=lambda table: table.span) if bare else tables


def _bare(text: str, lines: list[Span]) -> ParsedTable | None:
    """The table of lines with bars, or None if their numbers of cells differ."""
    width = len(_row(text, *lines[0], 0))
    rows = [_row(text, *line, width) for line in lines]
    if not 1 < width <= MOST_SPANNED or any(len(row) != width for row in rows):
        return None
    if not any(char.isalnum() for row in rows for a, b in row for char in text[a:b]):
        return None
    span = _stripped(text, lines[0][0], lines[-1][1])
    return ParsedTable("markdown", span, Table(_cells(text, rows, 0), len(rows), width))


def _table(text: str, start: int, header_end: int, delimiter: re.Match[str]) -> ParsedTable | None:
    dashes = [mark.strip() for mark in delimiter[0].strip().strip("|").split("|")]
    n_columns = len(dashes)
    header = _row(text, start, header_end, n_columns)
    if len(header) != n_columns or n_columns > MOST_SPANNED or "|" not in text[start:header_end]:
        return None
    rows = [header]
    end = delimiter.end()
    while end < len(text):
        line_end = text.find("\n", end + 1)
        line_end = len(text) if line_end < 0 else line_end
        line = text[end + 1 : line_end]
        if "|" not in line or _FENCE.match(line):
            break
        rows.append(_row(text, end + 1, line_end, n_columns))
        end = line_end
    table = Table(
        _cells(text, rows, 1), len(rows), max(map(len, rows)), alignments=_alignments(dashes, rows)
    )
    start += len(text[start:header_end]) - len(text[start:header_end].lstrip())
    return ParsedTable("markdown", (start, _stripped(text, start, end)[1]), table)


def _cells(text: str, rows: list[list[Span]], header_rows: int) -> tuple[Cell, ...]:
    return tuple(
        Cell(number, column, text[a:b], header=number < header_rows, content_span=(a, b))
        for number, row in enumerate(rows)
        for column, (a, b) in enumerate(row)
    )


def _alignments(dashes: list[str], rows: list[list[Span]]) -> tuple[str, ...]:
    if not any(":" in mark for mark in dashes):
        return ()
    letters = {(True, True): "c", (True, False): "l", (False, True): "r", (False, False): ""}
    columns = [letters[mark.startswith(":"), mark.endswith(":")] for mark in dashes]
    return tuple(columns + [""] * (max(map(len, rows)) - len(columns)))


def _row(text: str, start: int, end: int, n_columns: int) -> list[Span]:
    """The spans of a row's cells, trimmed."""
    start, end = _stripped(text, start, end)
    cells = _split(text, start, end, protect=True)
    if len(cells) != n_columns:
        bare = _split(text, start, end, protect=False)
        if len(bare) == n_columns or len(cells) < n_columns:
            cells = bare
    return cells


def _split(text: str, start: int, end: int, protect: bool) -> list[Span]:
    """The spans between the pipes that split a row. ``protect``: pipes in code and formulas do not
    split it."""
    marks = [mark for mark in _MARK.finditer(text, start, end) if mark[0][0] != "\\"]
    closers = _closers(text, marks) if protect else {}
    cuts = [start - 1]
    i = 0
    while i < len(marks):
        if marks[i][0] == "|":
            cuts.append(marks[i].start())
        i = closers.get(i, i) + 1
    cuts.append(end)
    spans = [_stripped(text, a + 1, b) for a, b in itertools.pairwise(cuts)]
    if len(cuts) > 2 and cuts[1] == start:
        del spans[0]
    if len(spans) > 1 and cuts[-2] == end - 1:
        del spans[-1]
    return spans


def _closers(text: str, marks: list[re.Match[str]]) -> dict[int, int]:
    """Index of each mark that opens a code span or a formula -> index of its closing mark."""
    closers: dict[int, int] = {}
    later: dict[str, int] = {}
    for i in range(len(marks) - 1, -1, -1):
        mark = marks[i]
        kind = mark[0]
        if kind == "|":
            continue
        after = text[mark.end() : mark.end() + 1]
        before = text[mark.start() - 1 : mark.start()]
        is_code = kind[0] == "`"
        if kind in later and (is_code or (after and not after.isspace())):
            closers[i] = later[kind]
        if is_code or not (before.isspace() or after.isdigit()):
            later[kind] = i
    return closers


def _stripped(text: str, start: int, end: int) -> Span:
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return start, end
