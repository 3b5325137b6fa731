"""Figure: conditions' mean losses under distortions and under natural noise."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from ohr.display.labels import mathless
from ohr.figures.style import COLOURS, MARKERS, describe, figure, legend_below, save
from ohr.statistics.numbers import prose

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST_PANELS = 4
COLUMNS = 2


def agreement_figure(conditions: pd.DataFrame, ranks: pd.DataFrame, folder: Path) -> list[Path]:
    """Draw one panel per distortion, and one point per condition with intervals over documents.

    ``conditions`` and ``ranks`` are the tables ``by_document`` and ``agreement`` of
    :mod:`ohr.analysis.realism.agreement`. The distortions with the greatest losses are drawn.
    """
    from matplotlib.ticker import MultipleLocator

    worst = ranks.sort_values("loss", ascending=False, kind="stable")["noise"].head(MOST_PANELS)
    noises = [noise for noise in ranks["noise"] if noise in set(worst)]
    shown = conditions[conditions["noise"].isin(noises)]
    engines = list(shown["engine"].unique())
    ends = ["loss", "ci_low", "ci_high", "natural_loss", "natural_ci_low", "natural_ci_high"]
    values = shown[ends].to_numpy(float)
    least, most = min(0.0, np.nanmin(values)), max(0.1, np.nanmax(values))
    margin = 0.03 * (most - least)
    limits = max(-1.0, least) - margin, min(1.0, most) + margin
    lines = -(-len(noises) // COLUMNS)
    columns = min(COLUMNS, len(noises))
    width = 3.4 if len(noises) == 1 else 6.4
    with figure(width, 0.9 + 2.6 * lines + 0.16 * -(-len(engines) // 4)) as fig:
        axes = fig.subplots(lines, columns, squeeze=False, sharex=True, sharey=True).ravel()
        for place, (ax, noise) in enumerate(zip(axes, noises, strict=False)):
            ax.set_title(mathless(_title(ranks, noise)))
            ax.plot(limits, limits, color="#777777", linewidth=0.8, linestyle="--")
            _points(ax, shown[shown["noise"] == noise], engines)
            ax.set_xlim(*limits)
            ax.set_ylim(*limits)
            ax.set_aspect("equal")
            for axis in (ax.xaxis, ax.yaxis):
                axis.set_major_locator(MultipleLocator(0.2))
            ax.tick_params(labelbottom=True)
            if place + columns >= len(noises):
                ax.set_xlabel("mean loss under the distortion")
            if place % columns == 0:
                ax.set_ylabel("mean loss under natural noise")
        for ax in axes[len(noises) :]:
            ax.remove()
        handles, labels = axes[0].get_legend_handles_labels()
        legend_below(fig, handles, labels, 4)
        notes = [
            "points: conditions; bars: 95 % intervals over documents",
            "on the dashed line both losses are equal",
        ]
        if len(ranks) > len(noises):
            notes.append(f"the {len(noises)} of {len(ranks)} distortions that lose most")
        return save(fig, folder, "agreement", notes=describe(fig, notes))


def _title(ranks: pd.DataFrame, noise: str) -> str:
    tau = float(ranks.set_index("noise")["tau_b"][noise])
    return noise if np.isnan(tau) else f"{noise}: tau_b {prose(tau)}"


def _points(ax: Axes, rows: pd.DataFrame, engines: list[str]) -> None:
    for row in rows.to_dict("records"):
        place = engines.index(row["engine"])
        x, y = row["loss"], row["natural_loss"]
        colour = COLOURS[place % len(COLOURS)]
        line: dict[str, Any] = {"color": colour, "linewidth": 0.6, "alpha": 0.35}
        if not np.isnan(row["ci_low"]):
            ax.plot([row["ci_low"], row["ci_high"]], [y, y], **line)
        if not np.isnan(row["natural_ci_low"]):
            ax.plot([x, x], [row["natural_ci_low"], row["natural_ci_high"]], **line)
        ax.plot(
            x,
            y,
            linestyle="",
            marker=MARKERS[place // len(COLOURS) % len(MARKERS)],
            color=colour,
            label=mathless(row["engine"]),
        )
