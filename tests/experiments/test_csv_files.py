"""Results as CSV."""

from __future__ import annotations

import pandas as pd

from experiments.csv_files import csv_text, write_csv


def test_six_decimals_nothing_for_the_missing_and_no_negative_zero(tmp_path):
    table = pd.DataFrame({"name": ["a", None], "mean": [-1e-9, 2 / 3], "n": [1, 2]})
    table.loc[2] = [None, float("nan"), 3]
    expected = "name,mean,n\na,0.000000,1\n,0.666667,2\n,,3\n"
    assert csv_text(table) == expected
    write_csv(tmp_path / "x" / "table.csv", table)
    assert (tmp_path / "x" / "table.csv").read_text() == expected
