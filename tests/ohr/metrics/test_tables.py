from __future__ import annotations

import numpy as np
import pytest
from apted import APTED, Config
from hypothesis import example, given, settings
from hypothesis import strategies as st
from rapidfuzz.distance import Levenshtein

from ohr.metrics import tables
from ohr.metrics.tables import Grid, match_tables, table_similarity, teds, tree_distance
from tests.examples import examples
from tests.patience import ends

CELL = st.tuples(st.sampled_from(["", "a", "ab", "net income", "1,203", "2016"]), st.integers(1, 2))
ROWS = st.lists(st.lists(CELL, max_size=4), max_size=4)


def grid(rows) -> Grid:
    return Grid(
        tuple(tuple(text for text, _ in row) for row in rows),
        tuple(tuple((1, span) for _, span in row) for row in rows),
    )


class Node:
    def __init__(self, tag, children=(), text="", span=None):
        self.tag, self.children, self.text, self.span = tag, list(children), text, span


class TedsCosts(Config):
    def rename(self, node1, node2):
        if (node1.tag, node1.span) != (node2.tag, node2.span):
            return 1.0
        return Levenshtein.normalized_distance(node1.text, node2.text)

    def children(self, node):
        return node.children


def tree(table: Grid) -> Node:
    rows = [
        Node("row", [Node("cell", (), text, span) for text, span in zip(texts, spans, strict=True)])
        for texts, spans in zip(table.texts, table.spans, strict=True)
    ]
    return Node("table", rows)


@examples(300)
@given(ROWS, ROWS)
def test_the_distance_is_that_of_an_independent_implementation(one, other):
    one, other = grid(one), grid(other)
    expected = APTED(tree(one), tree(other), TedsCosts()).compute_edit_distance()
    assert tree_distance(one, other) == pytest.approx(expected)


@given(ROWS, ROWS)
@example([[], [("a", 1)], [("b", 1)]], [[(text, 2) for text in "cdef"]])
def test_teds_is_symmetric_bounded_and_one_for_equal_tables(one, other):
    one, other = grid(one), grid(other)
    assert 0 <= teds(one, other) <= 1
    assert teds(one, other) == pytest.approx(teds(other, one))
    assert teds(one, one) == 1
    assert tree_distance(one, one) == 0


def test_comparing_large_tables_comes_to_an_end():
    rng = np.random.default_rng(0)

    def made():
        return grid([[(f"{rng.integers(100_000):,}", 1) for _ in range(10)] for _ in range(50)])

    one, other = made(), made()
    with ends(cpu_s=20):
        assert 0 < teds(one, other) < 1


LATEX = r"""\begin{tabular}{lrr}
\hline & 2016 & 2017 \\
Net sales & \multicolumn{2}{c}{135,987} \\
\textbf{Income} & 2,371 & 3,033 \\
\end{tabular}"""
HTML = """<table><tr><td></td><td>2016</td><td>2017</td></tr>
<tr><td>Net sales</td><td colspan="2">135,987</td></tr>
<tr><td><b>Income</b></td><td>2,371</td><td>3,033</td></tr></table>"""
OTHER = "| city | people |\n| --- | --- |\n| Bern | 134,591 |\n"


def test_the_same_table_in_another_format_is_the_same():
    assert table_similarity(HTML, LATEX) == 1


ENDS_EARLY = r"""\begin{tabular}{lrr}
in millions & 2016 & 2017 \\
Cash \\
Total & 2,371
\end{tabular}"""


@pytest.mark.parametrize("texts", [True, False])
@pytest.mark.parametrize(
    "whole",
    [
        ENDS_EARLY.replace("Cash", "Cash & &").replace("2,371", "2,371 & "),
        "| in millions | 2016 | 2017 |\n|---|---|---|\n| Cash |  |  |\n| Total | 2,371 | |\n",
        "| in millions | 2016 | 2017 |\n|---|---|---|\n| Cash |\n| Total | 2,371 |\n",
        "<table><tr><td>in millions</td><td>2016</td><td>2017</td></tr><tr><td>Cash</td><td></td>"
        "<td>&nbsp;</td></tr><tr><td>Total</td><td>2,371</td><td/></tr></table>",
    ],
)
def test_a_row_that_ends_early_is_one_with_empty_cells_at_its_end(whole, texts):
    assert table_similarity(whole, ENDS_EARLY, texts=texts) == 1
    inside = whole.replace("Total", "", 1)
    assert table_similarity(inside, ENDS_EARLY) < 1, "an empty cell before others is one"


def test_tables_are_matched_by_content_not_by_place():
    assert table_similarity(f"{OTHER}\n\n{LATEX}", f"{HTML}\n\n{OTHER}") == 1
    assert table_similarity(f"{OTHER}\n\n{LATEX}", OTHER) == 0.5
    grids = [grid([[("alpha beta", 1)]]), grid([[("gamma delta", 1)]])]
    assert match_tables(grids, grids[::-1]) == [(0, 1), (1, 0)]


def test_pages_without_tables_and_structure_alone():
    assert table_similarity("no table", "none here") == 1
    assert table_similarity("no table", LATEX) == table_similarity(LATEX, "no table") == 0
    misread = LATEX.replace("2,371", "2,871")
    assert 0.9 < table_similarity(misread, LATEX) < 1
    assert table_similarity(misread, LATEX, texts=False) == 1
    split = LATEX.replace(r"\multicolumn{2}{c}{135,987}", "135,987 &")
    assert table_similarity(split, LATEX, texts=False) < 1


@settings(deadline=None)
@given(st.text(alphabet="|-\n ab&\\{}tr<>d/", max_size=80), st.text(max_size=40))
def test_any_text_scores_between_nothing_and_perfect(one, other):
    assert 0 <= table_similarity(one, other) <= 1
    assert table_similarity(one, one) == 1


CELLS = st.tuples(
    st.sampled_from(["", "a", "ab", "1,234", "1,235"]), st.sampled_from([(1, 1), (1, 2)])
)
GRIDS = st.lists(st.lists(CELLS, max_size=4), max_size=14).map(
    lambda rows: tables.Grid(
        tuple(tuple(text for text, _ in row) for row in rows),
        tuple(tuple(span for _, span in row) for row in rows),
    )
)


@given(GRIDS, GRIDS, st.integers(0, 10))
def test_a_distance_looked_for_nearby_is_the_distance_or_more_than_was_looked_for(one, other, most):
    forests = tables.Forests(other)
    exact = forests.distance(one, one.nodes + other.nodes)
    assert tables.tree_distance(one, other) == exact
    near = forests.distance(one, most)
    assert near == exact if exact <= most else near > most


@given(GRIDS, GRIDS)
def test_changing_each_cell_into_the_one_at_its_place_costs_no_less(one, other):
    distance = tables.tree_distance(one, other)
    assert tables.distance_of_places(one, other) >= distance - 1e-9
    assert tables.distance_of_places(one, one) == 0
