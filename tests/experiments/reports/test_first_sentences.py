"""The first sentences of reports say no more than the figures behind them."""

from __future__ import annotations

import math

import pandas as pd
import pytest

from ohr.analysis.curves.report import verdict_lines as curve_lines
from ohr.analysis.inventions.report import ALL, verdict_lines
from ohr.analysis.structure.report import RECALLS
from ohr.analysis.structure.report import verdict_lines as structure_lines


@pytest.mark.parametrize(
    ("written", "excess", "text"),
    [
        (0.0, -0.004, "tess writes none of 500 covered words"),
        (0.01, 0.0, "tess writes 0.00 (95 % CI −0.01 to 0.01) of the covered words, beyond chance"),
    ],
)
def test_no_covered_word_is_none_whatever_chance_would_write(written, excess, text):
    row = {"engine": "tess", "part": "hidden", "kind": ALL, "dose": math.nan, "n": 500}
    row |= {"ci_low": -0.01, "ci_high": 0.01, "documents": 9}
    rows = [row | {"measure": "written", "mean": written}]
    rows += [row | {"measure": "excess", "mean": excess}]
    [line] = verdict_lines(pd.DataFrame(rows))
    assert line.startswith(text)


def test_where_no_curve_has_lost_a_tenth_the_least_noise_of_any_is_named():
    row = {"stage": "retrieval", "metric": "lcs", "group": "all", "axis": "r_noise"}
    row |= {"system": "", "chunker": "", "retriever": "bm25", "reader": "", "top_k": 2}
    row |= {"breakpoint": math.inf, "breakpoint_ci_high": math.inf, "perturbation": "scan"}
    rows = [
        row | {"engine": engine, "breakpoint_ci_low": low}
        for engine, low in (("a", math.inf), ("b", 0.1))
    ]
    [line] = curve_lines(pd.DataFrame(rows), [("retrieval", "lcs", "retrieval LCS")])
    assert "no curve has lost a tenth" in line
    assert "0.10 on is not ruled out" in line


def test_without_headings_tables_and_captions_nothing_is_said_to_be_kept():
    row = {"engine": "tess", "perturbation": "none", "level": "", "intensity": 0.0, "n": 0}
    row |= dict.fromkeys(("mean", "ci_low", "ci_high"), math.nan)
    rows = [row | {"measure": name} for name in RECALLS]
    assert list(structure_lines(pd.DataFrame(rows))) == [
        "The ground truth has no headings, tables or captions."
    ]
