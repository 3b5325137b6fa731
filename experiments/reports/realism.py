"""The distribution of pages' edit distances."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
from rich.table import Table
from rich.text import Text

from experiments.analysis.realism import page_distances, summarise
from experiments.figures.realism import distance_figure
from experiments.reports.terminal import number, show
from ohr.printable import plain
from ohr.study.csv import write_csv


def compare_distances(run: Path, out: Path, natural: str = "") -> int:
    """Write, print and draw the distributions of a finished run. Raises OhrError."""
    pages = page_distances(run, natural)
    summary = summarise(pages)
    write_csv(out / "realism.csv", summary)
    paths = distance_figure(pages, out / "figures")
    show(_table(summary))
    for path in paths:
        print(f"figure: {path}")
    return 0


def _table(summary: pd.DataFrame) -> Table:
    table = Table(header_style="bold", box=None, pad_edge=False)
    for name in ("engine", "noise"):
        table.add_column(name)
    shown = ["mean", "lower_quartile", "median", "upper_quartile", "distance_to_natural"]
    for name in ["pages", *shown]:
        table.add_column(name.replace("_", " "), justify="right")
    for row in summary.to_dict("records"):
        table.add_row(
            *(Text(plain(str(row[name]))) for name in ("engine", "noise", "pages")),
            *(number(row[name]) for name in shown),
        )
    return table
