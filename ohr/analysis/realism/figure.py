"""The paper's figure S2: the distribution of pages' edit distances at each level."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd

from ohr.analysis.realism.table import NATURAL, QUARTILES
from ohr.display.labels import mathless
from ohr.figures.dots import height_of_rows, name_rows
from ohr.figures.style import COLOURS, columns_for, describe, figure, panel_grid, save

_NAME = 24
"""Characters per line of a row's name."""
_COLUMNS = 3


def distance_figure(pages: pd.DataFrame, folder: Path, *, paired: bool = False) -> list[Path]:
    """Draw one panel per engine: pages as points, quartiles as boxes, one row per kind of noise.

    ``paired`` says that natural and distorted pages are the same.
    """
    engines = list(pages["engine"].unique())
    kinds = list(dict.fromkeys(pages["noise"]))
    names = [f"{kind}\n{_n(pages, kind)}" for kind in kinds]
    scatter = np.random.default_rng(0)
    columns = columns_for(len(engines), _COLUMNS)
    rows = -(-len(engines) // columns)
    height = height_of_rows(names, _NAME)
    with figure(4.4 if len(engines) == 1 else 6.9, 0.6 + rows * (height + 0.5)) as fig:
        axes = panel_grid(fig, len(engines), columns)[:, 0]
        for ax, engine in zip(axes, engines, strict=True):
            for place, kind in enumerate(kinds):
                of_kind = pages[(pages["engine"] == engine) & (pages["noise"] == kind)]
                values = of_kind["value"].to_numpy()
                if not len(values):
                    continue
                ax.scatter(
                    values,
                    place + scatter.uniform(-0.18, 0.18, len(values)),
                    s=7,
                    alpha=0.5,
                    linewidths=0,
                    color=COLOURS[1] if kind == NATURAL else COLOURS[0],
                )
                low, middle, high = np.quantile(values, QUARTILES)
                ax.hlines([place + 0.3, place - 0.3], low, high, color="#333333", linewidth=1)
                ax.vlines([low, high], place - 0.3, place + 0.3, color="#333333", linewidth=1)
                ax.vlines(middle, place - 0.3, place + 0.3, color="#000000", linewidth=2.2)
            ax.set_title(mathless(engine))
        for ax in axes[-columns:]:
            ax.set_xlabel("edit distance of a page\n(better ←)")
        name_rows(list(axes), names, _NAME)
        axes[0].set_xlim(-0.03, 1.03)
        notes = ["points: pages; boxes: quartiles and median"]
        if NATURAL in kinds:
            notes.append("the same pages" if paired else "natural and distorted pages differ")
        return save(fig, folder, "realism", notes=describe(fig, notes))


def _n(pages: pd.DataFrame, kind: str) -> str:
    """The number of points of a kind: ``n = 60``, or the least and the most of the engines."""
    counts = pages[pages["noise"] == kind]["engine"].value_counts()
    counts = counts[counts > 0]
    least, most = int(counts.min()), int(counts.max())
    return f"n = {most}" if least == most else f"n = {least} to {most}"
