"""Prints, writes and draws what noise leaves of documents' outlines."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path

import pandas as pd
from rich.table import Table
from rich.text import Text

from ohr.analysis.structure.figure import TITLES, structure_figure
from ohr.analysis.structure.table import COUNTS, summarise_structure
from ohr.display.labels import interval_units
from ohr.display.terminal import empty_table, print_caption, say, say_files, show
from ohr.display.verdicts import MOST_NAMED, estimate_text
from ohr.display.wording import counted, listed
from ohr.files.safe_text import plain
from ohr.ocr.noise import noise_name
from ohr.statistics.numbers import number
from ohr.store.csv import write_csv
from ohr.study.results import knowledge_base_name

RECALLS = ("heading_recall", "table_recall", "caption_recall")
SUMMARY, DOCUMENTS = "structure.csv", "structure_documents.csv"


def report_structure(documents: pd.DataFrame, out: Path | None) -> int:
    """Print the table; with a folder, write both tables and the figure."""
    summary = summarise_structure(documents)
    for line in verdict_lines(summary):
        say(line)
    print()
    show(structure_table(summary))
    for line in _legend(documents, summary):
        print_caption(line)
    if out is not None:
        for name, table in ((SUMMARY, summary), (DOCUMENTS, documents)):
            write_csv(out / name, table)
        figures = structure_figure(summary, out / "figures")
        say_files([out / SUMMARY, out / DOCUMENTS, *figures])
    return 0


def verdict_lines(summary: pd.DataFrame) -> Iterator[str]:
    """What is left of headings, tables and captions, the knowledge base that loses most first."""
    read = summary[(summary["engine"] != "gt") | (summary["perturbation"] != "none")]
    if read.empty:
        yield "The ground truth is compared with itself: name an engine or a noise."
        return
    keys = ["engine", "perturbation", "level", "intensity"]
    bases = [rows.set_index("measure") for _, rows in read.groupby(keys, sort=False, dropna=False)]
    bases = [rows for rows in bases if any(rows.loc[name, "n"] for name in RECALLS)]
    if not bases:
        yield "The ground truth has no headings, tables or captions."
        return
    ranked = sorted(bases, key=_headings_kept)
    for rows in ranked[:MOST_NAMED]:
        shares = [
            f"{estimate_text(*rows.loc[name, ['mean', 'ci_low', 'ci_high']])} of the "
            f"{TITLES[name].removesuffix(' found')}"
            for name in RECALLS
            if rows.loc[name, "n"]
        ]
        yield f"{knowledge_base_name(rows.iloc[0])}: OCR output keeps {listed(shares)}."
    if others := ranked[MOST_NAMED:]:
        names = listed([knowledge_base_name(rows.iloc[0]) for rows in others])
        yield f"For the others see the table: {names}."
    yield f"Means over {counted(int(read['n'].max()), 'document')}."


def _headings_kept(rows: pd.DataFrame) -> tuple[bool, float]:
    """Sorts knowledge bases by the share of headings that they keep; without one, last."""
    share = rows["mean"].to_dict()[RECALLS[0]]
    return math.isnan(share), share


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
