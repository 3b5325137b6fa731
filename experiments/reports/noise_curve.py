"""The curves of a study of noise, and their statistics."""

from __future__ import annotations

from experiments.analysis.curves import statistics_table
from experiments.analysis.notes import reader_notes
from experiments.figures.axes import NOISE_AXES
from experiments.figures.of_runs import noise_curve, noise_strength, sources
from experiments.reports.terminal import noise_table, show
from ohr.errors import OhrError
from ohr.study.csv import write_csv
from ohr.study.results import Run


def report(run: Run, axis: str = "r_noise") -> None:
    """Draw the curves, print a row a knowledge base, and write each curve's statistics.

    ``axis`` is what damage is measured by, one of :data:`NOISE_AXES`. Raises ConfigError for
    another, OhrError where the run did not measure it.
    """
    if axis in NOISE_AXES and axis != "r_noise" and run.cells[axis].isna().all():
        raise OhrError(f"{axis} was not measured: stages must include ocr")
    figures = run.path / "figures"
    runs = [run]
    paths = noise_curve(runs, figures, axis=axis) + sources(runs, figures, axis=axis)
    paths += noise_strength(runs, figures)
    show(noise_table(run.cells, reader_notes(run.readers)))
    for path in paths:
        print(f"figure: {path}")
    curves = statistics_table(runs, axis)
    if len(curves):
        path = run.path / "curves.csv"
        write_csv(path, curves)
        print(f"curve statistics: {path}")
