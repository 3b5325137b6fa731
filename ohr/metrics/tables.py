"""How alike tables are: tree edit distance similarity (TEDS), tables matched by content.

TEDS (Zhong, ShafieiBavani and Jimeno Yepes, "Image-based table recognition", 2020) is one less
the tree edit distance of two tables over the nodes of the larger. Here a table's tree is a root,
its rows and their cells, up to a row's last that is not empty; changing a cell costs 1 if its
spans change, else the normalised Levenshtein distance of its text, mark-up removed. Rows and cells
cost 1 to insert or delete.

The distance is exact. A table's tree is only two levels deep, so the algorithm of Zhang and
Shasha comes down to one forest table whose rows NumPy fills at once.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from rapidfuzz.distance import Levenshtein
from rapidfuzz.process import cdist

from ohr.markup.page import read_page
from ohr.markup.strip import strip_markup
from ohr.markup.tables import ParsedTable
from ohr.metrics.default import characters, tokens
from ohr.metrics.matching import assign_by

LEAST_SHARED = 0.1
"""Tables that share a smaller part of their words are not the same table."""


@dataclass(frozen=True)
class Grid:
    """A table as it is compared: the text of each cell by row, and its spans."""

    texts: tuple[tuple[str, ...], ...]
    spans: tuple[tuple[tuple[int, int], ...], ...]
    """(rows, columns) that each cell fills."""

    @classmethod
    def of(cls, table: ParsedTable, *, texts: bool = True) -> Grid:
        """The grid of a table; ``texts=False`` leaves its cells empty (structure alone).

        Empty cells at the end of a row are left out: LaTeX and Markdown need not write them, and
        HTML does.
        """
        rows: list[list[tuple[str, tuple[int, int]]]] = [[] for _ in range(table.table.n_rows)]
        for cell in table.cells:
            text = characters(strip_markup(cell.content))
            rows[cell.row].append((text, (cell.rowspan, cell.colspan)))
        for row in rows:
            while row and row[-1] == ("", (1, 1)):
                row.pop()
        return cls(
            tuple(tuple(text if texts else "" for text, _ in row) for row in rows),
            tuple(tuple(span for _, span in row) for row in rows),
        )

    @cached_property
    def nodes(self) -> int:
        """Root, rows and cells."""
        return 1 + len(self.texts) + sum(map(len, self.texts))

    @cached_property
    def words(self) -> list[str]:
        """Normalised words of all cells, in row order."""
        return [word for row in self.texts for text in row if text for word in tokens(text)]


def teds(one: Grid, other: Grid) -> float:
    """Tree edit distance similarity in [0, 1]; 1 for equal tables. Symmetric.

    Trees of another shape can be further apart than the larger one has nodes: that is 0 too.
    """
    if one == other:
        return 1.0
    return max(0.0, 1 - tree_distance(one, other) / max(one.nodes, other.nodes))


def tree_distance(one: Grid, other: Grid) -> float:
    """Tree edit distance of two tables. Time: product of their cells; memory: cells of one.

    Roots and matched rows cost nothing, so the distance is that of the forests below the
    roots. In it, each node of a prefix is deleted, inserted or matched as a whole tree: a row
    with a row is an alignment of their cells, a row with a cell costs the row's cells and the
    best of them.
    """
    widths = np.array([len(row) for row in other.texts], dtype=np.int64)
    row_ends = np.cumsum(widths + 1)  # a row's node follows its cells
    total = int(row_ends[-1]) if len(row_ends) else 0
    is_row = np.zeros(total + 1, dtype=bool)
    is_row[row_ends] = True
    places = np.flatnonzero(~is_row[1:]) + 1  # of the cells in the forest
    before_row = row_ends - widths - 1
    steps = np.arange(total + 1, dtype=float)
    other_cells = list(itertools.chain.from_iterable(other.texts))
    other_spans = _codes(list(itertools.chain.from_iterable(other.spans)))

    last = steps.copy()  # the forest's row of the node before
    for row, spans in zip(one.texts, one.spans, strict=True):
        start = last
        costs = _cell_costs(row, _codes(spans), other_cells, other_spans)
        for cost in costs:
            match = np.full(total + 1, np.inf)
            match[places] = last[places - 1] + cost
            if len(widths):
                best = np.minimum(_row_minima(cost, widths), 1.0)
                match[row_ends] = last[before_row] + widths + np.where(widths, best, 1.0)
            last = _fill(last, match, steps)
        match = np.full(total + 1, np.inf)
        cheapest = np.minimum(costs.min(axis=0), 1.0) if len(row) else np.ones(len(places))
        extra = max(len(row), 1) - 1 + bool(row)  # its other cells, and the row or the cell
        match[places] = start[places - 1] + (cheapest + extra if len(row) else 1.0)
        if len(widths):
            match[row_ends] = start[before_row] + _align_rows(costs, widths)
        last = _fill(last, match, steps)
    return float(last[-1])


def _fill(above: np.ndarray, match: np.ndarray, steps: np.ndarray) -> np.ndarray:
    """The next row of a table of edit distances: delete, match, or insert from the left."""
    best: np.ndarray = np.minimum(above + 1, match)
    filled: np.ndarray = np.minimum.accumulate(best - steps, axis=-1) + steps
    return filled


def _codes(spans: Sequence[tuple[int, int]]) -> np.ndarray:
    return np.array([rows * 10_000 + columns for rows, columns in spans], dtype=np.int64)


def _cell_costs(
    row: Sequence[str], spans: np.ndarray, cells: Sequence[str], cell_spans: np.ndarray
) -> np.ndarray:
    """Costs of changing each cell of a row into each cell of the other table."""
    if not row or not cells:
        return np.zeros((len(row), len(cells)))
    costs = cdist(row, cells, scorer=Levenshtein.normalized_distance, dtype=np.float64)
    costs[spans[:, None] != cell_spans[None, :]] = 1.0
    return costs


def _row_minima(cost: np.ndarray, widths: np.ndarray) -> np.ndarray:
    """Least cost within each row of the other table; infinity for rows without cells."""
    minima = np.full(len(widths), np.inf)
    filled = np.flatnonzero(widths)
    if len(filled):
        starts = (np.cumsum(widths) - widths)[filled]
        minima[filled] = np.minimum.reduceat(cost, starts)
    return minima


def _align_rows(costs: np.ndarray, widths: np.ndarray) -> np.ndarray:
    """Edit distance of a row's cells to each row of the other table, all at once."""
    widest = int(widths.max(initial=0))
    steps = np.arange(widest + 1, dtype=float)
    at = (np.cumsum(widths) - widths)[:, None] + np.arange(widest)[None, :]
    outside = np.arange(widest)[None, :] >= widths[:, None]
    table = np.tile(steps, (len(widths), 1))
    for cost in costs:
        match = np.full_like(table, np.inf)
        if len(cost):
            padded = cost[np.minimum(at, len(cost) - 1)]
            padded[outside] = 1.0
            match[:, 1:] = table[:, :-1] + padded
        table = _fill(table, match, steps)
    return np.take_along_axis(table, widths[:, None], axis=1)[:, 0]


def match_tables(predicted: Sequence[Grid], expected: Sequence[Grid]) -> list[tuple[int, int]]:
    """Pairs of tables that share most words over all pairs, each used once, in order."""
    similarity = np.array(
        [[_shared_words(one.words, other.words) for other in expected] for one in predicted]
    ).reshape(len(predicted), len(expected))
    return assign_by(similarity, least=LEAST_SHARED)


def _shared_words(one: Sequence[str], other: Sequence[str]) -> float:
    return Levenshtein.normalized_similarity(one, other)


def table_similarity(prediction: str, reference: str, *, texts: bool = True) -> float:
    """Mean TEDS in [0, 1] of two pages' tables (LaTeX, HTML, Markdown), matched by content.

    A table without a partner on the other page counts 0; two pages without tables score 1.
    Symmetric. ``texts=False`` compares structure alone; tables are matched by their words all
    the same.
    """
    read, true = read_page(prediction).tables, read_page(reference).tables
    if not read or not true:
        return float(not read and not true)
    one, other = [Grid.of(table) for table in read], [Grid.of(table) for table in true]
    pairs = match_tables(one, other)
    if not texts:
        one = [Grid.of(table, texts=False) for table in read]
        other = [Grid.of(table, texts=False) for table in true]
    return sum(teds(one[i], other[j]) for i, j in pairs) / max(len(one), len(other))
