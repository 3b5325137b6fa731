"""Formatting commands per page, beside the paper's table S2."""

from __future__ import annotations

import pandas as pd
from rich.table import Table

from ohr.analysis.published import figures_of
from ohr.display.terminal import empty_table
from perturb.text.commands import KINDS


def counts_table(counts: pd.DataFrame) -> Table:
    """Kinds of command in rows, knowledge bases in columns, with the paper's counts below."""
    table = empty_table(["commands per page"], map(str, counts.columns))
    for kind in KINDS:
        table.add_row(kind.replace("_", " "), *(f"{value:.1f}" for value in counts.loc[kind]))
    table.add_section()
    table.add_row("all but line breaks", *(f"{value:.1f}" for value in counts.loc["all"]))
    table_s2 = figures_of("table S2").set_index("engine")["value"]
    paper = [table_s2.get(str(name).replace(":", " ").split()[-1]) for name in counts.columns]
    table.add_row("paper, table S2", *("" if value is None else f"{value:.1f}" for value in paper))
    table.add_row("pages with text", *(f"{value:.0f}" for value in counts.loc["pages"]))
    return table
