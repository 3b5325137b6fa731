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
_FIRST_PARTS = (8, 3)
"""Distances up to an eighth of the nodes are looked for first, then up to a third."""
_ROUNDING = 1e-6
"""More than what sums of costs may be rounded by."""


@dataclass(frozen=True)
class Grid:
    """A table as it is compared: the text of each cell by row, and its spans."""

    texts: tuple[tuple[str, ...], ...]
    spans: tuple[tuple[tuple[int, int], ...], ...]
    """(rows, columns) that each cell fills."""

    @classmethod
    def from_table(cls, table: ParsedTable, *, texts: bool = True) -> Grid:
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


def teds(grid: Grid, other: Grid) -> float:
    """Tree edit distance similarity in [0, 1]; 1 for equal tables. Symmetric.

    Trees of another shape can be further apart than the larger one has nodes: that is 0 too.
    """
    if grid == other:
        return 1.0
    return max(0.0, 1 - tree_distance(grid, other) / max(grid.nodes, other.nodes))


def tree_distance(grid: Grid, other: Grid) -> float:
    """Tree edit distance of two tables. Time: product of their cells; memory: cells of one row of
    ``grid`` times those of ``other``. Two tables of 300 x 30 cells take some 0.9 s of CPU where
    every third cell was misread, and 2 s where they have nothing in common.

    Roots and matched rows cost nothing, so the distance is that of the forests below the
    roots. In it, each node of a prefix is deleted, inserted or matched as a whole tree: a row
    with a row is an alignment of their cells, a row with a cell costs the row's cells and the
    best of them.
    """
    forests = Forests(other)
    most = distance_of_places(grid, other)
    for part in _FIRST_PARTS:
        near = max(grid.nodes, other.nodes) // part
        if near < most and (distance := forests.distance(grid, near)) <= near:
            return distance
    return forests.distance(grid, most)


def distance_of_places(grid: Grid, other: Grid) -> float:
    """What it costs to change each cell into the cell at its place, rows and cells counted from the
    first: no less than the tree edit distance.
    """
    row_pairs = list(zip(grid.texts, other.texts, strict=False))
    pairs = [pair for rows in row_pairs for pair in zip(*rows, strict=False)]
    spans = [
        pair
        for rows in zip(grid.spans, other.spans, strict=False)
        for pair in zip(*rows, strict=False)
    ]
    costs = sum(
        1.0 if first_span != second_span else Levenshtein.normalized_distance(*texts)
        for texts, (first_span, second_span) in zip(pairs, spans, strict=True)
    )
    matched = 1 + len(row_pairs) + len(pairs)  # the root, rows and cells that have a partner
    return costs + grid.nodes + other.nodes - 2 * matched


class Forests:
    """Prefixes of a table's forest, whose distances from those of another one are filled in."""

    def __init__(self, table: Grid) -> None:
        self.widths = np.array([len(row) for row in table.texts], dtype=np.int64)
        self.ends = np.cumsum(self.widths + 1)  # a row's node follows its cells
        self.starts = self.ends - self.widths - 1
        total = int(self.ends[-1]) if len(self.ends) else 0
        self.steps = np.arange(total + 1, dtype=float)
        # Each node's text and spans; a row's node takes any text, and spans that no cell has.
        numbers: dict[str, int] = {}
        nodes = [
            (numbers.setdefault(text, len(numbers)), span)
            for texts, spans in zip(table.texts, table.spans, strict=True)
            for text, span in [*zip(texts, spans, strict=True), ("", (0, 0))]
        ]
        self.distinct = list(numbers)
        self.numbers = np.array([number for number, _ in nodes], dtype=np.int64)
        self.texts = [self.distinct[number] for number, _ in nodes]
        self.lengths = _lengths(self.texts)
        self.distinct_lengths = _lengths(self.distinct)
        self.spans = _codes([span for _, span in nodes])

    def distance(self, grid: Grid, most: float) -> float:
        """The distance of a table's forest, exact if it is ``most`` or less, else more than that.

        What is left of both forests costs at least the difference of their nodes. Prefixes whose
        distance and that add up to more than ``most`` are on no path that counts: of each row of
        the table of distances, only what lies between the first and the last other is filled.
        """
        last = self.steps.copy()  # the forest's row of the node before
        total, done = len(self.steps) - 1, 0
        onwards = grid.nodes - 1 - total  # how many more nodes one has than the other
        first, right = 0, total
        for row, spans in zip(grid.texts, grid.spans, strict=True):
            alive = np.flatnonzero(last + np.abs(self.steps - (done - onwards)) <= most + _ROUNDING)
            if not len(alive):
                return np.inf
            # Beyond the diagonal that leads to the end, a step to the right costs 1, and 1 to undo.
            size = len(row) + 1
            done += size
            aim = done - onwards
            gained = float((self.steps[alive] - last[alive]).max())
            right = max(aim, int((most + _ROUNDING + size + aim + gained) / 2))
            first = int(np.searchsorted(self.ends, alive[0], side="right"))
            rows = slice(first, max(first, int(np.searchsorted(self.starts, right))))
            begin = int(self.starts[first]) if first < len(self.starts) else total
            end = int(self.ends[rows][-1]) if rows.start < rows.stop else begin
            last[:begin] = np.inf
            last[end + 1 :] = np.inf
            last[begin : end + 1] = self._add_row(
                last[begin : end + 1],
                self.steps[begin : end + 1],
                self._costs(row, _codes(spans), slice(begin, end)),
                self.widths[rows],
            )
        return float(last[-1])

    def _costs(self, row: Sequence[str], spans: np.ndarray, nodes: slice) -> np.ndarray:
        """Costs of changing each cell of a row into each node: ``(cells, nodes)``; 1 for rows."""
        texts = self.texts[nodes]
        if not row or not texts:
            return np.ones((len(row), len(texts)))
        repeated = 2 * len(self.distinct) < len(texts)
        # Edits are counted in half the time that the library takes for their share.
        rest = self.distinct if repeated else texts
        edits: np.ndarray = cdist(row, rest, scorer=Levenshtein.distance, dtype=np.int32)
        lengths = self.distinct_lengths if repeated else self.lengths[nodes]
        longest = np.maximum(np.maximum(_lengths(row), 1)[:, None], lengths)
        costs: np.ndarray = np.divide(edits, longest)
        if repeated:
            costs = costs[:, self.numbers[nodes]]
        costs[spans[:, None] != self.spans[nodes]] = 1.0
        return costs

    def _add_row(
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


def _lengths(texts: Sequence[str]) -> np.ndarray:
    return np.fromiter(map(len, texts), np.int32, len(texts))


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
            position = before[:, None] + np.arange(widest)[None, :]
            padded = costs[:, np.minimum(position, costs.shape[1] - 1)]
            padded[:, np.arange(widest)[None, :] >= widths[:, None]] = 1.0
        match = np.full_like(table, np.inf)
        for cost in padded:
            np.add(table[:, :-1], cost, out=match[:, 1:])
            table = _fill(table, match, steps)
    return np.take_along_axis(table, widths[:, None], axis=1)[:, 0]


def match_tables(predicted: Sequence[Grid], expected: Sequence[Grid]) -> list[tuple[int, int]]:
    """Pairs of tables that share most words over all pairs, each used once, in order."""
    similarity = np.array(
        [[_shared_words(grid.words, other.words) for other in expected] for grid in predicted]
    ).reshape(len(predicted), len(expected))
    return assign_by(similarity, least=LEAST_SHARED)


def _shared_words(words: Sequence[str], other: Sequence[str]) -> float:
    return Levenshtein.normalized_similarity(words, other)


def table_similarity(prediction: str, reference: str, *, texts: bool = True) -> float:
    """Mean TEDS in [0, 1] of two pages' tables (LaTeX, HTML, Markdown), matched by content.

    A table without a partner on the other page counts 0; two pages without tables score 1.
    Symmetric. ``texts=False`` compares structure alone; tables are matched by their words all
    the same.
    """
    read, true = read_page(prediction).tables, read_page(reference).tables
    if not read or not true:
        return float(not read and not true)
    predicted, expected = (
        [Grid.from_table(table) for table in read],
        [Grid.from_table(table) for table in true],
    )
    pairs = match_tables(predicted, expected)
    if not texts:
        predicted = [Grid.from_table(table, texts=False) for table in read]
        expected = [Grid.from_table(table, texts=False) for table in true]
    return sum(teds(predicted[i], expected[j]) for i, j in pairs) / max(
        len(predicted), len(expected)
    )
