"""Noise curves by evidence source, after the paper's figure 3."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd

from ohr.display.labels import (
    MARK_UP_LEFT_OUT,
    group_label,
    mathematical,
    mathless,
    noise_title,
    shown_measures,
)
from ohr.display.notes import Notes
from ohr.figures.axes import (
    caption,
    curve_line,
    curve_of,
    dotted_line,
    drawn_groups,
    each_setting,
    questions_of,
    room_at_zero,
    start_at_zero,
)
from ohr.figures.ends import name_curves
from ohr.figures.style import figure, save, series_numbers
from ohr.study.output.select import cells_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def source_curves(
    cells: pd.DataFrame,
    folder: Path,
    notes: Notes | None = None,
    axis: str = "r_noise",
    most: int | None = None,
) -> list[Path]:
    """Draw evidence sources in columns, stages in rows, and a curve per engine and noise.

    One figure for each of at most ``most`` settings. The axis is the damage (one of ``AXES``) of
    that source's questions. Retrieval without mark-up, if measured, is a thin dotted curve of the
    same colour.
    """
    settings = islice(each_setting(cells, "noise_by_source"), most)
    every = (
        _source_curves(setting.select(cells), folder, name, notes, axis)
        for setting, name in settings
    )
    return [path for paths in every for path in paths]


def _source_curves(
    cells: pd.DataFrame, folder: Path, figure_name: str, notes: Notes | None, axis: str
) -> list[Path]:
    groups = [g for g in dict.fromkeys(cells["group"]) if g.startswith("source:")]
    metrics = shown_measures(cells)
    curves = list(_curves(cells))
    if len(groups) < 2 or not metrics or not curves or cells[axis].isna().all():
        return []
    groups, few = drawn_groups(cells, groups)
    groups.append("all")
    numbers = series_numbers([engine for engine, _, _ in curves])
    with figure(0.9 + 1.5 * len(groups), 0.9 + 1.35 * len(metrics)) as fig:
        axes = fig.subplots(len(metrics), len(groups), squeeze=False, sharex="all", sharey="row")
        for row, (stage, metric, title) in enumerate(metrics):
            for column, group in enumerate(groups):
                ax: Axes = axes[row, column]
                chosen = cells_of(cells, stage, metric, group)
                stripped = cells_of(cells, stage, f"{metric}{MARK_UP_LEFT_OUT}", group)
                for number, (engine, operator, several) in zip(numbers, curves, strict=True):
                    curve_line(ax, curve_of(chosen, engine, operator), axis, number)
                    name = operator.replace("_", " ")
                    ax.lines[-1].set_label(mathless(f"{engine}, {name}" if several else name))
                    dotted_line(ax, curve_of(stripped, engine, operator), axis, number)
                if row == 0:
                    n = questions_of(cells, group)
                    ax.set_title(f"{mathless(group_label(group))}\n(n = {n})")
                if row == len(metrics) - 1:
                    ax.set_xlabel(mathematical(noise_title(axis, cells)))
                if column == 0:
                    ax.set_ylabel(f"{mathematical(title)}\n(better ↑)")
            start_at_zero(axes[row], marks=True)
        room_at_zero(axes[0])
        name_curves(fig, axes)
        description = caption(fig, cells, notes=notes, more=few)
        return save(fig, folder, figure_name, notes=description)


def _curves(cells: pd.DataFrame) -> Iterator[tuple[str, str, bool]]:
    """Each engine and operator, and whether there are several engines."""
    noisy = cells[cells["noise"] != "none"][["engine", "perturbation"]].drop_duplicates()
    several = noisy["engine"].nunique() > 1
    for engine, operator in noisy.itertuples(index=False):
        yield str(engine), str(operator), several
