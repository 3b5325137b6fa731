"""The loss curves of a run: one for each engine, noise, setting and metric."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache

import numpy as np
import pandas as pd

from ohr.analysis.curves.table import MeasuredCurve, curves_of
from ohr.display.labels import shown_measures
from ohr.display.settings import Setting, settings_of
from ohr.figures.loss import Panel, Series
from ohr.statistics.loss_curves import LossCurve, loss_curve, rising_line
from ohr.study.notices.truth import truth_note
from ohr.study.output.select import cells_of
from ohr.study.results import StudyRun


def setting_notes(run: StudyRun) -> list[str]:
    """What the numbers of a run rest on, for the text beside its figures."""
    cells = run.cells
    pages = (
        "Only pages with evidence were read again, which overstates the loss."
        if cells["kb_scope"].iloc[0] == "evidence"
        else "All pages were read again."
    )
    falling = {
        (str(info.stage), info.metric) for info in run.metric_infos if not info.higher_is_better
    }
    left_out = [title for *metric, title in shown_measures(cells) if tuple(metric) in falling]
    notes = [pages, f"Scoring: {cells['protocol'].iloc[0]}.", *truth_note(cells)]
    if left_out:
        notes.append(f"Not drawn, since less is better: {', '.join(left_out)}.")
    return notes


@lru_cache(maxsize=4)
def loss_panels(run: StudyRun, axis: str) -> Sequence[tuple[Setting, Sequence[Panel]]]:
    """The panels of each setting of a run, in the order of its stages."""
    return tuple(_panels(run, axis))


def _panels(run: StudyRun, axis: str) -> Iterator[tuple[Setting, Sequence[Panel]]]:
    curves = list(curves_of(run, axis, draws=True, groups=False))
    keys = pd.DataFrame([curve.key for curve in curves])
    if keys.empty:
        return
    measures = shown_measures(run.cells)
    for setting in settings_of(run.cells):
        fitting = [curves[place] for place in setting.select(keys).index]
        panels = []
        for stage, metric, title in measures:
            chosen = [
                curve
                for curve in fitting
                if (curve.key["stage"], curve.key["metric"]) == (stage, metric)
            ]
            if chosen:
                series = [_series(curve, run) for curve in chosen]
                truth = _truth(setting.select(run.cells), stage, metric)
                panels.append(Panel(stage, metric, title, series, truth))
        if panels:
            yield setting, panels


def _truth(cells: pd.DataFrame, stage: str, metric: str) -> float | None:
    """The mean score on the ground truth, unless a curve starts there."""
    of_truth = cells_of(cells, stage, metric, "all")
    of_truth = of_truth[of_truth["engine"] == "gt"]
    clean = of_truth[of_truth["noise"] == "none"]
    return float(clean["mean"].iloc[0]) if len(clean) and len(clean) == len(of_truth) else None


def _series(measured: MeasuredCurve, run: StudyRun) -> Series:
    curve = measured.curve
    fitted = loss_curve(
        curve.noise,
        curve.quality,
        curve.floor,
        curve.clusters,
        levels=measured.levels,
        resamples=run.resamples,
        seed=run.seed,
    )
    return Series(
        str(measured.key["engine"]),
        str(measured.key["perturbation"]),
        fitted,
        float(curve.floor.mean()),
        curve.noise.shape[1],
        curve.clusters.size,
        _not_found(measured, fitted),
    )


def _not_found(measured: MeasuredCurve, fitted: LossCurve) -> np.ndarray | None:
    """The fitted loss to pages that are not found, never more than the whole loss."""
    values = measured.parts.get("page_not_found")
    if values is None:
        return None
    rows = pd.DataFrame({"x": measured.curve.noise.mean(axis=1), "part": values - values[0]})
    means = rows.groupby(list(measured.levels), sort=False).mean()
    x, part = means["x"].to_numpy(), means["part"].to_numpy()[1:]
    line: np.ndarray = np.minimum(rising_line(x, part, x[0] + fitted.added), fitted.fit)
    return line
