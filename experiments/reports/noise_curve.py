"""The curves of a study of noise, and their statistics."""

from __future__ import annotations

from experiments.analysis.curves import statistics_table
from experiments.analysis.notes import reader_notes
from experiments.figures.noise import noise_curves, noise_strength
from experiments.figures.sources import source_curves
from experiments.reports.terminal import noise_table, show
from ohr.study.csv import write_csv
from ohr.study.results import read_run
from ohr.study.run import Result


def report(result: Result) -> None:
    """Draw the curves, print a row a knowledge base, and write each curve's statistics."""
    figures = result.out / "figures"
    notes = reader_notes(result.readers)
    made = noise_curves(result.cells, figures, notes) + source_curves(result.cells, figures, notes)
    made += noise_strength(result.cells, figures)
    show(noise_table(result.cells, notes))
    for path in made:
        print(f"figure: {path}")
    curves = statistics_table([read_run(result.out)])
    if len(curves):
        path = result.out / "curves.csv"
        write_csv(path, curves)
        print(f"curve statistics: {path}")
