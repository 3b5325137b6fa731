"""Clean engines side by side."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

from ohr.analysis.attribution.loss_shares_report import report_losses
from ohr.analysis.benchmark.paper_tables import write_paper_tables
from ohr.analysis.comparison.differences import run_differences
from ohr.analysis.comparison.differences_report import report_differences
from ohr.analysis.comparison.not_shown import mark_not_shown
from ohr.analysis.comparison.ties import cells_with_letters
from ohr.analysis.curves.verdict import clean_sentences
from ohr.analysis.drawing import start_drawing
from ohr.analysis.plots import benchmark
from ohr.display.costs import engine_costs
from ohr.display.notes import Notes, reader_notes
from ohr.display.terminal import NARROW, benchmark_tables, say, say_files, show
from ohr.figures.pareto import pareto_charts
from ohr.store.csv import write_csv
from ohr.study.results import StudyRun


def report(run: StudyRun) -> None:
    """Print the verdict, and losses and means of each engine by group of questions.

    Draws bars and writes tables.

    Losses come with the share of each kind of evidence. If pages were read, quality against
    seconds and cost is drawn too.
    """
    notes = reader_notes(run.readers)
    differences = run_differences(run, groups=True)
    bases = run.manifest.get("knowledge_bases", {})
    with closing(start_drawing(run, lambda: _draw(run, notes))) as drawing:
        for sentence in clean_sentences(run):
            say(sentence)
        print()
        files = report_differences(run, differences)
        losses = run.path / "tables" / "losses.csv"
        has_losses = report_losses(run, losses)
        cells = cells_with_letters(run)
        for table in benchmark_tables(cells, notes):
            show(table, NARROW)
            print()
        paths = [*files, *drawing.result()]
    marked = mark_not_shown(cells, differences)
    paths += write_paper_tables(marked, run.path / "tables", notes)
    if has_losses:
        paths.append(losses)
    costs = engine_costs(run.cells, bases)
    if len(costs):
        path = run.path / "tables" / "costs.csv"
        write_csv(path, costs)
        paths.append(path)
    say_files(paths)


def _draw(run: StudyRun, notes: Notes) -> list[Path]:
    """Draw the bars, and quality against seconds and cost."""
    folder = run.path / "figures"
    bases = run.manifest.get("knowledge_bases", {})
    return [*benchmark([run], folder), *pareto_charts(run.cells, bases, folder, notes)]
