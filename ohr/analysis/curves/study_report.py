"""Prints, draws and writes the noise curves of a study."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

from ohr.analysis.comparison.differences import run_differences
from ohr.analysis.comparison.differences_report import show_differences, write_differences
from ohr.analysis.comparison.ties import cells_with_letters
from ohr.analysis.curves.losses import loss_panels
from ohr.analysis.curves.table import axis_of, statistics_table
from ohr.analysis.curves.verdict import sentences
from ohr.analysis.drawing import start_drawing
from ohr.analysis.plots import noise_curve, noise_settings, noise_strength, sources
from ohr.display.levels_table import levels_table
from ohr.display.noise_axis import axis_note
from ohr.display.notes import reader_notes
from ohr.display.terminal import NARROW, noise_table, say, say_files, show
from ohr.errors import OhrError
from ohr.store.csv import write_csv
from ohr.study.results import StudyRun


def report(run: StudyRun, axis: str = "", brief: bool = False) -> None:
    """Print the verdict, the losses and the means; draw the curves and write their statistics.

    ``brief``: print the verdict, a row per engine and one line of files. ``axis`` is the metric of
    noise (see :func:`axis_of`). Raises ConfigError for an unknown one, and OhrError if the run did
    not measure it.
    """
    chosen = axis_of(run, axis)
    if axis and run.cells[axis].isna().all():
        raise OhrError(
            f"{axis} was not measured: give metrics=[default,{axis}], or add ocr to stages=[…]"
        )
    differences = run_differences(run)
    # The figures share these with the tables.
    loss_panels(run, chosen)
    with closing(start_drawing(run, lambda: _draw(run, axis))) as drawing:
        for sentence in sentences(run, chosen):
            say(sentence)
        if not axis and (note := axis_note(run.cells, chosen)):
            say(note)
        print()
        if brief:
            show(levels_table(run.cells), NARROW)
        else:
            show_differences(run, differences)
            print()
            show(noise_table(cells_with_letters(run), reader_notes(run.readers)), NARROW)
        files = write_differences(run, differences)
        curves = statistics_table([run], chosen)
        if len(curves):
            files.append(run.path / "curves.csv")
            write_csv(files[-1], curves)
        say_files([*files, *drawing.result()])


def _draw(run: StudyRun, axis: str) -> list[Path]:
    """Draw the curves, the same by source of evidence, and measured against requested noise.

    Of several settings, all are in one figure, and the first has its own.
    """
    folder = run.path / "figures"
    paths = noise_settings([run], folder, axis=axis)
    paths += noise_curve([run], folder, axis=axis, most=1)
    return [*paths, *sources([run], folder, axis=axis, most=1), *noise_strength([run], folder)]
