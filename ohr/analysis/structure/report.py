"""Prints, writes and draws what noise leaves of documents' outlines."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
from rich.table import Table
from rich.text import Text

from ohr.analysis.structure.figure import TITLES, structure_figure
from ohr.analysis.structure.table import COUNTS, summarise_structure
from ohr.display.labels import interval_units
from ohr.display.terminal import empty_table, print_caption, say_files, show
from ohr.files.safe_text import plain
from ohr.ocr.noise import noise_name
from ohr.statistics.numbers import number
from ohr.store.csv import write_csv

SUMMARY, DOCUMENTS = "structure.csv", "structure_documents.csv"


def report_structure(documents: pd.DataFrame, out: Path | None) -> int:
    """Print the table; with a folder, write both tables and the figure."""
    summary = summarise_structure(documents)
    show(structure_table(summary))
    for line in _legend(documents, summary):
        print_caption(line)
    if out is not None:
        for name, table in ((SUMMARY, summary), (DOCUMENTS, documents)):
            write_csv(out / name, table)
        figures = structure_figure(summary, out / "figures")
        say_files([out / SUMMARY, out / DOCUMENTS, *figures])
    return 0


def structure_table(summary: pd.DataFrame) -> Table:
    """One row per knowledge base: its r_noise, and the mean of each metric over documents."""
    table = empty_table(["engine", "noise"], ["r_noise", *TITLES.values()])
    keys = ["engine", "perturbation", "level", "intensity"]
    for key, rows in summary.groupby(keys, sort=False, dropna=False):
        engine, *noise = key
        means = rows.set_index("measure")["mean"]
        table.add_row(
            Text(plain(str(engine))),
            noise_name(*noise),
            number(rows["r_noise"].iloc[0]),
            *(number(means[name]) for name in TITLES),
        )
    return table


def _legend(documents: pd.DataFrame, summary: pd.DataFrame) -> list[str]:
    first = documents.drop_duplicates("doc_id")
    counts = ", ".join(f"{first[name].sum():,} {name}" for name in COUNTS)
    lines = [
        f"{len(first):,} documents of {first['pages'].sum():,} pages with {counts} in the ground "
        "truth; means over the documents that have any",
        "found, right: recall and precision of headings, tables and captions; same parent: of the "
        "headings found; overlap: of sections' stretches of pages; tree distance: less is better",
    ]
    units = interval_units(summary["ci_unit"])
    if units:
        lines.append(f"{SUMMARY} has 95 % intervals for further {units}")
    return lines
