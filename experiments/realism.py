"""How realistic the distortions are: pages' edit distances at each level, after figure S2.

``python -m experiments.realism RUN --out DIR`` reads a finished run of ``noise_curve`` with
``noise=[semantic]`` (or single distortions) and draws the distribution of the pages' edit
distance at each level, for each engine. ``--natural 'scans/*'`` names the documents whose pages
are degraded by nature: their clean readings stand beside the distorted readings of the others.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import pandas as pd
import typer
from rich.table import Table
from rich.text import Text

from experiments._command import CommandLine, with_errors
from experiments.analysis.realism import page_distances, summarise
from experiments.figures.realism import distance_figure
from experiments.reports.terminal import number, show
from ohr.printable import plain
from ohr.study.csv import write_csv

main = CommandLine()


@main.command(help="Draw the distribution of pages' edit distance at each level of noise.")
def command(
    run: Annotated[Path, typer.Argument(help="Folder of a finished noise_curve run.")],
    out: Annotated[Path, typer.Option(help="Folder for the table and the figure.")],
    natural: Annotated[
        str, typer.Option(help="Documents that are degraded by nature, as in 'scans/*'.")
    ] = "",
    debug: Annotated[bool, typer.Option("--debug")] = False,
) -> None:
    """Compare the distributions."""
    with_errors(lambda: compare_distances(run, out, natural), debug)


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


if __name__ == "__main__":
    main()
