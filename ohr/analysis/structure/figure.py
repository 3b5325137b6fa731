"""Figure: what noise leaves of documents' outlines, against measured noise."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from ohr.display.labels import interval_units, mathless
from ohr.figures.axes import curve_line, curve_of, kinds_note, room_at_zero
from ohr.figures.ends import name_curves
from ohr.figures.style import describe, figure, save
from ohr.study.output.select import distinct

TITLES = {
    "heading_recall": "headings found",
    "heading_precision": "headings right",
    "parent_agreement": "same parent",
    "section_overlap": "overlap of sections",
    "table_recall": "tables found",
    "table_precision": "tables right",
    "caption_recall": "captions found",
    "caption_precision": "captions right",
    "tree_distance": "tree distance",
}
"""The title of each metric in tables and figures."""
_COLUMNS = 3


def structure_figure(summary: pd.DataFrame, folder: Path) -> list[Path]:
    """Draw one panel per metric, one line per engine and noise; nothing without r_noise.

    ``summary`` is that of :func:`ohr.analysis.structure.table.summarise_structure`.
    """
    is_known = summary[summary["r_noise"].notna()].assign(noise=summary["perturbation"])
    if is_known.empty:
        return []
    rows = -(-len(TITLES) // _COLUMNS)
    with figure(2.3 * _COLUMNS, 0.9 + 1.5 * rows) as fig:
        axes = fig.subplots(rows, _COLUMNS, sharex=True)
        for ax, (measure, title) in zip(axes.flat, TITLES.items(), strict=True):
            of_measure = is_known[is_known["measure"] == measure]
            for number, (engine, operator) in enumerate(_lines(is_known)):
                curve = curve_of(of_measure, engine, operator)
                curve_line(ax, curve, "r_noise", number, rises=measure == "tree_distance")
                name = engine if operator == "none" else f"{engine}, {operator.replace('_', ' ')}"
                ax.lines[-1].set_label(mathless(name))
            ax.set_title(title)
            ax.set_ylim(-0.03, 1.05)
        for ax in axes[-1]:
            ax.set_xlabel("measured $r_{noise}$")
        room_at_zero(axes.flat)
        name_curves(fig, axes)
        units = interval_units(is_known["ci_unit"])
        notes = [
            f"means over {is_known['n'].max()} documents",
            *([f"bars: 95 % intervals for further {units}"] if units else []),
            "tree distance: less is better",
            *kinds_note(is_known),
        ]
        return save(fig, folder, "structure", notes=describe(fig, notes))


def _lines(summary: pd.DataFrame) -> list[tuple[str, str]]:
    """Engine and noise of each line; an engine with only clean pages has its own line."""
    pairs = []
    for engine in distinct(summary["engine"]):
        operators = distinct(summary[summary["engine"] == engine]["perturbation"])
        noisy = [operator for operator in operators if operator != "none"]
        pairs += [(engine, operator) for operator in noisy or ["none"]]
    return pairs
