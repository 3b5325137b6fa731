"""Draws each kind's share of the wrong characters against its share of the loss."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd

from ohr.analysis.error_kinds.table import NAMES, TITLES
from ohr.display.wording import is_shown
from ohr.figures.marks import HOLLOW, draw_marks
from ohr.figures.style import COLOURS, describe, figure, save

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LINES = 15
"""Labels that fit above each other in a panel."""
HEIGHT = 3.2
LEAST = 0.02
"""A kind with a smaller share of the characters and of the loss has no point."""


def draw_kinds(
    kinds: pd.DataFrame, losses: pd.DataFrame, folder: Path, notes: Sequence[str] = ()
) -> list[Path]:
    """One panel per score whose loss is not 0: kinds on the line cost what their characters are.

    Nothing is drawn if no loss is shown.
    """
    characters = kinds.set_index("kind")["share_of_characters"]
    drawn = losses[(losses["group"] == "all") & losses["share"].notna()]
    outcomes = [name for name in TITLES if (drawn["outcome"] == name).any()]
    if not outcomes:
        return []
    with figure(0.4 + 2.6 * len(outcomes), HEIGHT) as fig:
        axes = fig.subplots(1, len(outcomes), squeeze=False, sharex=True)[0]
        for ax, outcome in zip(axes, outcomes, strict=True):
            rows = drawn[drawn["outcome"] == outcome].set_index("kind")
            rows = rows[(rows["share"].abs() >= LEAST) | (characters[rows.index] >= LEAST)]
            _panel(ax, rows, characters[rows.index])
            ax.set_title(f"loss of {TITLES[outcome]}")
        axes[0].set_ylabel("share of the loss (%)")
        fig.supxlabel("share of the wrong characters (%)", fontsize="medium")
        line = "on the line, a kind costs what it weighs"
        parts = [HOLLOW, *notes, "95 % intervals", line]
        return save(fig, folder, "error_kinds", notes=describe(fig, parts))


def _panel(ax: Axes, rows: pd.DataFrame, characters: pd.Series) -> None:
    x, y = 100 * characters.to_numpy(float), 100 * rows["share"].to_numpy(float)
    low, high = 100 * rows["share_ci_low"], 100 * rows["share_ci_high"]
    widest = float(x.max())
    # As far as there are points: names stand on the right.
    ax.plot([0, widest], [0, widest], color="#777777", linewidth=0.8, linestyle="--")
    ax.plot([-widest, widest], [0, 0], color="#bbbbbb", linewidth=0.8)
    ax.vlines(x, low, high, COLOURS[0], linewidth=0.8, alpha=0.6)
    draw_marks(ax, x, y, rows["loss_p"].map(is_shown), COLOURS[0], markersize=4)
    bottom, top = min(low.min(), 0.0), max(high.max(), 0.0)
    ax.set_ylim(bottom - 0.05 * (top - bottom), top + 0.05 * (top - bottom))
    ax.set_xlim(-0.08 * widest, 2.3 * widest)
    ax.set_xticks([tick for tick in ax.get_xticks() if 0 <= tick <= widest])
    _label(ax, sorted(zip(y, x, rows.index, strict=True)), 1.25 * widest, (bottom, top))


def _label(
    ax: Axes, points: Sequence[tuple[float, float, str]], column: float, ends: tuple[float, float]
) -> None:
    """Names in a column beside the points, in their order, each with a line to its point."""
    bottom, top = ends
    gap = (top - bottom) / LINES
    heights: list[float] = []
    for y, _, _ in points:
        heights.append(max(y, heights[-1] + gap) if heights else y)
    for number in range(len(heights) - 1, -1, -1):  # down again from the upper end
        most = top if number == len(heights) - 1 else heights[number + 1] - gap
        heights[number] = min(heights[number], most)
    for (y, x, kind), height in zip(points, heights, strict=True):
        ax.annotate(
            NAMES[kind],
            (x, y),
            xytext=(column, height),
            fontsize="small",
            va="center",
            arrowprops={
                "arrowstyle": "-", "linewidth": 0.4, "color": "#777777", "shrinkA": 1, "shrinkB": 3,
                "relpos": (0, 0.5), "alpha": 0.7,
            },
        )  # fmt: skip
