"""Draws what routing costs and brings: re-read pages by threshold, and error by seconds."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from ohr.adviser.routes.table import ROUTED, Pair
from ohr.display.labels import mathless
from ohr.figures.style import COLOURS, LINES, MARKERS, describe, figure, legend_below, save

_TITLES = {"predicted_error": "predicted", "true_error": "true"}


def routes_figure(table: pd.DataFrame, pair: Pair, threshold: float, folder: Path) -> list[Path]:
    """The curve in two panels; the threshold that was chosen is marked. ``table`` is the curve."""
    routed = table[table["rule"] == ROUTED].sort_values("threshold")
    drawn = [name for name in _TITLES if routed[name].notna().any()]
    chosen = routed[routed["threshold"] <= threshold].tail(1)
    with figure(6.9, 2.9) as fig:
        left_side, right = fig.subplots(1, 2)
        left_side.step(routed["threshold"], routed["reread"], where="post", color=COLOURS[0])
        left_side.axvline(threshold, color="#888888", linewidth=0.8)
        left_side.set_xlabel("threshold of the predicted error")
        left_side.set_ylabel("share of pages re-read")
        left_side.set_xlim(
            0, max(1.1 * threshold, 1.1 * float(routed["threshold"].iloc[-2:].min()))
        )
        for place, name in enumerate(drawn):
            colour = COLOURS[place]
            right.plot(
                routed["seconds"],
                routed[name],
                color=colour,
                linestyle=LINES[place],
                label=f"routed, {_TITLES[name]}",
            )
            right.plot(chosen["seconds"], chosen[name], color=colour, marker="*", markersize=9)
            for number, engine in enumerate((pair.fast, pair.slow)):
                every = table[table["rule"] == engine]
                right.plot(
                    every["seconds"],
                    every[name],
                    color=colour,
                    marker=MARKERS[number],
                    linestyle="none",
                    label=mathless(f"{engine} on every page, {_TITLES[name]}"),
                )
        right.set_xlabel("seconds per page")
        right.set_ylabel("mean error")
        right.set_ylim(bottom=0)
        handles, labels = right.get_legend_handles_labels()
        legend_below(fig, handles, labels, 3)
        n_true = int(table["n_true"].max())
        notes = describe(
            fig,
            [
                f"{int(table['n_predicted'].max())} pages without a usable text layer",
                f"line and star: threshold {threshold:.3f}",
                f"{pair.fast} reads every page first, and its seconds count",
                f"true errors: {n_true} pages" if n_true else "",
                "error: edit distance without mark-up, lower is better",
            ],
        )
        return save(fig, folder, "routes_curve", notes=notes)
