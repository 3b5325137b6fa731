"""Figure: how well each OCR metric predicts each outcome."""

from __future__ import annotations

import textwrap
from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd

from ohr.analysis.predictiveness.damage import SETTING
from ohr.analysis.predictiveness.predictors import CORRELATIONS, WITHIN
from ohr.analysis.predictiveness.table import outcomes_of
from ohr.display.labels import interval_units, mathematical, mathless
from ohr.display.notes import Notes, answerers, note_lines
from ohr.figures.style import COLOURS, MARKERS, columns_for, describe, figure, save

if TYPE_CHECKING:
    from matplotlib.axes import Axes

COLUMNS = 3
STEP = 0.24
"""Distance between the marks of one metric."""


SHARED = "#999999"
"""Colour of what shares part of its outcome's definition."""


def correlations_figure(
    table: pd.DataFrame, folder: Path, notes: Notes | None = None
) -> list[Path]:
    """Draw one panel per outcome, one row per metric, one mark per kind of correlation.

    ``table`` is that of :func:`ohr.analysis.predictiveness.table.predictiveness`; shown are all
    questions under all conditions, the best predictors on top. Grey marks: the
    metric shares part of the outcome's definition.
    """
    from matplotlib.ticker import MultipleLocator

    chosen = table[(table["group"] == "all") & (table["conditions"] == "all")]
    within = chosen[chosen["correlation"] == WITHIN]
    order = _order(within)
    outcomes = list(outcomes_of(chosen))
    panels = [(label, outcome) for label, outcome in outcomes if outcome["rho"].notna().any()]
    if not panels:
        return []
    left_out = [label for label, outcome in outcomes if outcome["rho"].isna().all()]
    columns = columns_for(len(panels), COLUMNS)
    rows = -(-len(panels) // columns)
    with figure(1.5 + 1.8 * columns, 0.9 + rows * (0.6 + 0.24 * len(order))) as fig:
        grid = fig.subplots(rows, columns, squeeze=False, sharex=True, sharey=True)
        axes = list(grid.flat)
        for ax, (label, outcome) in zip(axes, panels, strict=False):
            _panel(ax, outcome, order)
            ax.set_title("\n".join(textwrap.wrap(mathless(label), 26)))
        for ax in axes[len(panels) :]:
            ax.set_visible(False)
        for ax in axes[max(0, len(panels) - columns) : len(panels)]:
            ax.tick_params(labelbottom=True)
            ax.set_xlabel("rank correlation")
        axes[0].set_yticks(range(len(order)), [mathematical(name) for name in order])
        least = chosen[["rho", "rho_ci_low"]].min().min()
        axes[0].xaxis.set_major_locator(MultipleLocator(0.5))
        axes[0].set_xlim(max(-1.05, min(-0.1, least - 0.05)), 1.05)
        handles, labels = axes[0].get_legend_handles_labels()
        named = dict(zip(reversed(labels), reversed(handles), strict=True))  # coloured before grey
        drawn = list(dict.fromkeys(labels))
        fig.legend([named[label] for label in drawn], drawn, loc="outside lower center", ncols=3)
        description = describe(fig, _caption(chosen, notes))
        if left_out:
            description.append(
                f"Not drawn, since no correlation can be computed: {'; '.join(left_out)}."
            )
        return save(fig, folder, "predictiveness", notes=description)


def _order(within: pd.DataFrame) -> list[str]:
    """The metrics, the best last, by outcomes whose definition no metric shares, if any."""
    shared = within.groupby(["title", *SETTING])["overlaps"].transform("any").astype(bool)
    counted = within if shared.all() else within[~shared]
    means = counted.groupby("measure_title")["rho"].mean()
    titles = within["measure_title"].drop_duplicates()
    return list(means.reindex(titles).sort_values(na_position="first").index)


def _caption(chosen: pd.DataFrame, notes: Notes | None) -> list[str]:
    units = interval_units(chosen["ci_unit"])
    return [
        "Spearman's correlation of damage and loss",
        f"{chosen['n_questions'].max():,} questions; noisy conditions: "
        f"{chosen['n_conditions'].max()}",
        "damage: how much worse the metric is for the evidence page than without noise",
        "loss: how much the question's score falls",
        *([f"bars: 95 % intervals for further {units}"] if units else []),
        *(
            ["grey, dotted: shares part of the outcome's definition"]
            if chosen["overlaps"].any()
            else []
        ),
        *note_lines(answerers(chosen), notes),
    ]


def _panel(ax: Axes, outcome: pd.DataFrame, order: list[str]) -> None:
    ax.axvline(0, color="#777777", linewidth=0.8)
    several = outcome["n_conditions"].max() > 1  # with one condition, within equals pooled
    drawn = CORRELATIONS if several else CORRELATIONS[:1]
    for number, correlation in enumerate(drawn):
        is_known = outcome[(outcome["correlation"] == correlation) & outcome["rho"].notna()]
        for overlaps in (False, True):
            _marks(
                ax, is_known[is_known["overlaps"] == overlaps], order, number, len(drawn), overlaps
            )
    ax.grid(axis="y", visible=False)


def _marks(
    ax: Axes, known_values: pd.DataFrame, order: list[str], number: int, count: int, overlaps: bool
) -> None:
    """The marks of one kind of correlation, ``number`` of ``count``; grey where they overlap."""
    if known_values.empty:
        return
    places = [
        order.index(name) + STEP * ((count - 1) / 2 - number)
        for name in known_values["measure_title"]
    ]
    bars = known_values["rho_ci_low"].notna().to_numpy()
    position = [place for place, has in zip(places, bars, strict=True) if has]
    colour = SHARED if overlaps else COLOURS[number]
    correlation = known_values["correlation"].iloc[0]
    ax.hlines(
        *(position, known_values["rho_ci_low"][bars], known_values["rho_ci_high"][bars]),
        color=colour,
        linewidth=1.2,
        linestyles="dotted" if overlaps else "solid",
    )
    ax.plot(
        known_values["rho"],
        places,
        color=colour,
        marker=MARKERS[number],
        markerfacecolor=colour,
        linestyle="",
        markersize=4.5,
        label=correlation if correlation == "pooled" else f"{correlation} conditions",
    )
