"""The paper's figure S2: the distribution of pages' edit distances at each level."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd

from ohr.analysis.realism.table import NATURAL, QUARTILES
from ohr.display.labels import mathless
from ohr.figures.style import COLOURS, describe, figure, save


def distance_figure(pages: pd.DataFrame, folder: Path, *, paired: bool = False) -> list[Path]:
    """Draw one panel per engine: pages as points, quartiles as boxes, one row per kind of noise.

    ``paired`` says that natural and distorted pages are the same.
    """
    engines = list(pages["engine"].unique())
    kinds = list(dict.fromkeys(pages["noise"]))
    scatter = np.random.default_rng(0)
    with figure(1.6 + 3.6 * len(engines), 1.0 + 0.55 * len(kinds)) as fig:
        axes = fig.subplots(1, len(engines), squeeze=False, sharey=True, sharex=True)[0]
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
            ax.set_xlabel("edit distance of a page")
            ax.set_xlim(0, 1)
            ax.set_yticks(range(len(kinds)), [mathless(kind) for kind in kinds])
            ax.grid(axis="y", visible=False)
        axes[0].invert_yaxis()
        notes = ["points: pages; boxes: quartiles and median"]
        if NATURAL in kinds:
            notes.append("the same pages" if paired else "natural and distorted pages differ")
        return save(fig, folder, "realism", notes=describe(fig, notes))
