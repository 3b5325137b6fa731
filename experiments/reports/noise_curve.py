"""The curves of a study of noise, and their statistics."""

from __future__ import annotations

import pandas as pd

from experiments.analysis.curves import statistics_table
from experiments.analysis.labels import STAGE_METRICS
from experiments.analysis.notes import reader_notes
from experiments.figures.axes import NOISE_AXES, curve_of
from experiments.figures.of_runs import noise_curve, noise_strength, sources
from experiments.reports.terminal import noise_table, number, show
from ohr.errors import OhrError
from ohr.study.csv import write_csv
from ohr.study.noise import noise_name
from ohr.study.results import Run
from ohr.study.select import cells_of

AXIS_NAMES = {
    "r_noise": "r_noise",
    "r_noise_content": "r_noise of the content",
    "edit_distance": "edit distance",
}


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


def finding(cells: pd.DataFrame, axis: str = "r_noise") -> str:
    """One sentence: what the strongest noise of the first engine's first curve costs."""
    everyone = cells[cells["group"] == "all"]
    noisy = everyone[everyone["noise"] != "none"].iloc[0]
    curve = curve_of(everyone, str(noisy["engine"]), str(noisy["perturbation"]))
    clean, *_, worst = curve.sort_values(axis, kind="stable").drop_duplicates(axis).index
    name = noise_name(*curve.loc[worst, ["perturbation", "level", "intensity"]])
    falls = [
        f"{title} falls from {number(points['mean'].iloc[0])} to {number(points['mean'].iloc[-1])}"
        for stage, metric, title in STAGE_METRICS
        if len(points := cells_of(curve, stage, metric, "all").sort_values(axis, kind="stable"))
    ]
    return (
        f"found: as the {AXIS_NAMES[axis]} of {noisy['engine']}'s reading goes from "
        f"{number(curve[axis][clean])} (clean) to {number(curve[axis][worst])} ({name}), "
        f"{', '.join(falls)}"
    )
