"""Figure: routes from pages to answers against the noise of an OCR engine."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from ohr.display.labels import mathematical, mathless
from ohr.display.notes import Notes
from ohr.figures.axes import (
    MEANS_ALONE,
    axis_label,
    caption,
    curve_line,
    kinds_note,
    room_at_zero,
    sort_cells,
    start_at_zero,
)
from ohr.figures.style import columns_for, figure, legend_below, panel_grid, save, series_handles
from ohr.metrics.labels import stage_label
from ohr.study.output.select import distinct

_COLUMNS = 3


def routes_figure(
    points: pd.DataFrame,
    cells: pd.DataFrame,
    folder: Path,
    axis: str = "r_noise",
    notes: Notes | None = None,
) -> list[Path]:
    """Draw overall F1 of each route: against measured noise above, against intensity below.

    One pair of panels per operator; ``cells`` are for the caption.
    """
    operators = [name for name in distinct(points["perturbation"]) if name != "none"]
    if not operators or points[axis].isna().all():
        return []
    names = distinct(points["route"])
    columns = columns_for(len(operators), _COLUMNS)
    rows = -(-len(operators) // columns)
    with figure(3.4 if columns == 1 else 6.9, 0.9 + 3.4 * rows) as fig:
        panels = panel_grid(fig, len(operators), columns, heights=(1.0, 1.0))
        for (above, below), operator in zip(panels, operators, strict=True):
            own = points[points["perturbation"].isin(["none", operator])]
            for number, name in enumerate(names):
                route = sort_cells(own[own["route"] == name])
                curve_line(above, route, axis, number)
                curve_line(below, route, "intensity", number, rises=None)
            above.set_title(mathless(operator.replace("_", " ")))
            above.set_xlabel(f"{axis_label(axis, cells)} of {mathless(_engine(points))}")
            below.set_xlabel("intensity")
        for place in range(0, len(operators), columns):
            for ax in panels[place]:
                ax.set_ylabel(f"{mathematical(stage_label('overall', 'F1'))}\n(better ↑)")
        start_at_zero(list(panels.flat), marks=True)
        room_at_zero(list(panels[:, 0]))
        room_at_zero(list(panels[:, 1]))
        legend_below(fig, *series_handles(names), 2)
        of_engine = cells[cells["engine"] == _engine(points)]
        more = [f"all routes see the pages that {_engine(points)} reads"]
        more += [MEANS_ALONE.format("routes"), *kinds_note(of_engine)]
        description = caption(fig, of_engine, notes=notes, more=more)
        return save(fig, folder, "routes", notes=description)


def _engine(points: pd.DataFrame) -> str:
    return str(points["engine"].iloc[0])
