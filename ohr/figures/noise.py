"""Noise curves and benchmark bars, drawn from cells alone."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd

from ohr.display.labels import (
    mathematical,
    mathless,
    shown_readings,
)
from ohr.figures.axes import (
    caption,
    curve_line,
    kinds_note,
    start_at_zero,
)
from ohr.figures.style import figure, legend_below, save, series_numbers
from ohr.ocr.noise import strength
from ohr.study.output.select import distinct

if TYPE_CHECKING:
    pass


def noise_strength(cells: pd.DataFrame, folder: Path) -> list[Path]:
    """Draw r_noise, content r_noise and edit distance against the requested intensity."""
    engines = [e for e in distinct(cells["engine"]) if _noisy(cells, e)]
    operators = [p for p in distinct(cells["perturbation"]) if p != "none"]
    chosen = cells[(cells["group"] == "all") & (cells["stage"] == "ocr")]
    metrics = shown_readings(chosen)
    if not engines or not metrics or chosen["mean"].isna().all():
        return []
    with figure(0.9 + 2.0 * len(operators), 0.9 + 1.35 * len(metrics)) as fig:
        axes = fig.subplots(len(metrics), len(operators), squeeze=False, sharey="row")
        for column, operator in enumerate(operators):
            own = chosen[chosen["perturbation"].isin([operator, "none"])]
            own, names = _placed(own)
            for number, engine in zip(series_numbers(engines), engines, strict=True):
                of_engine = own[own["engine"] == engine].sort_values("place", kind="stable")
                for row, (_, name, _) in enumerate(metrics):
                    metric_rows = of_engine[of_engine["metric"] == name]
                    curve_line(axes[row, column], metric_rows, "place", number, rises=None)
                    axes[row, column].lines[-1].set_label(mathless(engine))
            axes[0, column].set_title(mathless(operator.replace("_", " ")))
            axes[-1, column].set_xlabel("requested level" if names else "requested intensity")
            for row in range(len(metrics)):
                if names:
                    axes[row, column].set_xticks(range(len(names)), names)
        for row_of_axes, (_, _, title) in zip(axes, metrics, strict=True):
            row_of_axes[0].set_ylabel(mathematical(title))
            start_at_zero(row_of_axes, marks=True)
        handles, labels = axes[0, 0].get_legend_handles_labels()
        legend_below(fig, handles, labels, len(engines))
        description = caption(fig, chosen, more=kinds_note(chosen))
        return save(fig, folder, "noise_strength", notes=description)


def _placed(cells: pd.DataFrame) -> tuple[pd.DataFrame, list[str]]:
    """Add a column ``place``: the intensity, or the rank of levels that share an intensity.

    With ranks, the names of the levels are returned too: a mixture's levels differ in kind.
    """
    keys = cells[["perturbation", "level", "intensity"]].drop_duplicates()
    keys = keys.sort_values("perturbation", key=lambda names: names != "none", kind="stable")
    if not keys["intensity"].duplicated().any():
        return cells.assign(place=cells["intensity"]), []
    names = [
        "clean" if operator == "none" else strength(level, intensity)
        for operator, level, intensity in keys.itertuples(index=False)
    ]
    ranks = {key: rank for rank, key in enumerate(keys.itertuples(index=False, name=None))}
    places = [ranks[key] for key in cells[list(keys.columns)].itertuples(index=False, name=None)]
    return cells.assign(place=places), names


def _noisy(cells: pd.DataFrame, engine: str) -> bool:
    return bool(((cells["engine"] == engine) & (cells["noise"] != "none")).any())
