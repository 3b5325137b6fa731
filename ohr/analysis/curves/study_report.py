"""Prints, draws and writes the noise curves of a study."""

from __future__ import annotations

import pandas as pd

from ohr.analysis.comparison.differences import run_differences
from ohr.analysis.comparison.differences_report import report_differences, verdict
from ohr.analysis.curves.table import statistics_table
from ohr.analysis.plots import noise_curve, noise_strength, sources
from ohr.display.labels import NOISE_AXES, noise_title, shown_measures
from ohr.display.notes import reader_notes
from ohr.display.terminal import noise_table, show
from ohr.display.wording import short
from ohr.errors import OhrError
from ohr.figures.axes import curve_of
from ohr.ocr.noise import noise_name
from ohr.store.csv import write_csv
from ohr.study.results import Run, knowledge_base_name

POINT = ["perturbation", "level", "intensity"]


def report(run: Run, axis: str = "r_noise") -> None:
    """Draw the curves, print losses and means, and write each curve's statistics.

    ``axis`` is the metric of damage, one of :data:`NOISE_AXES`. Raises ConfigError for another, and
    OhrError if the run did not measure it.
    """
    if axis in NOISE_AXES and axis != "r_noise" and run.cells[axis].isna().all():
        raise OhrError(f"{axis} was not measured: stages must include ocr")
    figures = run.path / "figures"
    runs = [run]
    paths = noise_curve(runs, figures, axis=axis) + sources(runs, figures, axis=axis)
    paths += noise_strength(runs, figures)
    report_differences(run, run_differences(run))
    show(noise_table(run.cells, reader_notes(run.readers)))
    for path in paths:
        print(f"figure: {path}")
    curves = statistics_table(runs, axis)
    if len(curves):
        path = run.path / "curves.csv"
        write_csv(path, curves)
        print(f"curve statistics: {path}")


def finding(run: Run, axis: str = "r_noise") -> str:
    """A summary: the first engine's loss on clean pages, and that of its most damaging noise.

    Without noise, or without measured damage, it says so.
    """
    everyone = run.cells[(run.cells["group"] == "all") & run.cells[axis].notna()]
    noisy = everyone[everyone["noise"] != "none"]
    title = noise_title(axis)
    if noisy.empty:
        return f"found: nothing, since no noise was measured on {title}"
    engine = str(noisy["engine"].iloc[0])
    curve = curve_of(everyone, engine, str(noisy["perturbation"].iloc[0]))
    damage = {key: points.iloc[0] for key, points in curve.groupby(POINT, sort=False)}
    clean = next(point for point in damage.values() if point["noise"] == "none")
    worst = max(damage.values(), key=lambda point: float(point[axis]))
    if worst[axis] <= clean[axis]:
        return f"found: no noise raised the {title} above {short(clean[axis])} (clean)"
    differences = run_differences(run)
    lines = [
        f"found: the {title} of {engine} rises from {short(clean[axis])} (clean) to "
        f"{short(worst[axis])} ({noise_name(*(worst[column] for column in POINT))})"
    ]
    for point in (clean, worst):
        of_point = differences[differences["other"] == knowledge_base_name(point)]
        losses = [
            verdict(rows.iloc[0], f"{name}{_setting(rows)}")
            for stage, metric, name in shown_measures(run.cells)
            if len(rows := of_point[of_point[["stage", "metric"]].eq([stage, metric]).all(axis=1)])
        ]
        if losses:
            named = of_point.iloc[0]
            lines.append(f"  {named['part']} ({named['other']}): {'; '.join(losses)}")
    return "\n".join(lines)


def _setting(rows: pd.DataFrame) -> str:
    """The setting of the first row, if there are several: ``(bm25, extractive)``."""
    if len(rows) < 2:
        return ""
    first = rows.iloc[0]
    parts = [str(first[name]) for name in ("chunker", "retriever", "reader") if first[name]]
    return f" ({', '.join(parts)})"
