"""How well each measure of reading predicts each outcome."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd

from experiments.analysis.labels import interval_units, mathematical
from experiments.analysis.notes import Notes, answerers, note_lines
from experiments.analysis.predictiveness import CORRELATIONS, WITHIN, outcomes_of
from experiments.figures.style import COLOURS, MARKERS, figure, save, wrapped

if TYPE_CHECKING:
    from matplotlib.axes import Axes

COLUMNS = 4
STEP = 0.24
"""Between the marks of one measure."""


def correlations_figure(
    table: pd.DataFrame, folder: Path, notes: Notes | None = None
) -> list[Path]:
    """A panel an outcome, a row a measure, a mark a kind of correlation, with its interval.

    ``table`` is that of :func:`experiments.analysis.predictiveness.predictiveness`; shown are all
    questions under all conditions, the measures that predict best on top.
    """
    from matplotlib.ticker import MultipleLocator

    chosen = table[(table["group"] == "all") & (table["conditions"] == "all")]
    within = chosen[chosen["correlation"] == WITHIN]
    order = list(within.groupby("measure_title")["rho"].mean().sort_values().index)
    panels = list(outcomes_of(chosen))
    columns = min(COLUMNS, len(panels))
    rows = -(-len(panels) // columns)
    with figure(2.0 + 2.7 * columns, 1.1 + rows * (0.7 + 0.34 * len(order))) as fig:
        grid = fig.subplots(rows, columns, squeeze=False, sharex=True, sharey=True)
        axes = list(grid.flat)
        for ax, (label, outcome) in zip(axes, panels, strict=False):
            _panel(ax, outcome, order)
            ax.set_title(wrapped(label, 2.2), fontsize=8)
        for ax in axes[len(panels) :]:
            ax.set_visible(False)
        for ax in axes[max(0, len(panels) - columns) : len(panels)]:
            ax.tick_params(labelbottom=True)
            ax.set_xlabel("rank correlation")
        axes[0].set_yticks(range(len(order)), [mathematical(name) for name in order])
        least = chosen[["rho", "rho_ci_low"]].min().min()
        axes[0].xaxis.set_major_locator(MultipleLocator(0.5))
        axes[0].set_xlim(max(-1.05, min(-0.1, least - 0.05)), 1.05)
        fig.legend(*axes[0].get_legend_handles_labels(), loc="outside lower center", ncols=3)
        text = wrapped("; ".join(_caption(chosen, notes)), fig.get_figwidth())
        fig.suptitle(text, fontsize=8, color="#444444")
        return save(fig, folder, "predictiveness")


def _caption(chosen: pd.DataFrame, notes: Notes | None) -> list[str]:
    units = interval_units(chosen["ci_unit"])
    return [
        "Spearman's correlation of damage and loss",
        f"{chosen['n_questions'].max()} questions; noisy conditions: "
        f"{chosen['n_conditions'].max()}",
        "damage: how much worse the page of the evidence was read than without noise",
        "loss: what the question's score fell by",
        *([f"bars: 95 % intervals for further {units}"] if units else []),
        *note_lines(answerers(chosen), notes),
    ]


def _panel(ax: Axes, outcome: pd.DataFrame, order: list[str]) -> None:
    ax.axvline(0, color="#777777", linewidth=0.8)
    several = outcome["n_conditions"].max() > 1  # of one, within it is as pooled
    drawn = CORRELATIONS if several else CORRELATIONS[:1]
    for number, correlation in enumerate(drawn):
        known = outcome[(outcome["correlation"] == correlation) & outcome["rho"].notna()]
        places = [
            order.index(name) + STEP * ((len(drawn) - 1) / 2 - number)
            for name in known["measure_title"]
        ]
        bars = known["rho_ci_low"].notna().to_numpy()
        at = [place for place, has in zip(places, bars, strict=True) if has]
        colour = COLOURS[number]
        ax.hlines(
            at, known["rho_ci_low"][bars], known["rho_ci_high"][bars], color=colour, linewidth=1.2
        )
        ax.plot(
            known["rho"],
            places,
            color=colour,
            marker=MARKERS[number],
            linestyle="",
            markersize=4.5,
            label=correlation if correlation == "pooled" else f"{correlation} conditions",
        )
    ax.grid(axis="y", visible=False)
