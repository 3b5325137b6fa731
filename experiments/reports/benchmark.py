"""Clean engines side by side."""

from __future__ import annotations

from experiments.analysis.costs import engine_costs
from experiments.analysis.notes import reader_notes
from experiments.figures.bars import benchmark_bars
from experiments.figures.pareto import pareto_charts
from experiments.reports.losses import report_losses
from experiments.reports.paper_tables import write_paper_tables
from experiments.reports.terminal import benchmark_table, show
from ohr.study.csv import write_csv
from ohr.study.results import Run


def report(run: Run) -> None:
    """Draw the bars, print a row an engine and group of questions, write the paper's tables, and
    what each engine lost against the ground truth by kind of evidence.

    Where reading was measured, also quality against seconds and cost.
    """
    notes = reader_notes(run.readers)
    paths = benchmark_bars(run.cells, run.path / "figures", notes)
    bases = run.manifest.get("knowledge_bases", {})
    paths += pareto_charts(run.cells, bases, run.path / "figures", notes)
    show(benchmark_table(run.cells, notes))
    losses = run.path / "tables" / "losses.csv"
    has_losses = report_losses(run, losses)
    for path in paths:
        print(f"figure: {path}")
    for path in write_paper_tables(run.cells, run.path / "tables", notes):
        print(f"table: {path}")
    if has_losses:
        print(f"table: {losses}")
    costs = engine_costs(run.cells, bases)
    if len(costs):
        path = run.path / "tables" / "costs.csv"
        write_csv(path, costs)
        print(f"table: {path}")
