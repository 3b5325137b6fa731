"""Rows of dots with intervals, which are compared along one axis."""

from __future__ import annotations

import textwrap
from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING

import pandas as pd

from ohr.display.labels import mathless
from ohr.figures.marks import draw_marks
from ohr.figures.style import COLOURS, MARKERS

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_SPREAD = 0.7
"""Of a row's height: over so much of it the dots of a row are spread."""


def draw_dots(
    ax: Axes,
    rows: Sequence[Hashable],
    cells: pd.DataFrame,
    value: str,
    *,
    number: int = 0,
    of: int = 1,
    ends: tuple[str, str] = ("ci_low", "ci_high"),
) -> None:
    """Draw one dot with its interval per cell, in the row that its column ``row`` names.

    ``number`` is that of the series, ``of`` how many a row has. A column ``hollow`` marks the cells
    whose dot is hollow; without it all are filled.
    """
    colour, mark = COLOURS[number % len(COLOURS)], MARKERS[number % len(MARKERS)]
    for _, cell in cells.iterrows():
        y = rows.index(cell["row"]) + (number - (of - 1) / 2) * _SPREAD / of
        ax.hlines(y, cell[ends[0]], cell[ends[1]], color=colour, alpha=0.6, linewidth=1.2)
        draw_marks(ax, cell[value], y, not cell.get("hollow", False), colour, mark)


def name_rows(axes: Sequence[Axes], names: Sequence[str], width: int) -> None:
    """Name the rows of panels with a common axis, with a thin line between rows.

    Names have lines of ``width`` characters; the first is at the top.
    """
    axes[0].set_yticks(range(len(names)), wrapped(names, width))
    axes[0].set_ylim(len(names) - 0.5, -0.5)
    for ax in axes:
        ax.tick_params(axis="y", length=0)
        ax.grid(axis="y", visible=False)
        for place in range(1, len(names)):
            ax.axhline(place - 0.5, color="#dddddd", linewidth=0.6, zorder=0)


def wrapped(names: Sequence[str], width: int) -> list[str]:
    """Names in lines of at most ``width`` characters, unless a word is longer."""
    return [
        "\n".join(
            line
            for part in name.split("\n")
            for line in textwrap.wrap(mathless(part), width, break_long_words=False) or [" "]
        )
        for name in names
    ]


def height_of_rows(names: Sequence[str], width: int, series: int = 1) -> float:
    """Inches that the rows need for their names and for the dots of ``series``."""
    lines = max(name.count("\n") + 1 for name in wrapped(names, width))
    return len(names) * max(0.15 * lines + 0.1, 0.13 * series + 0.1)
