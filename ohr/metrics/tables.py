"""Similarity of tables: tree edit distance similarity (TEDS), with tables matched by content.

TEDS (Zhong, ShafieiBavani and Jimeno Yepes, "Image-based table recognition", 2020) is 1 minus the
tree edit distance of two tables over the number of nodes of the larger one. Here a table's tree is
a root, its rows, and their cells up to the last one that is not empty. Changing a cell costs 1 if
its spans change, otherwise the normalised Levenshtein distance of its text without mark-up.
Inserting or deleting a row or cell costs 1.

The distance is exact. A table's tree is only two levels deep, so the algorithm of Zhang and
Shasha comes down to one forest table whose rows NumPy fills at once.
"""

from __future__ import annotations

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
_FIRST_PART = 8
"""First only distances up to an eighth of the nodes are searched for."""


@dataclass(frozen=True)
class Grid:
    """A table in the form in which it is compared: the cells' texts and spans, by row."""

    texts: tuple[tuple[str, ...], ...]
    spans: tuple[tuple[tuple[int, int], ...], ...]
    """(rows, columns) that each cell fills."""

    @classmethod
    def of(cls, table: ParsedTable, *, texts: bool = True) -> Grid:
        """The grid of a table; ``texts=False`` leaves its cells empty (only the structure counts).

        Empty cells at the end of a row are left out, since LaTeX and Markdown need not write them.
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
        """The number of nodes: root, rows and cells."""
        return 1 + len(self.texts) + sum(map(len, self.texts))

    @cached_property
    def words(self) -> list[str]:
        """Normalised words of all cells, in row order."""
        return [word for row in self.texts for text in row if text for word in tokens(text)]


def teds(first: Grid, second: Grid) -> float:
    """Tree edit distance similarity in [0, 1]; 1 for equal tables. Symmetric.

    Also 0 if the distance exceeds the larger number of nodes, as trees of other shapes can have.
    """
    if first == second:
        return 1.0
    return max(0.0, 1 - tree_distance(first, second) / max(first.nodes, second.nodes))


def tree_distance(first: Grid, second: Grid) -> float:
    """Tree edit distance of two tables.

    Time grows with the product of their cells; memory with the cells of one row of ``first`` times
    those of ``second``. Two tables of 300 x 30 cells take about 1.4 s of CPU if every third cell
    was misread, and 4 s if they have nothing in common.

    Roots and matched rows cost nothing, so the distance is that of the forests below the roots.
    Each node of a prefix is deleted, inserted or matched as a whole tree. Matching two rows means
    aligning their cells; matching a row with a cell costs the row's other cells and the cheapest
    change.
    """
    forests = Forests(second)
    near = max(first.nodes, second.nodes) // _FIRST_PART
    distance = forests.distance(first, near)
    return distance if distance <= near else forests.distance(first, first.nodes + second.nodes)


class Forests:
    """The distances of the prefixes of a table's forest from those of another table."""

    def __init__(self, table: Grid) -> None:
        self.widths = np.array([len(row) for row in table.texts], dtype=np.int64)
        self.ends = np.cumsum(self.widths + 1)  # a row's node follows its cells
        self.starts = self.ends - self.widths - 1
        total = int(self.ends[-1]) if len(self.ends) else 0
        self.steps = np.arange(total + 1, dtype=float)
        # Each node's text and spans. A row's node has spans that no cell has; its text is unused.
        numbers: dict[str, int] = {}
        nodes = [
            (numbers.setdefault(text, len(numbers)), span)
            for texts, spans in zip(table.texts, table.spans, strict=True)
            for text, span in [*zip(texts, spans, strict=True), ("", (0, 0))]
        ]
        self.distinct = list(numbers)
        self.numbers = np.array([number for number, _ in nodes], dtype=np.int64)
        self.texts = [self.distinct[number] for number, _ in nodes]
        self.spans = _codes([span for _, span in nodes])

    def distance(self, table: Grid, most: int) -> float:
        """The distance of a table's forest: exact if it is at most ``most``, otherwise larger.

        Only prefixes whose numbers of nodes differ by at most ``most`` are compared.
        """
        last = self.steps.copy()  # the forest's row of the node before
        done = 0
        for row, spans in zip(table.texts, table.spans, strict=True):
            first = int(np.searchsorted(self.ends, done - most - 1))
            rows = slice(first, int(np.searchsorted(self.starts, done + len(row) + 1 + most)))
            done += len(row) + 1
            begin = int(self.starts[first]) if first < len(self.starts) else len(self.steps) - 1
            end = int(self.ends[rows][-1]) if rows.start < rows.stop else begin
            last[:begin] = np.inf
            last[begin : end + 1] = self._after_row(
                last[begin : end + 1],
                self.steps[begin : end + 1],
                self._costs(row, _codes(spans), slice(begin, end)),
                self.widths[rows],
            )
            if last[begin : end + 1].min() > most:
                return np.inf
        return float(last[-1])

    def _costs(self, row: Sequence[str], spans: np.ndarray, nodes: slice) -> np.ndarray:
        """Costs of changing each cell of a row into each node: ``(cells, nodes)``; 1 for rows."""
        texts = self.texts[nodes]
        if not row or not texts:
            return np.ones((len(row), len(texts)))
        repeated = 2 * len(self.distinct) < len(texts)
        costs: np.ndarray = cdist(
            row,
            self.distinct if repeated else texts,
            scorer=Levenshtein.normalized_distance,
            dtype=np.float64,
        )
        if repeated:
            costs = costs[:, self.numbers[nodes]]
        costs[spans[:, None] != self.spans[nodes]] = 1.0
        return costs

    def _after_row(
        self, last: np.ndarray, steps: np.ndarray, costs: np.ndarray, widths: np.ndarray
    ) -> np.ndarray:
        """The forests' distances after a further row with its cells: ``(nodes + 1,)``."""
        start = last
        ends = np.cumsum(widths + 1)
        before = ends - widths - 1
        match = np.full(len(last), np.inf)
        best = np.ones((len(costs), len(widths)))  # of the cells of each row
        if costs.size:
            best = np.minimum(np.minimum.reduceat(costs, before, axis=1), 1.0)
        for cost, cheapest in zip(costs, best, strict=True):
            np.add(last[:-1], cost, out=match[1:])
            match[ends] = last[before] + widths + cheapest
            last = _fill(last, match, steps)
        cells = len(costs)
        cheapest = np.minimum(costs.min(axis=0), 1.0) if cells else np.ones(costs.shape[1])
        extra = max(cells, 1) - 1 + bool(cells)  # its other cells, and the row or the cell
        match[1:] = start[:-1] + (cheapest + extra if cells else 1.0)
        match[ends] = start[before] + _align_rows(costs, widths, before)
        return _fill(last, match, steps)


def _fill(above: np.ndarray, match: np.ndarray, steps: np.ndarray) -> np.ndarray:
    """The next row of a table of edit distances: delete, match, or insert from the left."""
    filled = above + 1
    np.minimum(filled, match, out=filled)
    filled -= steps
    np.minimum.accumulate(filled, axis=-1, out=filled)
    filled += steps
    return filled


def _codes(spans: Sequence[tuple[int, int]]) -> np.ndarray:
    return np.array([rows * 10_000 + columns for rows, columns in spans], dtype=np.int64)


def _align_rows(costs: np.ndarray, widths: np.ndarray, before: np.ndarray) -> np.ndarray:
    """Edit distance of a row's cells to each row of the other table, all at once."""
    widest = int(widths.max(initial=0))
    steps = np.arange(widest + 1, dtype=float)
    table = np.tile(steps, (len(widths), 1))
    if costs.size:
        if (widths == widest).all():
            padded = costs.reshape(len(costs), len(widths), widest + 1)[:, :, :-1]
        else:
            at = before[:, None] + np.arange(widest)[None, :]
            padded = costs[:, np.minimum(at, costs.shape[1] - 1)]
            padded[:, np.arange(widest)[None, :] >= widths[:, None]] = 1.0
        match = np.full_like(table, np.inf)
        for cost in padded:
            np.add(table[:, :-1], cost, out=match[:, 1:])
            table = _fill(table, match, steps)
    return np.take_along_axis(table, widths[:, None], axis=1)[:, 0]


def match_tables(predicted: Sequence[Grid], expected: Sequence[Grid]) -> list[tuple[int, int]]:
    """The one-to-one pairs of tables that share most words in total, in order."""
    similarity = np.array(
        [[_shared_words(first.words, second.words) for second in expected] for first in predicted]
    ).reshape(len(predicted), len(expected))
    return assign_by(similarity, least=LEAST_SHARED)


def _shared_words(first: Sequence[str], second: Sequence[str]) -> float:
    return Levenshtein.normalized_similarity(first, second)


def table_similarity(prediction: str, reference: str, *, texts: bool = True) -> float:
    """Mean TEDS in [0, 1] of two pages' tables (LaTeX, HTML, Markdown), matched by content.

    A table without a partner counts 0; two pages without tables score 1. Symmetric. With
    ``texts=False`` only the structure is compared; tables are still matched by their words.
    """
    tables, gold_tables = read_page(prediction).tables, read_page(reference).tables
    if not tables or not gold_tables:
        return float(not tables and not gold_tables)
    grids, gold_grids = (
        [Grid.of(table) for table in tables],
        [Grid.of(table) for table in gold_tables],
    )
    pairs = match_tables(grids, gold_grids)
    if not texts:
        grids = [Grid.of(table, texts=False) for table in tables]
        gold_grids = [Grid.of(table, texts=False) for table in gold_tables]
    return sum(teds(grids[i], gold_grids[j]) for i, j in pairs) / max(len(grids), len(gold_grids))
