"""Bars of clean engines, by group."""

from __future__ import annotations

import textwrap
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from ohr.display.labels import group_label, mathematical, mathless, shown_measures
from ohr.display.notes import Notes
from ohr.figures.axes import (
    HATCHES,
    caption,
    drawn_groups,
    each_setting,
    questions_of,
)
from ohr.figures.style import COLOURS, figure, legend_below, save, series_numbers
from ohr.study.output.select import cells_of, distinct

if TYPE_CHECKING:
    from matplotlib.axes import Axes


_TICK_WIDTH = 12
"""Characters per line of a group's name below its bars; each takes .09 inch."""


def benchmark_bars(cells: pd.DataFrame, folder: Path, notes: Notes | None = None) -> list[Path]:
    """Each engine's retrieval, generation and overall quality by evidence source.

    One figure per setting.
    """
    every = (_benchmark_bars(setting.select(cells), folder, name, notes) for setting, name in
             each_setting(cells, "ocr_benchmark"))  # fmt: skip
    return [path for paths in every for path in paths]


def _benchmark_bars(
    cells: pd.DataFrame, folder: Path, name: str, notes: Notes | None
) -> list[Path]:
    metrics = shown_measures(cells)
    if not metrics:
        return []
    engines = distinct(cells["engine"])
    sources = [g for g in distinct(cells["group"]) if g.startswith("source:")]
    numbers = series_numbers(engines)
    groups, few = drawn_groups(cells, sources)
    groups.append("all")
    ticks = [f"{tick_name(group)}\nn = {questions_of(cells, group)}" for group in groups]
    place_width = max(0.28 * len(engines), *(0.09 * text_width(tick) for tick in ticks))
    with figure(max(3.4, 1.2 + place_width * len(groups)), 0.9 + 1.35 * len(metrics)) as fig:
        axes = fig.subplots(len(metrics), 1, squeeze=False, sharex=True)[:, 0]
        width = 0.8 / len(engines)
        for ax, (stage, metric, title) in zip(axes, metrics, strict=True):
            for slot, engine in enumerate(engines):
                number = numbers[slot]
                for place, group in enumerate(groups):
                    cell = cells_of(cells, stage, metric, group)
                    cell = cell[(cell["engine"] == engine) & (cell["noise"] == "none")]
                    if cell.empty:
                        continue
                    x = place + (slot - (len(engines) - 1) / 2) * width
                    ax.bar(
                        x,
                        cell["mean"].iloc[0],
                        width * 0.92,
                        color=COLOURS[number % len(COLOURS)],
                        hatch=HATCHES[number % len(HATCHES)],
                        edgecolor="white",
                        linewidth=0,
                        label=mathless(engine) if place == 0 else None,
                    )
                    _error_bar(ax, x, cell.iloc[0])
            ax.set_ylabel(f"{mathematical(title)}\n(better ↑)")
            ax.set_ylim(0, 1)
            ax.grid(axis="x", visible=False)
        axes[-1].set_xticks(range(len(groups)), ticks)
        handles, labels = axes[0].get_legend_handles_labels()
        legend_below(fig, handles, labels, 4)
        description = caption(fig, cells, notes=notes, more=few)
        return save(fig, folder, name, notes=description)


def tick_name(group: str) -> str:
    """A group's name below its bars, in lines."""
    return "\n".join(textwrap.wrap(mathless(group_label(group)), _TICK_WIDTH)) or " "


def text_width(text: str) -> int:
    """Characters of a text's longest line, and one for the gap to the next text."""
    return 1 + max(len(line) for line in text.splitlines())


def _error_bar(ax: Axes, x: float, cell: pd.Series) -> None:
    if not np.isnan(cell["ci_low"]):
        low, high = max(0.0, cell["ci_low"]), min(1.0, cell["ci_high"])
        ax.vlines(x, low, high, color="#333333", linewidth=1)
