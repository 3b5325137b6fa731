"""The curves of a study of noise, and their statistics."""

from __future__ import annotations

from experiments.analysis.curves import statistics_table
from experiments.analysis.notes import reader_notes
from experiments.figures.axes import NOISE_AXES
from experiments.figures.noise import noise_curves, noise_strength
from experiments.figures.sources import source_curves
from experiments.reports.terminal import noise_table, show
from ohr.errors import ConfigError, OhrError
from ohr.study.csv import write_csv
from ohr.study.results import read_run
from ohr.study.run import Result


def report(result: Result, axis: str = "r_noise") -> None:
    """Draw the curves, print a row a knowledge base, and write each curve's statistics.

    ``axis`` is what damage is measured by, one of :data:`NOISE_AXES`. Raises ConfigError for
    another, OhrError where the run did not measure it.
    """
    if axis not in NOISE_AXES:
        raise ConfigError(f"unknown axis {axis!r}; known: {', '.join(NOISE_AXES)}")
    if axis != "r_noise" and result.cells[axis].isna().all():
        raise OhrError(f"{axis} was not measured: stages must include ocr")
    figures = result.out / "figures"
    notes = reader_notes(result.readers)
    paths = noise_curves(result.cells, figures, notes, axis)
    paths += source_curves(result.cells, figures, notes, axis)
    paths += noise_strength(result.cells, figures)
    show(noise_table(result.cells, notes))
    for path in paths:
        print(f"figure: {path}")
    curves = statistics_table([read_run(result.out)], axis)
    if len(curves):
        path = result.out / "curves.csv"
        write_csv(path, curves)
        print(f"curve statistics: {path}")
