"""Draws the share of right words by confidence: one panel per engine, one line per noise."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd

from ohr.display.labels import mathless
from ohr.figures.style import (
    COLOURS,
    LINES,
    MARKERS,
    columns_for,
    describe,
    figure,
    legend_below,
    panel_grid,
    save,
    series_handles,
)

_COLUMNS = 3
FEW = 30
"""With fewer words a mark is small."""


def reliability_figure(words: pd.DataFrame, folder: Path) -> list[Path]:
    """The reliability diagram; on the diagonal, confidence equals the share of right words.

    Below each panel are the numbers of words.
    """
    from matplotlib.ticker import NullFormatter

    engines = list(dict.fromkeys(words["engine"]))
    noises = list(dict.fromkeys(words["noise"]))
    columns = columns_for(len(engines), _COLUMNS)
    rows = -(-len(engines) // columns)
    width = 3.4 if columns == 1 else 6.9
    with figure(width, 1.0 + rows * (0.6 + 1.35 * width / columns)) as fig:
        panels = panel_grid(fig, len(engines), columns, heights=(1.0, 0.5))
        for (above, below), engine in zip(panels, engines, strict=True):
            above.plot([0, 1], [0, 1], color="#999999", linewidth=0.8)
            for number, noise in enumerate(noises):
                part = words[(words["engine"] == engine) & (words["noise"] == noise)]
                part = part.sort_values("tenth")
                confidence, right = part["confidence"] / part["n"], part["right"] / part["n"]
                colour, mark = COLOURS[number % len(COLOURS)], MARKERS[number % len(MARKERS)]
                line = LINES[number % len(LINES)]
                above.plot(confidence, right, color=colour, linestyle=line)
                few = part["n"] < FEW
                for chosen, size in ((few, 2.0), (~few, 4.5)):
                    above.plot(
                        confidence[chosen], right[chosen], color=colour, marker=mark,
                        markersize=size, linestyle="none",
                    )  # fmt: skip
                below.plot(confidence, part["n"], color=colour, marker=mark, linestyle=line)
            above.set_title(mathless(engine))
            below.set_xlabel("mean confidence")
        above, below = panels[0]
        for ax in (above, below):
            ax.set_xlim(-0.04, 1.04)
        above.set_ylim(-0.04, 1.04)
        above.set_yticks(np.linspace(0, 1, 6))
        below.set_yscale("log")
        below.set_ylim(0.7, 2 * words["n"].max())
        below.yaxis.set_minor_formatter(NullFormatter())
        for place in range(0, len(engines), columns):
            panels[place, 0].set_ylabel("share of words\nthat are right")
            panels[place, 1].set_ylabel("words")
        legend_below(fig, *series_handles(noises), 4)
        notes = [
            "on the diagonal, confidence is right",
            "above it: too low; below it: too high",
            f"small: fewer than {FEW} words",
            "one mark per tenth of confidence; there are no intervals, since the words of a page "
            "are not independent",
        ]
        return save(fig, folder, "reliability", notes=describe(fig, notes))
