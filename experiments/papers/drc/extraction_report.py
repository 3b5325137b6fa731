"""Words of paragraphs and tables, beside the DRC paper's table 3."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd
from rich.table import Table
from rich.text import Text

from experiments.papers.drc.extraction import GROUPS, PARTS
from experiments.papers.drc.published import drc_figures
from ohr.display.terminal import empty_table
from ohr.files.safe_text import plain
from ohr.ocr.noise import noise_name

FILE = "extraction.csv"
EXPLANATION = (
    "precision, recall and F1 in per cent, of the words of a document's paragraphs (headings left "
    "out) and of its tables, averaged over documents with any; an engine that marks no table "
    "in a document is scored by all its words\n"
    "paper: table 3 of McDonald et al. (2022), tokens of UnifiedQA, papers of QASPER"
)


def extraction_report(scores: pd.DataFrame) -> Table:
    """One row per knowledge base and kind, with the paper's below."""
    table = empty_table(["words of", "engine", "noise"], ["documents", "P", "R", "F1"])
    paper = drc_figures("table 3")
    for group in GROUPS:
        for row in scores[scores["kind"] == group].to_dict("records"):
            noise = noise_name(row["perturbation"], row["level"], row["intensity"])
            engine = Text(plain(str(row["engine"])))
            table.add_row(group, engine, noise, f"{row['documents']:,}", *_percents(row))
        for method, rows in paper[paper["group"] == group].groupby("method", sort=False):
            values = rows.set_index("metric")["value"]
            figures = [f"{values[part]:.2f}" for part in PARTS]
            table.add_row(group, f"paper: {method}", "", "", *figures, style="dim")
        table.add_section()
    return table


def _percents(row: Mapping[Any, Any]) -> list[str]:
    return ["-" if pd.isna(row[part]) else f"{100 * row[part]:.2f}" for part in PARTS]
