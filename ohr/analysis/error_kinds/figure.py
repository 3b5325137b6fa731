"""Draws each kind's share of the wrong characters against its share of the loss."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd

from ohr.analysis.error_kinds.table import NAMES
from ohr.figures.style import COLOURS, describe, figure, save

if TYPE_CHECKING:
    from matplotlib.axes import Axes

PANELS = {
    "retrieval:lcs": "retrieval LCS",
    "generation:f1": "F1 with the gold pages",
    "overall:f1": "overall F1",
}


def draw_kinds(
    kinds: pd.DataFrame, losses: pd.DataFrame, folder: Path, notes: Sequence[str] = ()
) -> list[Path]:
    """One panel per score: kinds on the diagonal cost as much as their characters."""
    shares = kinds.set_index("kind")["share_of_characters"]
    drawn = losses[(losses["group"] == "all") & losses["share"].notna()]
    outcomes = [name for name in PANELS if (drawn["outcome"] == name).any()]
    if not outcomes:
        return []
    with figure(3.4 * len(outcomes) if len(outcomes) < 3 else 6.9, 3.3) as fig:
        axes = fig.subplots(1, len(outcomes), squeeze=False, sharex=True, sharey=True)[0]
        for ax, outcome in zip(axes, outcomes, strict=True):
            _panel(ax, drawn[drawn["outcome"] == outcome], shares)
            ax.set_title(f"loss of {PANELS[outcome]}")
        axes[0].set_ylabel("share of the loss (%)")
        fig.supxlabel("share of the wrong characters (%)", fontsize="medium")
        return save(fig, folder, "error_kinds", notes=describe(fig, notes))


def _panel(ax: Axes, rows: pd.DataFrame, shares: pd.Series) -> None:
    points = [
        (100 * float(shares[row["kind"]]), 100 * row["share"], NAMES[row["kind"]])
        for row in rows.to_dict("records")
    ]
    ax.axline((0, 0), slope=1, color="#999999", linewidth=0.8, linestyle="--")
    ax.axhline(0, color="#cccccc", linewidth=0.8)
    for row in rows.to_dict("records"):
        low, high = row["share_ci_low"], row["share_ci_high"]
        if pd.notna(low):
            x = 100 * float(shares[row["kind"]])
            ax.vlines(x, 100 * low, 100 * high, COLOURS[0], linewidth=0.8, alpha=0.5)
    ax.plot([x for x, _, _ in points], [y for _, y, _ in points], "o", color=COLOURS[0], ms=4)
    top = max(y for _, y, _ in points)
    bottom = min(y for _, y, _ in points)
    gap = (top - bottom) / 18 or 1.0
    previous = -1e9
    for x, y, name in sorted(points, key=lambda point: point[1]):
        height = max(y, previous + gap)
        previous = height
        ax.annotate(
            name,
            (x, y),
            xytext=(max(s[0] for s in points) * 0.05 + x, height),
            fontsize="x-small",
            va="center",
            arrowprops={"arrowstyle": "-", "linewidth": 0.4, "color": "#777777"},
        )
