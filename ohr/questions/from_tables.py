"""Makes questions for cells of tables, by the heads of row and column.

Tables are those of mark-up and, in plain text, rows of numbers under a line of years. Doubtful
tables are left out: with heads that are empty or come twice, cells that span rows or columns, or
rows of another length than the heads.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ohr.datasets import wording
from ohr.markup.outline.parts import is_row
from ohr.markup.page import read_page
from ohr.markup.strip import strip_markup
from ohr.markup.tables import ParsedTable
from ohr.metrics import default
from ohr.questions.agreed import UNSURE
from ohr.questions.candidate import Candidate, Evidence, quoted
from ohr.types import PageRef

_LONGEST_HEAD, _LONGEST_CELL = 12, 8
"""Words."""
_LEAST_COLUMNS, _LEAST_ROWS = 2, 3
_NUMERIC = 0.7
_NUMBER = re.compile(r"[-(]?[$€£]?-?\d[\d,.]*[%)]?")
_CODE = re.compile(r"(?<!\d)\d{4}\s?-\s")
_LETTERS = 3
_YEAR = re.compile(r"(?:FY ?)?(?:19|20)\d{2}\*?")
_BARE = re.compile(r"[\s$€£%()\-\u2013\u2014.*]*")
_GENERIC = frozenset("total totals other others subtotal sum all year years name none n/a".split())
_REFERENCES = frozenset("page pages section note notes no item ref reference".split())
"""First words of heads of columns that only refer to other places."""
_LINE = re.compile(r"[^\n]+")
_CURRENCY = re.compile(r"[$€£]")
_PROSE = 20
"""Words from which on a line is running text, not a row."""
_CELL = re.compile(r"\(?-?\d[\d,.]*\)?%?|[\u2014\u2013-]")
_SIGN = re.compile(r"[$€£(]|%|\)|\)%")
_NOTE = re.compile(r"\(\d\)")
_YEARS = re.compile(r"(?<![\d,/])(?:19|20)\d{2}(?![\d,/])")


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell's value and heads, and the span of its row on the page."""

    row_head: str
    column_head: str
    value: str
    start: int
    end: int
    of_markup: bool


def ask_tables(ref: PageRef, text: str, name: str) -> Iterator[Candidate]:
    """The candidates of a page's tables. ``name`` is that of the document, or empty."""
    for cell in table_cells(text):
        source = text[cell.start : cell.end]
        if UNSURE in source or UNSURE in cell.column_head:
            continue
        question = _question(cell)
        form = "Numeric" if wording.is_number(cell.value) else "String"
        yield Candidate(
            "table",
            f"{question}?",
            cell.value,
            (Evidence(ref, cell.start, cell.end, source),),
            "table",
            form,
            f"{cell.row_head}\n{cell.column_head}",
            fuller=f"{question} in {name}?" if name else "",
        )


def _question(cell: Cell) -> str:
    if _YEAR.fullmatch(cell.column_head):
        return f"What is the value of {quoted(cell.row_head)} for {cell.column_head}"
    return f"What is given for {quoted(cell.row_head)} under {quoted(cell.column_head)}"


def heads(text: str) -> Iterator[tuple[str, str]]:
    """The heads of row and column of every cell of a page's tables, as :func:`key` has them."""
    for cell in table_cells(text):
        yield key(cell.row_head), key(cell.column_head)


def key(head: str) -> str:
    """A head for comparison."""
    return " ".join(default.tokens(head))


def table_cells(text: str) -> list[Cell]:
    """The cells of a page that questions may ask for."""
    page = read_page(text)
    cells = [cell for table in page.tables for cell in _markup_cells(text, table)]
    if not page.tables:
        cells += _line_cells(text)
    twice = Counter((key(cell.row_head), key(cell.column_head)) for cell in cells)
    return [cell for cell in cells if twice[key(cell.row_head), key(cell.column_head)] == 1]


def _plain(content: str) -> str:
    return " ".join(strip_markup(content).split())


def _markup_cells(text: str, parsed: ParsedTable) -> Iterator[Cell]:
    table = parsed.table
    if table.n_columns < _LEAST_COLUMNS or table.n_rows < _LEAST_ROWS or table.is_too_large:
        return
    if any(cell.rowspan > 1 or cell.colspan > 1 for cell in table.cells):
        return
    grid: list[list[str]] = [[""] * table.n_columns for _ in range(table.n_rows)]
    spans: dict[int, list[tuple[int, int]]] = {}
    for cell in table.cells:
        grid[cell.row][cell.column] = _plain(cell.content)
        if cell.content:
            spans.setdefault(cell.row, []).append(cell.content_span)
    head, *body = grid
    if not _is_header(head, body):
        return
    labels = Counter(key(row[0]) for row in body)
    for number, row in enumerate(body, start=1):
        if not _is_head(row[0]) or labels[key(row[0])] > 1 or number not in spans:
            continue
        start = min(a for a, _ in spans[number])
        end = max(b for _, b in spans[number])
        for column, value in enumerate(row[1:], start=1):
            rest = [*row[1:column], *row[column + 1 :]]
            if value in rest and not wording.is_number(value):
                continue  # a second row of heads
            if _is_value(value, row[0]) and _is_column_head(head[column]):
                yield Cell(row[0], head[column], value, start, end, of_markup=True)


def _is_header(head: Sequence[str], body: Sequence[Sequence[str]]) -> bool:
    """Whether the first row has a different head for every column, and none is a value."""
    own = [key(cell) for cell in head[1:]]
    if any(not cell for cell in own) or len(set(own)) < len(own):
        return False
    if any(map(_is_bare_number, head[1:])):
        return False
    for column in range(1, len(head)):
        cells = [row[column] for row in body]
        if any(cell and not _BARE.sub("", cell) for cell in cells):
            return False  # a column of currency signs: heads and values may be shifted
    if head[0] and wording.is_number(head[0]):
        return False
    columns = zip(*(row[1:] for row in body), strict=True)
    return any(_is_numeric([cell for cell in column if cell]) for column in columns)


def _is_bare_number(cell: str) -> bool:
    """Whether a cell is a number with hardly any letters, and not a year."""
    letters = sum(map(str.isalpha, cell))
    return wording.is_number(cell) and letters < _LETTERS and not _YEAR.fullmatch(cell)


def _is_numeric(cells: Sequence[str]) -> bool:
    """Whether most cells of a column are numbers."""
    return sum(map(wording.is_number, cells)) >= _NUMERIC * len(cells) > 0


def _is_column_head(head: str) -> bool:
    words = head.split()
    if words and words[0].casefold().strip(".") in _REFERENCES:
        return False
    return bool(_YEAR.fullmatch(head)) or (
        0 < len(words) <= _LONGEST_HEAD and sum(map(str.isalpha, head)) >= 3 and not _odd(head)
    )


def _is_head(head: str) -> bool:
    words = head.split()
    if not 0 < len(words) <= _LONGEST_HEAD or sum(map(str.isalpha, head)) < 4 or _odd(head):
        return False
    if sum(map(str.isdigit, head)) > sum(map(str.isalpha, head)) or len(_CODE.findall(head)) > 1:
        return False
    return key(head) not in _GENERIC and not head.endswith((":", "-"))


def _is_value(value: str, row_head: str) -> bool:
    if not 0 < len(value.split()) <= _LONGEST_CELL or _odd(value):
        return False
    if not any(map(str.isalnum, value)) or value.casefold() in _GENERIC:
        return False
    if sum(_NUMBER.fullmatch(word) is not None for word in value.split()) > 1:
        return False  # two rows that were read as one
    return len(default.tokens(value)) > 0 and key(value) != key(row_head)


def _odd(text: str) -> bool:
    return UNSURE in text or any(char in text for char in "\\{}|&^_<>~")


def _line_cells(text: str) -> Iterator[Cell]:
    """Cells of rows of numbers in plain text, under the nearest line above with as many years."""
    years: tuple[str, ...] = ()
    labels: Counter[str] = Counter()
    cells_found: list[Cell] = []
    for line in _LINE.finditer(text):
        content = line.group().strip()
        own = tuple(_YEARS.findall(content))
        if len(own) > 1 and content.endswith(own[-1]):
            years = own if _only_years(content) and len(set(own)) == len(own) else ()
            continue
        label, cells = _row(content)
        if not cells or not years or not is_row(content):
            if len(content.split()) > _PROSE:
                years = ()  # running text: the table is over
            continue
        labels[key(label)] += 1
        if len(cells) != len(years) or not _is_head(label):
            continue
        start = line.start() + len(line.group()) - len(line.group().lstrip())
        for year, value in zip(years, cells, strict=True):
            if any(map(str.isdigit, value)):
                cells_found.append(
                    Cell(label, year, value, start, start + len(content), of_markup=False)
                )
    yield from (cell for cell in cells_found if labels[key(cell.row_head)] == 1)


def _row(line: str) -> tuple[str, list[str]]:
    """The head of a row of plain text, and the cells after it; empty if in doubt."""
    words = _CURRENCY.sub(" ", line).split()
    cells: list[str] = []
    while words and (_CELL.fullmatch(words[-1]) or _SIGN.fullmatch(words[-1])):
        word = words.pop()
        if _CELL.fullmatch(word):
            cells.append(word)
    if words and _NOTE.fullmatch(words[-1]):
        words.pop()
    label = " ".join(words)
    if any(map(str.isdigit, label)) or not label[:1].isupper():
        return "", []
    return label, cells[::-1]


def _only_years(line: str) -> bool:
    """Whether the line ends in years, with nothing between them."""
    last = _YEARS.sub("\0", line)
    tail = last[last.index("\0") :]
    return not tail.replace("\0", "").strip()
