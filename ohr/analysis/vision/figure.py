"""Figure: routes from pages to answers against the noise of an OCR engine."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from ohr.display.labels import mathless
from ohr.display.notes import Notes
from ohr.figures.axes import (
    axis_label,
    caption,
    curve_line,
    from_zero,
    in_order,
    kinds_note,
    room_at_zero,
)
from ohr.figures.level_names import name_level, place_names
from ohr.figures.style import figure, save
from ohr.ocr.noise import strength
from ohr.study.output.select import distinct


def routes_figure(
    points: pd.DataFrame,
    cells: pd.DataFrame,
    folder: Path,
    axis: str = "r_noise",
    notes: Notes | None = None,
) -> list[Path]:
    """Draw overall F1 of each route: against measured noise above, against intensity below.

    One column per operator; ``cells`` are for the caption.
    """
    operators = [name for name in distinct(points["perturbation"]) if name != "none"]
    if not operators or points[axis].isna().all():
        return []
    with figure(0.9 + 2.6 * len(operators), 4.2) as fig:
        axes = fig.subplots(2, len(operators), squeeze=False, sharey=True)
        for column, operator in enumerate(operators):
            own = points[points["perturbation"].isin(["none", operator])]
            for number, name in enumerate(distinct(points["route"])):
                route = in_order(own[own["route"] == name])
                colour = curve_line(axes[0, column], route, axis, number)
                axes[0, column].lines[-1].set_label(mathless(name))
                curve_line(axes[1, column], route, "intensity", number, rises=None)
                if number == 0:
                    for _, cell in route[route["perturbation"] == operator].iterrows():
                        at = (cell[axis], cell["mean"])
                        name_level(
                            axes[0, column], strength(cell["level"], cell["intensity"]), at, colour
                        )
            axes[0, column].set_title(mathless(operator.replace("_", " ")))
            axes[0, column].set_xlabel(f"{axis_label(axis)} of {mathless(_engine(points))}")
            axes[1, column].set_xlabel("intensity")
        for row in axes:
            row[0].set_ylabel("Overall F1")
            from_zero(row, marks=True)
            room_at_zero(row)
        fig.legend(*axes[0, 0].get_legend_handles_labels(), loc="outside lower center", ncols=2)
        of_engine = cells[cells["engine"] == _engine(points)]
        more = [f"all routes see the pages that {_engine(points)} reads", *kinds_note(of_engine)]
        description = caption(fig, of_engine, notes=notes, more=more)
        place_names(fig)
        return save(fig, folder, "routes", notes=description)


def _engine(points: pd.DataFrame) -> str:
    return str(points["engine"].iloc[0])
