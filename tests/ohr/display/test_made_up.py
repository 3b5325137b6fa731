"""The table of what engines make up."""

from __future__ import annotations

import math

import pandas as pd

from ohr.display.made_up import HEADER, made_up_table

SHARES = {
    "silent_numbers": 0.02,
    "dropped_numbers": 0.08,
    "added_numbers": 0.01,
    "invented_words": 0.005,
    "repeated_words": 0.0,
    "invented_passage": 0.25,
}


def cells(engine: str, noise: str = "none", scale: float = 1.0) -> pd.DataFrame:
    level = "" if noise == "none" else "severe"
    rows = [
        {
            "engine": engine,
            "noise": noise,
            "perturbation": noise,
            "level": level,
            "intensity": math.nan,
            "stage": "ocr",
            "metric": name,
            "group": "all",
            "mean": scale * share,
            "ci_low": scale * share / 2,
            "ci_high": scale * share * 2,
        }
        for name, share in SHARES.items()
    ]
    return pd.DataFrame(rows)


def test_one_row_per_engine_and_noise() -> None:
    both = pd.concat(
        [cells("gt", scale=0), cells("tesseract"), cells("tesseract", "semantic", 2.0)],
        ignore_index=True,
    )
    both["intensity"] = ""
    table = made_up_table(both)
    assert table is not None
    assert table.header == HEADER
    assert [row[0] for row in table.rows] == ["tesseract", "tesseract"]
    assert table.rows[0][1:] == (
        *("clean", "900.0", "20.0 [10.0, 40.0]", "80.0", "10.0"),
        *("5.0 [2.5, 10.0]", "0.0", "25 %"),
    )
    assert table.rows[1][3] == "40.0 [20.0, 80.0]"


def test_no_table_where_nothing_is_made_up_or_measured() -> None:
    assert made_up_table(cells("tesseract", scale=0).assign(intensity="")) is None
    some = cells("tesseract").assign(intensity="")
    assert made_up_table(some[some["metric"] != "silent_numbers"]) is None
