"""The curves of a study of noise, and their statistics."""

from __future__ import annotations

import pandas as pd

from experiments.analysis.curves import statistics_table
from experiments.analysis.labels import NOISE_AXES, noise_title, shown_measures
from experiments.analysis.notes import reader_notes
from experiments.figures.axes import curve_of
from experiments.figures.of_runs import noise_curve, noise_strength, sources
from experiments.reports.terminal import noise_table, number, show
from ohr.errors import OhrError
from ohr.study.csv import write_csv
from ohr.study.noise import noise_name
from ohr.study.results import Run
from ohr.study.select import cells_of

POINT = ["perturbation", "level", "intensity"]


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
    """One sentence: what the most damaging noise of the first curve does to quality.

    Says so where there is no noise, or none that was measured to do damage.
    """
    everyone = cells[(cells["group"] == "all") & cells[axis].notna()]
    noisy = everyone[everyone["noise"] != "none"]
    if noisy.empty:
        return f"found: nothing, since no noise was measured on {noise_title(axis)}"
    curve = curve_of(everyone, str(noisy["engine"].iloc[0]), str(noisy["perturbation"].iloc[0]))
    damage = {key: points.iloc[0] for key, points in curve.groupby(POINT, sort=False)}
    clean = next(point for point in damage.values() if point["noise"] == "none")
    worst = max(damage.values(), key=lambda point: float(point[axis]))
    name = noise_name(*(worst[column] for column in POINT))
    if worst[axis] <= clean[axis]:
        return f"found: no noise raised the {noise_title(axis)} above {number(clean[axis])} (clean)"
    changes = []
    for stage, metric, title in shown_measures(cells):
        points = cells_of(curve, stage, metric, "all")
        before, after = (
            points[(points[POINT] == point[POINT]).all(axis=1)]["mean"] for point in (clean, worst)
        )
        if len(before) and len(after):
            changes.append(f"{title} from {number(before.iloc[0])} to {number(after.iloc[0])}")
    return (
        f"found: as the {noise_title(axis)} of {worst['engine']}'s reading goes from "
        f"{number(clean[axis])} (clean) to {number(worst[axis])} ({name}), "
        f"{', '.join(changes) or 'nothing else was measured'}"
    )
