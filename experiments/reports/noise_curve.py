"""The curves of a study of noise, and their statistics."""

from __future__ import annotations

from experiments.analysis.curves import statistics_table
from experiments.analysis.notes import reader_notes
from experiments.figures.of_runs import noise_curve, noise_strength, sources
from experiments.reports.terminal import noise_table, show
from ohr.study.csv import write_csv
from ohr.study.results import Run


def report(run: Run) -> None:
    """Draw the curves, print a row a knowledge base, and write each curve's statistics."""
    figures = run.path / "figures"
    runs = [run]
    made = noise_curve(runs, figures) + sources(runs, figures) + noise_strength(runs, figures)
    show(noise_table(run.cells, reader_notes(run.readers)))
    for path in made:
        print(f"figure: {path}")
    curves = statistics_table(runs)
    if len(curves):
        path = run.path / "curves.csv"
        write_csv(path, curves)
        print(f"curve statistics: {path}")
