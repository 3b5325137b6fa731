"""Tables of a page, LaTeX, Markdown or HTML, as grids of cells."""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

_MAX_COLUMNS = 64
_ENVIRONMENT = re.compile(r"\\(begin|end)\{(?:tabular[x*]?|longtable|tabulary)\}")
_COLUMN_SPEC = re.compile(r"(?:\[[^\]\n]{0,20}\])?\s{0,5}\{(?:[^{}\n]|\{[^{}\n]{0,80}\}){0,300}\}")
_LATEX_MARK = re.compile(r"\\\\|\\[&%$#_{}]|\\begin\{[^{}\n]{1,40}\}|\\end\{[^{}\n]{1,40}\}|&")
_SPAN = re.compile(
    r"\\multicolumn\s{0,5}\{\s{0,5}(\d{1,2})\s{0,5}\}\s{0,5}"
    r"\{(?:[^{}\n]|\{[^{}\n]{0,40}\}){0,80}\}"
)
_MULTIROW = re.compile(
    r"\\multirow(?:\[[^\]\n]{0,20}\])?\s{0,5}\{[^{}\n]{0,20}\}\s{0,5}\{[^{}\n]{0,20}\}"
)
_RULE = re.compile(r"\\(?:hline|toprule|midrule|bottomrule|cline\s{0,5}\{[^{}\n]{0,20}\})")
_NESTED = re.compile(r"\\(?:begin|end)\{[^{}\n]{1,40}\}(?:\{[|lcr ]{0,40}\})?|\\\\")
_HTML_TABLE = re.compile(r"<(/?)table\b[^<>]{0,300}>", re.IGNORECASE)
_HTML_ROW = re.compile(r"<tr\b[^<>]{0,300}>", re.IGNORECASE)
_HTML_CELL = re.compile(r"<t[dh]\b([^<>]{0,300})>", re.IGNORECASE)
_COLSPAN = re.compile(r"colspan\s{0,3}=\s{0,3}[\"']?(\d{1,2})", re.IGNORECASE)
_TAG = re.compile(r"</?[a-zA-Z][^<>\n]{0,100}>")
_PIPE_LINES = re.compile(r"(?:^[^\n|]*+\|[^\n|]*+\|[^\n]*+(?:\n|\Z))++", re.MULTILINE)
_PIPE = re.compile(r"(?<!\\)\|")
_SEPARATOR = re.compile(r"[\s|:-]*-[\s|:-]*")

Row = list[str]


@dataclass(frozen=True, slots=True)
class RawTable:
    """Rows of raw cells; a cell that spans columns is followed by empty ones."""

    rows: list[Row]
    header_rows: int
    """How many of the first rows name the columns; they stay in ``rows``."""


def split_tables(text: str) -> Iterator[str | RawTable]:
    """The page as pieces of running text and tables, in order."""
    for piece in _by_environment(text, _ENVIRONMENT, "begin", _latex):
        if not isinstance(piece, str):
            yield piece
            continue
        for part in _by_environment(piece, _HTML_TABLE, "", _html):
            if isinstance(part, str):
                yield from _markdown(part)
            else:
                yield part


def _by_environment(
    text: str, marks: re.Pattern[str], opening: str, parse: Callable[[str], RawTable]
) -> Iterator[str | RawTable]:
    """Cut at outermost pairs of marks; an environment that never ends runs to the end."""
    depth, start, done = 0, 0, 0
    for match in marks.finditer(text):
        if match.group(1) == opening:
            if depth == 0:
                yield text[done : match.start()]
                start = match.end()
            depth += 1
        elif depth > 0:
            depth -= 1
            if depth == 0:
                yield parse(text[start : match.start()])
                done = match.end()
    if depth > 0:
        yield parse(text[start:])
    else:
        yield text[done:]


def _latex(body: str) -> RawTable:
    spec = _COLUMN_SPEC.match(body)
    start = spec.end() if spec else 0
    rows: list[Row] = []
    row: Row = []
    depth = 0

    def add(cell: str) -> None:
        span = _SPAN.search(cell)
        width = int(span.group(1)) if span else 1
        cell = _RULE.sub(" ", _MULTIROW.sub("", _SPAN.sub("", cell)))
        row.append(_NESTED.sub(" ", cell).strip())
        row.extend([""] * (min(width, _MAX_COLUMNS) - 1))

    for match in _LATEX_MARK.finditer(body, start):
        mark = match.group()
        if mark.startswith("\\begin"):
            depth += 1
        elif mark.startswith("\\end"):
            depth = max(0, depth - 1)
        elif depth == 0 and mark in ("&", "\\\\"):
            add(body[start : match.start()])
            start = match.end()
            if mark == "\\\\":
                rows.append(row)
                row = []
    add(body[start:])
    rows.append(row)
    return _table(rows)


def _html(body: str) -> RawTable:
    rows: list[Row] = []
    for part in _HTML_ROW.split(body):
        pieces = _HTML_CELL.split(part)
        row: Row = []
        for attributes, cell in zip(pieces[1::2], pieces[2::2], strict=True):
            row.append(" ".join(html.unescape(_TAG.sub(" ", cell)).split()))
            span = _COLSPAN.search(attributes)
            row.extend([""] * (min(int(span.group(1)), _MAX_COLUMNS) - 1 if span else 0))
        rows.append(row)
    return _table(rows)


def _markdown(text: str) -> Iterator[str | RawTable]:
    done = 0
    for match in _PIPE_LINES.finditer(text):
        lines = match.group().splitlines()
        rules = [i for i, line in enumerate(lines) if _SEPARATOR.fullmatch(line)]
        if not rules and (len(lines) < 2 or not all(line.lstrip()[:1] == "|" for line in lines)):
            continue  # lines with bars, such as |x| < |y|, are no table by themselves
        yield text[done : match.start()]
        rows = [
            [cell.strip() for cell in _PIPE.split(line.strip().strip("|"))]
            for i, line in enumerate(lines)
            if i not in rules[:1]
        ]
        yield _table(rows, header_rows=rules[0] if rules else None)
        done = match.end()
    yield text[done:]


def _table(rows: list[Row], header_rows: int | None = None) -> RawTable:
    rows = [row[:_MAX_COLUMNS] for row in rows if any(row)]
    if header_rows is None:
        # A header goes on while its first column is empty: "| | 2021 | | 2020 |" stands
        # above or below the row that names that column.
        header_rows = min(1, len(rows))
        while header_rows < min(3, len(rows)) and not (
            rows[header_rows - 1][0] and rows[header_rows][0]
        ):
            header_rows += 1
    return RawTable(rows, header_rows)
