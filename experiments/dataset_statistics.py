"""Counts a dataset as the paper's table 1 does, beside the paper's figures."""

from __future__ import annotations

from typing import Annotated

import typer
from rich.table import Table
from rich.text import Text

from experiments._command import CommandLine, with_errors
from experiments.analysis.dataset_statistics import (
    PAPER_PAGES,
    counts,
    paper_sums,
    sizes,
)
from experiments.reports.terminal import show
from ohr.datasets.dataset import Dataset
from ohr.printable import plain
from ohr.study.config import load_config
from ohr.study.plan import load_dataset


def statistics_table(dataset: Dataset) -> Table:
    """Table 1 with this dataset beside the paper."""
    table = Table(header_style="bold", box=None, pad_edge=False)
    table.add_column("")
    for name in ("this dataset", "", "paper", ""):
        table.add_column(name, justify="right")
    ours = sizes(dataset)
    for name, paper in PAPER_PAGES.items():
        table.add_row(name, ours[name], "", paper, "")
    rows = counts(dataset.questions)
    group = ""
    for row in rows:
        if row.group != group:
            group = row.group
            table.add_section()
            table.add_row(Text(f"by {group}", style="bold"))
        total = sum(other.paper for other in rows if other.group == group)
        table.add_row(
            Text(f"  {plain(row.name) or '(none)'}"),
            f"{row.ours:,}",
            _share(row.ours, len(dataset.questions)),
            f"{row.paper:,}" if row.paper else "-",
            _share(row.paper, total) if row.paper else "",
        )
    return table


def _share(part: int, whole: int) -> str:
    return f"{100 * part / whole:.1f} %" if whole else "-"


def main(
    settings: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[CONFIG.yaml] [key=value ...]",
            help="Which dataset, such as dataset.kind=sample dataset.params.n_pages=60.",
        ),
    ] = None,
    debug: Annotated[
        bool, typer.Option("--debug", help="Print a traceback with an error.")
    ] = False,
) -> None:
    """Documents, pages, tokens and questions of a dataset beside the paper's table 1."""
    with_errors(lambda: _run(settings or []), debug)


def _run(settings: list[str]) -> int:
    show(statistics_table(load_dataset(load_config(settings))))
    for line in paper_sums():
        print(f"note: {line}")
    print("note: shares of the paper are of the sum of its own counts in each group")
    return 0


if __name__ == "__main__":
    app = CommandLine()
    app.command()(main)
    app()
