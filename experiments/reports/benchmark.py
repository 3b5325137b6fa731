"""Clean engines side by side."""

from __future__ import annotations

from experiments.analysis.notes import reader_notes
from experiments.figures.bars import benchmark_bars
from experiments.reports.paper_tables import write_paper_tables
from experiments.reports.terminal import benchmark_table, show
from ohr.study.run import Result


def report(result: Result) -> None:
    """Draw the bars, print a row an engine and group of questions, write the paper's tables."""
    notes = reader_notes(result.readers)
    paths = benchmark_bars(result.cells, result.out / "figures", notes)
    show(benchmark_table(result.cells, notes))
    for path in paths:
        print(f"figure: {path}")
    for path in write_paper_tables(result.cells, result.out / "tables", notes):
        print(f"table: {path}")
