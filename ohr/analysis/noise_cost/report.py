"""Prints and writes mean noise costs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pandas as pd

from ohr.analysis.comparison.names import cut_runs
from ohr.analysis.comparison.table import metrics_of
from ohr.analysis.noise_cost.table import UNDEFINED, conditions_of, noise_costs
from ohr.display.columns import Column, Row, make_table, number_column, text_column, value_column
from ohr.display.labels import interval_units
from ohr.display.notes import note_lines, run_notes
from ohr.display.terminal import print_caption, say, say_files, show, terminal_table
from ohr.display.text_tables import TextTable, write_table
from ohr.display.verdicts import size_text
from ohr.display.wording import letters_part
from ohr.statistics.numbers import interval, whole
from ohr.study.opening import open_runs

UNBOUNDED = "unbounded"
UNBOUNDED_MEANS = (
    f"{UNBOUNDED}: the baseline's own loss may be 0, so any cost is possible; more documents are "
    "needed"
)


def report_costs(paths: Sequence[Path], out: Path, metric: Sequence[str] = ()) -> int:
    """Print the mean noise costs of runs, and write them; returns 0. Raises OhrError."""
    runs = cut_runs(open_runs(paths), metric)
    metrics = [pair for pair in metrics_of(runs, metric) if metric or pair[0] != "ocr"]
    costs = noise_costs(runs, metrics)
    table = text_table(costs, note_lines(costs["reader"], run_notes(runs)))
    for line in verdict_lines(costs):
        say(line)
    print()
    show(terminal_table(table))
    print_caption(table.caption)
    for reason in costs.attrs["not_compared"]:
        print_caption(reason)
    say_files(write_table(out, "noise_cost", costs, table))
    return 0


def verdict_lines(costs: pd.DataFrame) -> Iterator[str]:
    """Of each metric, the condition with the lowest noise cost; and the sizes."""
    for (stage, metric), rows in costs.groupby(["stage", "metric"], sort=False):
        name, costed = f"{stage}:{metric}", rows[rows["cost"].notna()]
        if costed.empty:
            yield f"{name}: no noise cost: the baseline loses nothing under these noises."
            continue
        row = costed.sort_values("cost", kind="stable").iloc[0]
        [condition] = conditions_of(costed.loc[[row.name]])
        which = "the lowest measured" if len(costed) > 1 else "a"
        text = f"{name}: {condition} has {which} noise cost of {whole(row['cost'])}"
        if np.isinf(row["ci_low"]):
            yield f"{text}, but any cost is possible: the baseline's own loss may be 0."
            continue
        over = (
            "no interval"
            if pd.isna(row["ci_low"])
            else f"95 % CI {whole(row['ci_low'])} to {whole(row['ci_high'])}"
        )
        yield f"{text} ({over}); the baseline's is 100."
    if len(costs):
        yield size_text(int(costs["n"].max()), int(costs["n_documents"].max()))


def text_table(costs: pd.DataFrame, notes: Sequence[str]) -> TextTable:
    """One line per metric and condition, the lowest cost first."""
    columns = (
        Column("metric", lambda row: f"{row['stage']}:{row['metric']}", is_text=True),
        text_column("condition"),
        Column("cost", _cost),
        Column("95 % interval", lambda row: interval_text(row["ci_low"], row["ci_high"]) or "-"),
        value_column("letters"),
        number_column("loss"),
        number_column("baseline_loss", "baseline's"),
        value_column("n"),
        value_column("n_noises", "noises"),
    )
    units = interval_units(costs["ci_unit"])
    caption = [
        "mean noise cost: loss under all noises divided by that of Tesseract, BM25 and the "
        "extractive reader on the same questions; 100: as much as this baseline",
        f"95 % intervals for further {units}, by Fieller's method for ratios"
        if units
        else "no intervals: too few documents",
        *([UNBOUNDED_MEANS] if np.isinf(costs["ci_low"]).any() else []),
        *([UNDEFINED] if costs["cost"].isna().any() else []),
        letters_part(costs.attrs.get("ties", ())),
        *notes,
    ]
    rows = costs.assign(condition=list(conditions_of(costs)))
    return make_table(columns, rows, "; ".join(part for part in caption if part))


def _cost(row: Row) -> str:
    return "undefined" if pd.isna(row["cost"]) else whole(row["cost"])


def interval_text(low: float, high: float) -> str:
    """The interval of a cost as it is printed; empty if there is none."""
    if np.isinf(low):
        return UNBOUNDED
    return "" if pd.isna(low) else interval(low, high, whole)
