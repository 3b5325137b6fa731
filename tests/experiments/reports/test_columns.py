"""A table declared once has the same cells on a terminal, in Markdown and in LaTeX."""

from __future__ import annotations

import pandas as pd
import pytest

from ohr.display.columns import Column, make_table, number_column, text_column, value_column
from ohr.display.terminal import show, terminal_table
from ohr.statistics.numbers import ends

COLUMNS = (
    text_column("engine"),
    value_column("n_pages", "pages"),
    number_column("mean"),
    Column("verdict", lambda row: "worse" if row["mean"] > 0.5 else "", is_text=True),
)
ROWS = pd.DataFrame(
    [
        {"engine": "a|b", "n_pages": 12, "mean": 0.75},
        {"engine": "c\x1b", "n_pages": 3, "mean": float("nan")},
    ]
)


def test_one_declaration_gives_cells_and_their_side():
    table = make_table(COLUMNS, ROWS, "Errors")
    assert table.header == ["engine", "pages", "mean", "verdict"]
    assert table.rows == [["a|b", "12", "0.750", "worse"], ["c\x1b", "3", "-", ""]]
    assert table.markdown().splitlines()[3:] == [
        "| --- | ---: | ---: | --- |",
        "| a\\|b | 12 | 0.750 | worse |",
        "| c? | 3 | - |  |",
    ]
    assert r"\begin{tabular}{lrrl}" in table.latex()


def test_the_terminal_has_the_same_cells(capsys):
    show(terminal_table(make_table(COLUMNS, ROWS), title="errors"))
    title, header, first, second = capsys.readouterr().out.splitlines()
    assert title.strip() == "errors"
    assert header.split() == ["engine", "pages", "mean", "verdict"]
    assert first.split() == ["a|b", "12", "0.750", "worse"]
    assert second.split() == ["c?", "3", "-"]


def test_rows_may_be_mappings_and_a_heading_is_the_key_in_words():
    table = make_table([value_column("lower_quartile")], [{"lower_quartile": 2}])
    assert (table.header, table.rows) == (["lower quartile"], [["2"]])


@pytest.mark.parametrize(("low", "text"), [(0.1, " [0.100, 0.250]"), (float("nan"), "")])
def test_ends_of_an_interval_stand_behind_a_value(low, text):
    assert ends(low, 0.25) == text
