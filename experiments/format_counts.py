"""Formatting commands a page, by kind and knowledge base, beside the paper's table S2."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Annotated

import pandas as pd
import typer
from rich.table import Table
from rich.text import Text

from experiments._command import CommandLine, with_errors
from experiments.analysis.format_counts import count_knowledge_bases
from experiments.reports.terminal import show
from ohr.printable import plain
from ohr.store.atomic import write_text
from ohr.study.config import StudyConfig, load_config
from perturb.text.commands import KINDS

PAPER = {
    "MinerU": 35.0, "GOT": 45.7, "Nougat": 63.2, "mild": 37.9, "moderate": 42.2, "severe": 56.3,
}  # fmt: skip
"""Table S2: average counts a page."""

main = CommandLine()


@main.command(help="Count formatting commands a page, by kind.")
def command(
    settings: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[CONFIG.yaml] [key=value ...]",
            help='dataset.*, "engines=[gt,precomputed:MinerU]", noise=[formatting], levels, seed.',
        ),
    ] = None,
    out: Annotated[Path | None, typer.Option(help="Folder for format_counts.csv.")] = None,
    debug: Annotated[
        bool, typer.Option("--debug", help="Print a traceback with an error.")
    ] = False,
) -> None:
    """Print the counts, and the paper's beside them."""
    logging.basicConfig(level=logging.WARNING, format="%(message)s")
    defaults = {"engines": ["gt"], "noise": ["formatting"], "stages": ["ocr"]}
    with_errors(lambda: _run(load_config(settings or [], defaults), out), debug)


def _run(config: StudyConfig, out: Path | None) -> int:
    counts = count_knowledge_bases(config)
    show(counts_table(counts))
    if out is not None:
        path = out / "format_counts.csv"
        write_text(path, counts.to_csv(index_label="kind", float_format="%.4f"))
        print(f"counts: {path}")
    return 0


def counts_table(counts: pd.DataFrame) -> Table:
    """A row a kind of command, a column a knowledge base, the paper's counts below."""
    table = Table(header_style="bold", box=None, pad_edge=False)
    table.add_column("commands a page")
    for name in counts.columns:
        table.add_column(Text(plain(str(name))), justify="right")
    for kind in KINDS:
        table.add_row(kind.replace("_", " "), *(f"{value:.1f}" for value in counts.loc[kind]))
    table.add_section()
    table.add_row("all but line breaks", *(f"{value:.1f}" for value in counts.loc["all"]))
    paper = [PAPER.get(str(name).replace(":", " ").split()[-1]) for name in counts.columns]
    table.add_row("paper, table S2", *("" if value is None else f"{value:.1f}" for value in paper))
    table.add_row("pages with text", *(f"{value:.0f}" for value in counts.loc["pages"]))
    return table


if __name__ == "__main__":
    main()
