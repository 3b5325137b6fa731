"""Quality of clean engines against seconds per page and cost."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

from ohr.display.costs import EXPENSES, engine_costs, frontier
from ohr.display.labels import mathematical, mathless, shown_measures
from ohr.display.notes import Notes
from ohr.figures.axes import MEANS_ALONE, caption, each_setting
from ohr.figures.style import COLOURS, MARKERS, figure, legend_below, save
from ohr.study.metrics import MetricInfo, metric_info
from ohr.study.output.select import cells_of, distinct

if TYPE_CHECKING:
    from matplotlib.axes import Axes

READING = ("ocr", "edit_distance")
WIDE = 10
"""From this ratio of expenses on, the axis is logarithmic."""


def pareto_charts(
    cells: pd.DataFrame,
    bases: Mapping[str, Mapping[str, Any]],
    folder: Path,
    notes: Notes | None = None,
) -> list[Path]:
    """Draw metrics in rows and expenses in columns; the line joins the engines that are worth it.

    One figure per setting. None if the time of no engine was measured, as in old runs. ``bases`` is
    the manifest's ``knowledge_bases``.
    """
    costs = engine_costs(cells, bases)
    if costs.empty:
        return []
    every = (_chart(setting.select(cells), costs, folder, name, notes) for setting, name in
             each_setting(cells, "pareto"))  # fmt: skip
    return [path for paths in every for path in paths]


def _chart(
    cells: pd.DataFrame, costs: pd.DataFrame, folder: Path, name: str, notes: Notes | None
) -> list[Path]:
    clean = cells[cells["noise"] == "none"]
    keys = [READING, *(info[:2] for info in shown_measures(cells))]
    infos = [metric_info(*key) for key in keys if len(cells_of(clean, *key, "all"))]
    expenses = [expense for expense in EXPENSES if costs[expense].notna().any()]
    if not infos:
        return []
    engines = distinct(cells["engine"])
    with figure(0.9 + 2.5 * len(expenses), 0.9 + 1.35 * len(infos)) as fig:
        axes = fig.subplots(len(infos), len(expenses), squeeze=False, sharex="col", sharey="row")
        for row, info in zip(axes, infos, strict=True):
            of_measure = cells_of(clean, info.stage, info.metric, "all")
            for ax, expense in zip(row, expenses, strict=True):
                _points(ax, of_measure.merge(costs, on="engine"), expense, info, engines)
            row[0].set_ylabel(f"{mathematical(info.label)}\n(better ↑)")
            if not info.higher_is_better:
                row[0].invert_yaxis()  # for all axes that share it: better is higher
        for ax, expense in zip(axes[-1], expenses, strict=True):
            ax.set_xlabel(f"{expense} (better ←)")
        handles = {label: mark for ax in axes.flat for mark, label in zip(
            *ax.get_legend_handles_labels(), strict=True)}  # fmt: skip
        legend_below(fig, list(handles.values()), list(handles), 3)
        unknown = [engine for engine in engines if engine not in set(costs["engine"])]
        more = [
            "seconds: of the median clean page, with one worker",
            "line: the engines that no other one beats in both",
            MEANS_ALONE.format("engines"),
        ]
        more += [f"not measured: {', '.join(unknown)}"] if unknown else []
        description = caption(fig, clean, notes=notes, more=more)
        return save(fig, folder, name, notes=description)


def _points(
    ax: Axes, cells: pd.DataFrame, expense: str, info: MetricInfo, engines: list[str]
) -> None:
    """A mark an engine with its interval, and the line of those that are worth it."""
    is_known = cells[cells[expense].notna()].reset_index(drop=True)
    for _, cell in is_known.iterrows():
        number = engines.index(cell["engine"])
        colour = COLOURS[number % len(COLOURS)]
        ax.vlines(cell[expense], cell["ci_low"], cell["ci_high"], color=colour, alpha=0.5)
        ax.plot(
            cell[expense],
            cell["mean"],
            linestyle="none",
            marker=MARKERS[number % len(MARKERS)],
            color=colour,
            label=mathless(cell["engine"]),
        )
    worth = frontier(
        is_known[expense].tolist(),
        is_known["mean"].tolist(),
        higher_is_better=info.higher_is_better,
    )
    best = is_known.iloc[worth]
    ax.plot(best[expense], best["mean"], color="#888888", linewidth=1, zorder=1,
            drawstyle="steps-post")  # fmt: skip
    positive = is_known[expense] > 0
    if (
        len(is_known)
        and positive.all()
        and is_known[expense].max() > WIDE * is_known[expense].min()
    ):
        ax.set_xscale("log")
    ax.margins(0.12)
