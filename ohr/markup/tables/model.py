"""A table, independent of its format: cells on a grid, a caption, and their positions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

TableFormat = Literal["latex", "html", "markdown"]
Span = tuple[int, int]

MOST_SPANNED = 200
"""Most rows or columns that one cell spans; larger spans are misreadings, and are cut."""
MOST_PLACES = 100_000
"""Most places (rows x columns) of a table that is converted; larger tables are misreadings."""


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell (0-based) that covers ``rowspan`` x ``colspan`` places of the grid.

    ``content`` is its trimmed source. In a parsed table, ``content_span`` is its position:
    ``page[start:end] == content``.
    """

    row: int
    column: int
    content: str = ""
    rowspan: int = 1
    colspan: int = 1
    header: bool = False
    content_span: Span = (0, 0)

    def places(self) -> Iterator[Span]:
        """The places (row, column) of the grid that the cell covers."""
        for row in range(self.row, self.row + self.rowspan):
            for column in range(self.column, self.column + self.colspan):
                yield row, column


@dataclass(frozen=True, slots=True)
class Table:
    """Cells in row order, without overlap; places without a cell are empty."""

    cells: tuple[Cell, ...]
    n_rows: int
    n_columns: int
    caption: str = ""
    alignments: tuple[str, ...] = ()
    """For each column ``l``, ``c``, ``r``, or empty if unknown; or no entries at all."""

    @property
    def is_too_large(self) -> bool:
        """Whether it has more places than :data:`MOST_PLACES`."""
        return self.n_rows * self.n_columns > MOST_PLACES


@dataclass(frozen=True, slots=True)
class ParsedTable:
    """A table on a page: ``page[span[0]:span[1]]`` is its source, caption included."""

    format: TableFormat
    span: Span
    table: Table
    row_boundaries: tuple[int, ...] = ()
    """LaTeX only: positions where a horizontal line may be inserted, before the first row and
    after each row that ends in ``\\\\``."""
    extras: tuple[str, ...] = ()
    """Kinds of source content that :class:`Table` lacks, such as ``lines`` or ``label``."""

    @property
    def cells(self) -> tuple[Cell, ...]:
        """The table's cells, in row order."""
        return self.table.cells


def settle(cells: Sequence[Cell], n_rows: int) -> tuple[Cell, ...]:
    """End row spans before the next cell with text, and drop the empty cells that they cover.

    ``cells`` are in row order and do not overlap within a row. LaTeX writes an empty cell below a
    cell that spans rows; if the source has text there, the span is shortened.
    """
    if all(cell.rowspan == 1 for cell in cells):
        return tuple(cells)
    owner = {
        (cell.row, column): cell
        for cell in cells
        for column in range(cell.column, cell.column + cell.colspan)
    }
    settled: list[Cell] = []
    covered: set[Span] = set()
    for cell in cells:
        if (cell.row, cell.column) in covered:
            continue  # empty, or the cell above would have ended before it
        if cell.rowspan > 1:
            end = min(cell.row + cell.rowspan, n_rows)
            last = cell.row + 1
            while last < end and _may_cover(cell, last, owner, covered):
                last += 1
            cell = replace(cell, rowspan=last - cell.row)
            covered.update(place for place in cell.places() if place[0] > cell.row)
        settled.append(cell)
    return tuple(settled)


def _may_cover(cell: Cell, row: int, owner: dict[Span, Cell], covered: set[Span]) -> bool:
    """Whether a cell from above may cover its columns in a row: all empty, none only in part."""
    end = cell.column + cell.colspan
    for column in range(cell.column, end):
        if (row, column) in covered:
            return False
        below = owner.get((row, column))
        if below is not None and (
            below.content
            or below.rowspan > 1
            or below.column < cell.column
            or below.column + below.colspan > end
        ):
            return False
    return True
