"""Prints, draws and writes the noise curves of a study."""

from __future__ import annotations

import math
from collections.abc import Sequence

import pandas as pd

from ohr.analysis.comparison.differences import run_differences
from ohr.analysis.comparison.differences_report import p_text, report_differences
from ohr.analysis.curves.losses import loss_panels
from ohr.analysis.curves.table import axis_of, statistics_table
from ohr.analysis.plots import noise_curve, noise_strength, sources
from ohr.display.labels import interval_units, noise_title, shown_measures
from ohr.display.notes import reader_notes
from ohr.display.terminal import noise_table, show
from ohr.display.wording import excluded, is_shown, rounded_up, short
from ohr.errors import OhrError
from ohr.figures.loss import breakpoint_of
from ohr.files.safe_text import plain
from ohr.ocr.noise import noise_name
from ohr.store.csv import write_csv
from ohr.study.results import Run, knowledge_base_name

POINT = ["perturbation", "level", "intensity"]


def report(run: Run, axis: str = "") -> None:
    """Draw the curves, print losses and means, and write each curve's statistics.

    The last lines say in at most three sentences what noise costs, where quality breaks, and what
    was not shown. ``axis`` is the metric of noise (see :func:`axis_of`). Raises ConfigError for an
    unknown one, and OhrError if the run did not measure it.
    """
    chosen = axis_of(run, axis)
    if axis and run.cells[axis].isna().all():
        raise OhrError(f"{axis} was not measured: stages must include ocr")
    figures = run.path / "figures"
    runs = [run]
    paths = noise_curve(runs, figures, axis=axis) + sources(runs, figures, axis=axis)
    paths += noise_strength(runs, figures)
    report_differences(run, run_differences(run))
    show(noise_table(run.cells, reader_notes(run.readers)))
    for path in paths:
        print(f"figure: {path}")
    curves = statistics_table(runs, chosen)
    if len(curves):
        path = run.path / "curves.csv"
        write_csv(path, curves)
        print(f"curve statistics: {path}")
    for sentence in sentences(run, chosen):
        print(plain(sentence))


def sentences(run: Run, axis: str) -> list[str]:
    """What noise costs, where a tenth of the quality is lost, and what was not shown.

    They are about the first engine, its most damaging noise and the first setting; at most three.
    """
    everyone = run.cells[(run.cells["group"] == "all") & run.cells[axis].notna()]
    noisy = everyone[everyone["noise"] != "none"]
    if noisy.empty:
        return ["No noise was measured, so there is no loss to noise."]
    engine = str(noisy["engine"].iloc[0])
    worst = noisy[noisy["engine"] == engine].sort_values(axis).iloc[-1]
    clean = everyone[(everyone["engine"] == engine) & (everyone["noise"] == "none")]
    title = noise_title(axis)
    if clean.empty or worst[axis] <= clean[axis].iloc[0]:
        return [f"No noise raised the {title} of {engine} above that of the clean pages."]
    differences = run_differences(run)
    rows = differences[differences["other"] == knowledge_base_name(worst)]
    named = {(stage, metric): label for stage, metric, label in shown_measures(run.cells)}
    losses, unshown = [], []
    for (stage, metric), label in named.items():
        of_metric = rows[rows[["stage", "metric"]].eq([stage, metric]).all(axis=1)]
        if of_metric.empty:
            continue
        row = of_metric.iloc[0]
        if is_shown(row["p_holm"]) and row["difference"] < 0:
            losses.append(
                f"{short(-row['difference'])} of {label} (95 % interval "
                f"{short(-row['ci_high'])} to {short(-row['ci_low'])}, p {p_text(row['p_holm'])})"
            )
        else:
            unshown.append(_unshown(label, row))
    at = (
        f"Under {noise_name(*(worst[column] for column in POINT))} ({title} {short(worst[axis])}, "
        f"{short(clean[axis].iloc[0])} on clean pages) {engine} loses "
    )
    result = [f"{at}{_listed(losses)}." if losses else f"{at}nothing that is shown."]
    if breaks := _breaks(run, axis, engine, str(worst["perturbation"])):
        result.append(f"{breaks}.")
    if unshown:
        result.append(f"Not shown: {'; '.join(unshown)}.")
    return result


def _unshown(label: str, row: pd.Series) -> str:
    """What a change that is not shown excludes, and what would settle it."""
    text = f"{label} ({excluded(row['ci_low'], row['ci_high'])}"
    further = row["further_units"]
    if 1 <= further < math.inf:
        units = interval_units([row["ci_unit"]])
        text += f"; about {rounded_up(further)} further {units} like these would show a change of "
        text += f"{short(row['difference'])}"
    return f"{text})"


def _breaks(run: Run, axis: str, engine: str, noise: str) -> str:
    """Where a tenth of the clean quality is lost, in each panel of the first setting."""
    setting = next(loss_panels(run, axis), None)
    if setting is None:
        return ""
    texts = [
        f"{panel.title}: {breakpoint_of(series.curve)}"
        for panel in setting[1]
        for series in panel.series
        if (series.engine, series.noise) == (engine, noise)
    ]
    return f"On the axis of {noise_title(axis)}, {'; '.join(texts)}" if texts else ""


def _listed(parts: Sequence[str]) -> str:
    """``a``; ``a and b``; ``a, b and c``."""
    *first, last = parts
    return f"{', '.join(first)} and {last}" if first else last
