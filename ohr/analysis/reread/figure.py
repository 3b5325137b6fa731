"""Draws the share of the lost answers that each order of the pages wins back."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd

from ohr.analysis.reread.table import ANSWERS, RANDOM, REACHED, WORST
from ohr.figures.ends import name_curves
from ohr.figures.style import COLOURS, MARKERS, describe, figure, save


def draw_orders(orders: pd.DataFrame, folder: Path) -> list[Path]:
    """One line per order, from no page to the most; nothing where nothing can be said.

    The oracle, which also leaves out pages that win nothing, is not drawn.
    """
    if orders["won_back"].isna().any():
        return []
    with figure(5.2, 3.4) as fig:
        ax = fig.subplots()
        for number, name in enumerate((ANSWERS, REACHED, WORST, RANDOM)):
            rows = orders[orders["order"] == name].sort_values("pages_read")
            x = [0.0, *(100 * rows["pages_read"])]
            y = [0.0, *(100 * rows["won_back"])]
            ax.plot(x, y, color=COLOURS[number], marker=MARKERS[number], markersize=5, label=name)
            if name in (ANSWERS, WORST):
                low, high = 100 * rows["won_back_ci_low"], 100 * rows["won_back_ci_high"]
                ax.vlines(x[1:], low, high, color=COLOURS[number], alpha=0.5, linewidth=1.2)
        ax.axhline(0, color="#bbbbbb", linewidth=0.8)
        ax.set(xlabel="pages read again (%)", ylabel="lost answers won back (%)")
        ax.set_xlim(0, None)
        name_curves(fig, np.array([[ax]]))
        text = "on questions that the order did not count; bars: 95 % intervals over documents"
        return save(fig, folder, "reread", notes=describe(fig, [text]))
