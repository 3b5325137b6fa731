"""What a table is, whatever the format: cells on a grid, a caption, and where they stand."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

TableFormat = Literal["latex", "html", "markdown"]
Span = tuple[int, int]

MOST_SPANNED = 200
"""Rows or columns of one cell; what claims more is a misreading, and is cut."""
MOST_PLACES = 100_000
"""Places of a table that is written anew or asked about; one with more is a misreading."""


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell, 0-based, that fills ``rowspan`` x ``colspan`` places of the grid.

    ``content`` is what the source says in it, in the source's own format, trimmed. In a table
    that was parsed, ``content_span`` is where: ``page[start:end] == content``.
    """

    row: int
    column: int
    content: str = ""
    rowspan: int = 1
    colspan: int = 1
    header: bool = False
    content_span: Span = (0, 0)

    def places(self) -> Iterator[Span]:
        """The (row, column) places of the grid that the cell fills."""
        for row in range(self.row, self.row + self.rowspan):
            for column in range(self.column, self.column + self.colspan):
                yield row, column


@dataclass(frozen=True, slots=True)
class Table:
    """Cells in row order. No two overlap; places that no cell fills are empty."""

    cells: tuple[Cell, ...]
    n_rows: int
    n_columns: int
    caption: str = ""
    alignments: tuple[str, ...] = ()
    """``l``, ``c``, ``r``, or nothing where unknown: a letter a column, or none at all."""

    @property
    def is_too_large(self) -> bool:
        """Whether it has more than :data:`MOST_PLACES`, most of which must be empty."""
        return self.n_rows * self.n_columns > MOST_PLACES


@dataclass(frozen=True, slots=True)
class ParsedTable:
    """A table found in a page: ``page[span[0]:span[1]]`` is its source, caption included."""

    format: TableFormat
    span: Span
    table: Table
    row_boundaries: tuple[int, ...] = ()
    """LaTeX only: where a horizontal line may be inserted; before the first row, after each
    row that ends in ``\\\\``."""
    extras: tuple[str, ...] = ()
    """What the source says that :class:`Table` does not hold, such as ``lines`` or ``label``."""

    @property
    def cells(self) -> tuple[Cell, ...]:
        """The table's cells, in row order."""
        return self.table.cells


def settle(cells: Sequence[Cell], n_rows: int) -> tuple[Cell, ...]:
    """Cells whose row spans end before the next filled place, empty covered ones dropped.

    ``cells`` are in row order and do not overlap within a row. LaTeX writes an empty cell under
    one that spans rows; where the source puts text there, the span gives way to it.
    """
    if all(cell.rowspan == 1 for cell in cells):
        return tuple(cells)
    owner = {
        (cell.row, column): cell
        for cell in cells
        for column in range(cell.column, cell.column + cell.colspan)
    }
    kept: list[Cell] = []
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
        kept.append(cell)
    return tuple(kept)


def _may_cover(cell: Cell, row: int, owner: dict[Span, Cell], covered: set[Span]) -> bool:
    """Whether a cell from above may fill its columns in a row: all empty, none cut in two."""
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
