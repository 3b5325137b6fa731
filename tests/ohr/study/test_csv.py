"""Results as CSV."""

from __future__ import annotations

import io

import pandas as pd
from hypothesis import given
from hypothesis import strategies as st

from ohr.store.csv import csv_text, escape_formula, unescape_formula, unescape_table, write_csv


def test_six_decimals_nothing_for_the_missing_and_no_negative_zero(tmp_path):
    table = pd.DataFrame(
        {"name": ["a", None, None], "mean": [-1e-9, 2 / 3, float("nan")], "n": [1, 2, 3]}
    )
    expected = "name,mean,n\na,0.000000,1\n,0.666667,2\n,,3\n"
    assert csv_text(table) == expected
    write_csv(tmp_path / "x" / "table.csv", table)
    assert (tmp_path / "x" / "table.csv").read_text() == expected


def test_no_text_is_a_formula_and_every_number_is_a_number():
    table = pd.DataFrame(
        {"=name": ["=1+1", "@x", "-2.5", "+cmd|' /C calc'!A0", "plain"], "mean": [-1.0, 2, 3, 4, 5]}
    )
    assert csv_text(table).splitlines() == [
        "'=name,mean",
        "'=1+1,-1.000000",
        "'@x,2.000000",
        "-2.5,3.000000",
        "'+cmd|' /C calc'!A0,4.000000",
        "plain,5.000000",
    ]
    again = unescape_table(pd.read_csv(io.StringIO(csv_text(table))))
    assert again.iloc[:, 0].tolist() == table["=name"].tolist()


@given(st.text(alphabet="'=+-@\t\ra1. "))
def test_what_keeps_a_text_from_being_a_formula_is_undone(text):
    assert unescape_formula(escape_formula(text)) == text
    assert not escape_formula(text).startswith(("=", "@", "\t", "\r"))
