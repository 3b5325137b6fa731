"""Which measure of reading predicts what noise costs."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd
from rich.table import Table
from rich.text import Text

from experiments.analysis.labels import group_label, interval_units
from experiments.analysis.notes import answerers, note_lines, run_notes
from experiments.analysis.predictiveness import (
    BETWEEN,
    POOLED,
    WITHIN,
    outcomes_of,
    predictiveness,
)
from experiments.figures.predictiveness import correlations_figure
from experiments.reports.terminal import p_value, show
from ohr.printable import plain
from ohr.study.csv import write_csv
from ohr.study.results import open_run


def report_predictiveness(
    paths: Sequence[Path], out: Path | None, metrics: Sequence[str], groups: bool
) -> int:
    """Print the correlations, write the table, draw the figure. Raises OhrError."""
    runs = [open_run(path) for path in paths]
    table = predictiveness(runs, metrics, groups)
    folder = out or paths[0]
    write_csv(folder / "predictiveness.csv", table)
    for label, outcome in outcomes_of(table):
        show(_table(label, outcome))
    for line in _legend(table):
        print(line)
    for line in note_lines(answerers(table), run_notes(runs)):
        print(plain(line))
    print(f"correlations: {folder / 'predictiveness.csv'}")
    for path in correlations_figure(table, folder / "figures", run_notes(runs)):
        print(f"figure: {path}")
    return 0


def _table(label: str, outcome: pd.DataFrame) -> Table:
    """The measures of one outcome, the best within conditions first."""
    everywhere = outcome[outcome["conditions"] == "all"]
    every = everywhere[everywhere["group"] == "all"]
    within = every[every["correlation"] == WITHIN].sort_values(
        "rho", ascending=False, kind="stable"
    )
    sources = [name for name in dict.fromkeys(everywhere["group"]) if name.startswith("source:")]
    count = int(every["n_conditions"].max())
    conditions = f"{count} condition{'s' * (count != 1)}"
    table = Table(
        header_style="bold",
        box=None,
        pad_edge=False,
        title=plain(f"{label}: {every['n_questions'].max()} questions, {conditions}"),
    )
    table.add_column("measure")
    for name in ("of", "n", POOLED, WITHIN, "behind its kind", "p (Holm)", BETWEEN):
        table.add_column(name, justify="right")
    for source in sources:
        table.add_column(f"within, {group_label(source)}", justify="right")
    for row in within.to_dict("records"):
        mine = everywhere[everywhere["measure"] == row["measure"]]
        of_all = mine[mine["group"] == "all"].set_index("correlation").to_dict("index")
        of_sources = mine[mine["correlation"] == WITHIN].set_index("group").to_dict("index")
        table.add_row(
            Text(plain(row["measure_title"])),
            row["of"],
            str(row["n"]),
            *(_shown(of_all[name], "rho") for name in (POOLED, WITHIN)),
            _shown(row, "alike_behind"),
            p_value(row["alike_p_holm"]),
            _shown(of_all[BETWEEN], "rho"),
            *(_number(of_sources.get(source, {}).get("rho", math.nan)) for source in sources),
        )
    return table


def _legend(table: pd.DataFrame) -> list[str]:
    units = interval_units(table["ci_unit"])
    intervals = f"; in brackets 95 % intervals for further {units}" if units else ""
    return [
        "Spearman's correlation of how much worse a question's evidence was read and what its "
        "score lost",
        "pooled: all questions under all conditions; within: ranked within each condition; "
        f"between: the conditions' means{intervals}",
        "behind its kind: within conditions, behind the best of the measures of pages, or of those "
        "of the evidence, which must be known",
    ]


def _shown(row: Mapping[Hashable, Any], name: str) -> str:
    low, high = row[f"{name}_ci_low"], row[f"{name}_ci_high"]
    interval = "" if math.isnan(low) else f" [{low:z.2f}, {high:z.2f}]"
    return f"{_number(row[name])}{interval}"


def _number(value: float) -> str:
    return "-" if math.isnan(value) else f"{value:z.2f}"
