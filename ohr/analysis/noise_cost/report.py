"""Prints and writes mean noise costs."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from ohr.analysis.comparison.table import metrics_of
from ohr.analysis.noise_cost.table import conditions_of, noise_costs
from ohr.display.labels import interval_units
from ohr.display.notes import note_lines, run_notes
from ohr.display.terminal import number, show, terminal_table
from ohr.display.text_tables import TextTable, write_table
from ohr.display.wording import letters_part
from ohr.files.safe_text import plain
from ohr.study.opening import open_runs

ENOUGH_DOCUMENTS = 30
"""With fewer, intervals hold the truth too seldom if a few documents carry the baseline's loss."""
TOO_SHORT = (
    f"fewer than {ENOUGH_DOCUMENTS} documents: do not rely on an interval if a few documents carry "
    "the baseline's loss"
)


def report_costs(paths: Sequence[Path], out: Path, metric: Sequence[str] = ()) -> int:
    """Print the mean noise costs of runs, and write them; returns 0. Raises OhrError."""
    runs = open_runs(paths)
    metrics = [pair for pair in metrics_of(runs, metric) if metric or pair[0] != "ocr"]
    costs = noise_costs(runs, metrics)
    table = text_table(costs, note_lines(costs["reader"], run_notes(runs)))
    show(terminal_table(table))
    print(table.caption)
    for reason in costs.attrs["not_compared"]:
        print(plain(reason))
    for path in write_table(out, "noise_cost", costs, table):
        print(f"table: {path}")
    return 0


def text_table(costs: pd.DataFrame, notes: Sequence[str]) -> TextTable:
    """One line per metric and condition, the lowest cost first."""
    rows = [
        [
            f"{row['stage']}:{row['metric']}",
            name,
            "undefined" if pd.isna(row["cost"]) else f"{row['cost']:.0f}",
            "-" if pd.isna(row["ci_low"]) else f"[{row['ci_low']:.0f}, {row['ci_high']:.0f}]",
            row["letters"],
            number(row["loss"]),
            number(row["baseline_loss"]),
            str(row["n"]),
            f"{row['n_noises'] - row['n_undefined']} of {row['n_noises']}",
        ]
        for name, (_, row) in zip(conditions_of(costs), costs.iterrows(), strict=True)
    ]
    units = interval_units(costs["ci_unit"])
    caption = [
        "mean noise cost: loss under noise divided by that of Tesseract, BM25 and the extractive "
        "reader on the same questions, averaged over the noises; 100: as much as this baseline",
        f"95 % intervals for further {units}, by a bootstrap of both losses together"
        if units
        else "no intervals: too few documents",
        "noises: those under which the interval of the baseline's loss is above 0; undefined if "
        "there are none",
        *([] if costs["n_documents"].min() >= ENOUGH_DOCUMENTS or not units else [TOO_SHORT]),
        letters_part(costs.attrs.get("ties", ())),
        *notes,
    ]
    header = ["metric", "condition", "cost", "95 % interval", "letters"]
    header += ["loss", "baseline's", "n", "noises"]
    return TextTable(header, rows, "; ".join(part for part in caption if part), left=2)
