"""Checks text layers; prints and writes the results."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from rich.table import Table
from rich.text import Text

from ohr.adviser.layers.contact_sheet import choose_words, fill_sheet, render_sheet
from ohr.adviser.layers.pages import CheckedPdf, FoundPdfs, check_pdfs, find_pdfs
from ohr.adviser.layers.table import (
    PageRow,
    advice,
    document_line,
    flawed_rows,
    is_flawless,
    layer_table,
)
from ohr.display.terminal import NARROW, show
from ohr.files.safe_text import plain
from ohr.ocr.progress import Progress
from ohr.ocr.sources import other_kinds_line
from ohr.store.atomic import write_text
from ohr.store.csv import write_csv
from ohr.store.locking import locked

TABLE, SHEET = "layers.csv", "doubtful.html"
MOST_ROWS = 40
"""Most rows of pages on the terminal."""
MOST_FLAWLESS = 20
"""Most PDFs without a flaw that have a line each."""
_DASH = "-"


def report_layers(inputs: Sequence[Path], out: Path, pages: str = "") -> int:
    """Check the text layers of PDFs; write ``layers.csv`` and ``doubtful.html``, and print them.

    Returns 0 if the layer of any page is usable, else 1. Raises OhrError.
    """
    files = find_pdfs(inputs, pages)
    with locked(out):
        with Progress(verb="checking") as progress:
            checked = check_pdfs(files.pdfs, progress)
        sheet = choose_words(checked)
        with progress.new_stage("reading", "words") as reading:
            fill_sheet(sheet, reading)
        write_csv(out / TABLE, layer_table(checked))
        write_text(out / SHEET, render_sheet(sheet))
    _print_documents(checked)
    for line in [*(document_line(each) for each in checked if each.fault), *_left_out(files)]:
        print(line)
    print()
    for sentence in advice(checked, plain(str(out / SHEET))):
        print(sentence)
    print(f"every page: {plain(str(out / TABLE))}")
    return int(not any(each.usable for each in checked))


def _print_documents(checked: Sequence[CheckedPdf]) -> None:
    """A line per PDF that could be opened, each with a table of the pages that are not flawless."""
    flawless = [each for each in checked if is_flawless(each)]
    folded = flawless if len(flawless) > MOST_FLAWLESS else []
    rows = {each.pdf.path: flawed_rows(each) for each in checked}
    shown = _most_important([row for of_pdf in rows.values() for row in of_pdf])
    if shown:
        show(_pages_table((), has_header=True), NARROW)
    for each in checked:
        if each.fault or each in folded:
            continue
        print(document_line(each))
        if listed := [row for row in rows[each.pdf.path] if id(row) in shown]:
            show(_pages_table(listed), NARROW)
    if folded:
        pages = sum(len(each.verdicts) for each in folded)
        print(f"{len(folded):,} PDFs with {pages:,} pages: all usable, no word doubtful")
    hidden = [row for of_pdf in rows.values() for row in of_pdf if id(row) not in shown]
    if hidden:
        print(f"{sum(row.count for row in hidden):,} more pages with flaws are in {TABLE}")


def _most_important(rows: Sequence[PageRow]) -> set[int]:
    """The identities of the rows to print: first those of layers that are not usable."""
    by_use = sorted(rows, key=lambda row: row.assessment.usable)
    return {id(row) for row in by_use[:MOST_ROWS]}


def _pages_table(rows: Sequence[PageRow], *, has_header: bool = False) -> Table:
    """Rows, or the header of all PDFs' rows: its columns have the same widths in every table."""
    table = Table(header_style="bold", box=None, pad_edge=False, show_header=has_header)
    table.add_column("  page", width=11)
    table.add_column("usable", width=6)
    table.add_column("doubtful words", justify="right", width=8)
    table.add_column("order known", width=5)
    table.add_column("covered", justify="right", width=7)
    table.add_column("reason", width=NARROW - 47)
    for row in rows:
        cells = row.assessment
        table.add_row(
            f"  {row.pages}",
            cells.usable,
            f"{cells.doubtful_words:,}",
            cells.order_known or _DASH,
            cells.covered or _DASH,
            Text(cells.reason),
        )
    return table


def _left_out(files: FoundPdfs) -> list[str]:
    lines = [f"{name}: has no such page" for name in files.without_pages]
    return [*lines, line] if (line := other_kinds_line(files.others)) else lines
