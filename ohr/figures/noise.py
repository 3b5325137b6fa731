"""Noise curves and benchmark bars, drawn from cells alone."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd

from ohr.display.labels import (
    MARK_UP_LEFT_OUT,
    loss_parts,
    mathematical,
    mathless,
    shown_measures,
    shown_readings,
)
from ohr.display.notes import Notes
from ohr.figures.axes import (
    axis_label,
    caption,
    curve_line,
    curve_of,
    dotted_line,
    each_setting,
    floor_note,
    from_zero,
    in_order,
    kinds_note,
    loss_split,
    room_at_zero,
)
from ohr.figures.level_names import name_level, place_names
from ohr.figures.style import figure, legend_below, save
from ohr.ocr.noise import strength
from ohr.study.notices.truth import truth_of
from ohr.study.output.select import cells_of, distinct
from ohr.study.scoring.metrics import NO_CONTEXT

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def noise_curves(
    cells: pd.DataFrame, folder: Path, notes: Notes | None = None, axis: str = "r_noise"
) -> list[Path]:
    """Draw retrieval, generation and overall quality against measured noise, one column per engine.

    ``axis`` is one of ``NOISE_AXES``. One figure per setting.
    """
    every = (_noise_curves(setting.of(cells), folder, name, notes, axis) for setting, name in
             each_setting(cells, "noise_curve"))  # fmt: skip
    return [path for paths in every for path in paths]


def _noise_curves(
    cells: pd.DataFrame, folder: Path, name: str, notes: Notes | None, axis: str
) -> list[Path]:
    engines = [e for e in distinct(cells["engine"]) if _noisy(cells, e)]
    metrics = shown_measures(cells)
    if not engines or not metrics or cells[axis].isna().all():
        return []
    operators = [p for p in distinct(cells["perturbation"]) if p != "none"]
    everyone = cells[cells["group"] == "all"]
    with figure(1.2 + 3.4 * len(engines), 0.9 + 2.2 * len(metrics)) as fig:
        axes = fig.subplots(len(metrics), len(engines), squeeze=False, sharex="all", sharey="row")
        for row, (stage, metric, title) in enumerate(metrics):
            parts = loss_parts(cells, stage, metric)
            for column, engine in enumerate(engines):
                ax: Axes = axes[row, column]
                chosen = cells_of(cells, stage, metric, "all")
                of_engine = chosen[chosen["engine"] == engine]
                stripped = cells_of(cells, stage, f"{metric}{MARK_UP_LEFT_OUT}", "all")
                noisy = of_engine.loc[of_engine["noise"] != "none", "perturbation"]
                for number, operator in enumerate(operators):
                    _curve(ax, of_engine, axis, operator, number)
                    dotted_line(ax, curve_of(stripped, engine, operator), axis, number)
                    if (noisy == operator).any():
                        curve = curve_of(everyone, engine, operator)
                        alone = noisy.nunique() == 1
                        loss_split(ax, curve, parts, axis, number, shaded=alone)
                _ground_truth(ax, chosen, axis)
                _floor(ax, cells_of(cells, stage, f"{metric}{NO_CONTEXT}", "all"))
                if row == 0:
                    ax.set_title(mathless(engine))
                if row == len(metrics) - 1:
                    ax.set_xlabel(axis_label(axis))
                if column == 0:
                    ax.set_ylabel(mathematical(title))
            from_zero(axes[row], marks=True)
        room_at_zero(axes[0])
        handles, labels = axes[0, 0].get_legend_handles_labels()
        for ax in axes.flat:
            for handle, label in zip(*ax.get_legend_handles_labels(), strict=True):
                if label not in labels:
                    handles.append(handle)
                    labels.append(label)
        legend_below(fig, handles, labels, 5 if len(engines) > 1 else 2)
        caption(fig, cells, notes=notes, more=[*floor_note(cells, axis), *kinds_note(cells)])
        place_names(fig)
        return save(fig, folder, name)


def noise_strength(cells: pd.DataFrame, folder: Path) -> list[Path]:
    """Draw r_noise, that of the content, and edit distance against the requested intensity."""
    engines = [e for e in distinct(cells["engine"]) if _noisy(cells, e)]
    operators = [p for p in distinct(cells["perturbation"]) if p != "none"]
    chosen = cells[(cells["group"] == "all") & (cells["stage"] == "ocr")]
    metrics = shown_readings(chosen)
    if not engines or not metrics or chosen["mean"].isna().all():
        return []
    with figure(1.2 + 3.4 * len(operators), 0.8 + 2.2 * len(metrics)) as fig:
        axes = fig.subplots(len(metrics), len(operators), squeeze=False, sharey="row")
        for column, operator in enumerate(operators):
            own = chosen[chosen["perturbation"].isin([operator, "none"])]
            own, names = _placed(own)
            for number, engine in enumerate(engines):
                of_engine = own[own["engine"] == engine].sort_values("place", kind="stable")
                for row, (_, name, _) in enumerate(metrics):
                    curve_line(
                        axes[row, column], of_engine[of_engine["metric"] == name], "place", number
                    )
                    axes[row, column].lines[-1].set_label(mathless(engine))
            axes[0, column].set_title(mathless(operator.replace("_", " ")))
            axes[-1, column].set_xlabel("requested level" if names else "requested intensity")
            for row in range(len(metrics)):
                if names:
                    axes[row, column].set_xticks(range(len(names)), names)
        for row_of_axes, (_, _, title) in zip(axes, metrics, strict=True):
            row_of_axes[0].set_ylabel(mathematical(title))
            from_zero(row_of_axes, marks=True)
        handles, labels = axes[0, 0].get_legend_handles_labels()
        legend_below(fig, handles, labels, len(engines))
        caption(fig, chosen, more=kinds_note(chosen))
        return save(fig, folder, "noise_strength")


def _placed(cells: pd.DataFrame) -> tuple[pd.DataFrame, list[str]]:
    """Add a column ``place``: the intensity, or the rank of levels that share an intensity.

    With ranks, the names of the levels are returned too: a mixture's levels differ in kind.
    """
    keys = cells[["perturbation", "level", "intensity"]].drop_duplicates()
    keys = keys.sort_values("perturbation", key=lambda names: names != "none", kind="stable")
    if not keys["intensity"].duplicated().any():
        return cells.assign(place=cells["intensity"]), []
    names = [
        "clean" if operator == "none" else strength(level, intensity)
        for operator, level, intensity in keys.itertuples(index=False)
    ]
    ranks = {key: rank for rank, key in enumerate(keys.itertuples(index=False, name=None))}
    places = [ranks[key] for key in cells[list(keys.columns)].itertuples(index=False, name=None)]
    return cells.assign(place=places), names


def _noisy(cells: pd.DataFrame, engine: str) -> bool:
    return bool(((cells["engine"] == engine) & (cells["noise"] != "none")).any())


def _curve(ax: Axes, cells: pd.DataFrame, axis: str, operator: str, number: int) -> None:
    points = in_order(cells[cells["perturbation"].isin([operator, "none"])])
    if not (points["perturbation"] == operator).any():
        return
    colour = curve_line(ax, points, axis, number)
    ax.lines[-1].set_label(mathless(operator.replace("_", " ")))
    for _, cell in points[points["perturbation"] == operator].iterrows():
        name = strength(cell["level"], cell["intensity"])
        if not math.isnan(cell["mean"]):
            name_level(ax, name, (cell[axis], cell["mean"]), colour)


def _ground_truth(ax: Axes, cells: pd.DataFrame, axis: str) -> None:
    truth = cells[(cells["engine"] == "gt") & (cells["noise"] == "none")]
    if len(truth):
        ax.plot(
            truth[axis],
            truth["mean"],
            marker="*",
            markersize=10,
            color="#000000",
            linestyle="none",
            label=truth_of(cells),
        )


def _floor(ax: Axes, cells: pd.DataFrame) -> None:
    if len(cells):
        ax.axhline(
            cells["mean"].iloc[0], color="#777777", linewidth=1, linestyle=":", label="no context"
        )
