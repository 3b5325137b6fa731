"""Common parts of figures of cells: axes, captions, lines and hatches."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from ohr.display.labels import group_label, interval_units, mathematical, noise_title
from ohr.display.notes import Notes, answerers, note_lines
from ohr.display.settings import Setting, setting_names, settings_of
from ohr.display.wording import ALPHA
from ohr.figures.marks import HOLLOW, draw_marks
from ohr.figures.style import COLOURS, LINES, MARKERS, describe
from ohr.statistics.loss_curves import GRID, rising_line
from ohr.study.baselines import baselines_line
from ohr.study.notices.truth import truth_note, truth_of
from ohr.study.output.select import distinct

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MEANS_ALONE = "intervals of means do not show whether two {} differ: their paired difference does"
"""A note of figures whose bars are intervals of means, for the noun of what is compared."""
FEWEST_QUESTIONS = 20
FEWEST_DOCUMENTS = 6
"""Groups with fewer are named, not drawn: with five documents no change can be significant."""
_DISTANCES = ("edit_distance", "cer", "wer")
HATCHES = ("", "///", "...", "\\\\\\", "xxx")


def axis_label(metric: str, cells: pd.DataFrame | None = None) -> str:
    """The label of an axis of damage."""
    return mathematical(noise_title(metric, cells))


def each_setting(cells: pd.DataFrame, name: str) -> Iterator[tuple[Setting, str]]:
    """Each setting of the cells, and the name of its figure.

    The first figure has the name itself; those of other settings are named like
    ``<name>_2_dense_extractive``.
    """
    for number, setting in enumerate(settings_of(cells), start=1):
        yield setting, setting_file(name, setting, number)


def setting_file(name: str, setting: Setting, number: int) -> str:
    """The name of a setting's figure; ``number`` counts settings from 1."""
    words = re.sub(r"[^A-Za-z0-9.]+", "-", str(setting)).strip("-.")[:80]
    return name if number == 1 else f"{name}_{number}_{words}"


def questions_of(cells: pd.DataFrame, group: str) -> int:
    """The number of questions of a group, whether or not a metric applies to all."""
    of_group = cells[cells["group"] == group]
    of_questions = of_group[(of_group["metric"] == "r_noise") | (of_group["stage"] != "ocr")]
    return int((of_questions if len(of_questions) else of_group)["n"].max())


def curve_of(cells: pd.DataFrame, engine: str, operator: str) -> pd.DataFrame:
    """The cells of one engine, clean and under one operator, in the order of the curve."""
    return sort_cells(
        cells[(cells["engine"] == engine) & cells["perturbation"].isin([operator, "none"])]
    )


def sort_cells(cells: pd.DataFrame) -> pd.DataFrame:
    """Cells in the order of a curve: clean first, then by intensity."""
    return cells.sort_values(["intensity", "noise"], kind="stable")


def dotted_line(ax: Axes, cells: pd.DataFrame, x: str, number: int) -> None:
    """Draw a metric without mark-up, beside that of the whole text."""
    if (cells["noise"] == "formatting").any():
        ax.plot(
            cells[x],
            cells["mean"],
            color=COLOURS[number % len(COLOURS)],
            linestyle=":",
            linewidth=1.2,
            marker=".",
            label="mark-up left out" if number == 0 else None,
        )


def curve_line(
    ax: Axes, cells: pd.DataFrame, x: str, number: int, *, rises: bool | None = False
) -> str:
    """Draw the means of a curve with their intervals, and a monotone fit; returns the colour.

    The first cell is where the curve starts; the fit falls, or ``rises``, from there. If it is
    None, the marks are joined instead. Hollow marks are changes that are not shown, for cells with
    paired intervals.
    """
    colour, mark = COLOURS[number % len(COLOURS)], MARKERS[number % len(MARKERS)]
    draw_marks(ax, cells[x], cells["mean"], ~_not_shown(cells), colour, mark)
    uncertain = cells[~_is_zero_by_definition(cells)]
    low, high = clipped_ends(uncertain)
    ax.vlines(uncertain[x], low, high, color=colour, alpha=0.35, linewidth=1.2)
    position, heights = cells[x].to_numpy(float), cells["mean"].to_numpy(float)
    if rises is not None and len(position) > 1:
        sign = 1 if rises else -1
        grid = np.linspace(position[0], max(position[0], np.nanmax(position)), GRID)
        line = heights[0] + sign * rising_line(position, sign * (heights[1:] - heights[0]), grid)
        position, heights = grid, line
    ax.plot(position, heights, color=colour, linestyle=LINES[number % len(LINES)])
    return colour


def clipped_ends(cells: pd.DataFrame) -> tuple[pd.Series, pd.Series]:
    """The ends of the cells' intervals; those of means in [0, 1] end there too."""
    low, high = cells["ci_low"], cells["ci_high"]
    if cells["mean"].between(0, 1).all():
        return low.clip(0, 1), high.clip(0, 1)
    return low, high


def _is_zero_by_definition(cells: pd.DataFrame) -> pd.Series:
    """Which cells compare the truth with itself: their errors are 0 and have no interval."""
    if not {"engine", "noise", "metric"} <= set(cells.columns):
        return pd.Series(False, index=cells.index)
    is_clean_truth = (cells["engine"] == "gt") & (cells["noise"] == "none")
    return is_clean_truth & cells["metric"].isin(_DISTANCES)


def drawn_groups(cells: pd.DataFrame, groups: Sequence[str]) -> tuple[list[str], list[str]]:
    """The groups of questions with enough of them to be drawn, and a note that names the others.

    Enough are :data:`FEWEST_QUESTIONS` questions of :data:`FEWEST_DOCUMENTS` documents, where the
    cells say of how many.
    """
    drawn, few = [], []
    for group in groups:
        n = questions_of(cells, group)
        documents = _documents_of(cells, group)
        if n >= FEWEST_QUESTIONS and (documents is None or documents >= FEWEST_DOCUMENTS):
            drawn.append(group)
        else:
            size = f"n = {n}" + (f" of {documents} documents" if documents is not None else "")
            few.append(f"{group_label(group)} ({size})")
    if not few:
        return drawn, []
    return drawn, [
        f"not drawn, with fewer than {FEWEST_QUESTIONS} questions or {FEWEST_DOCUMENTS} documents: "
        + ", ".join(few)
    ]


def _documents_of(cells: pd.DataFrame, group: str) -> int | None:
    """The documents of a group's questions; None if the cells do not say."""
    if "n_documents" not in cells:
        return None
    most = cells.loc[cells["group"] == group, "n_documents"].max()
    return None if pd.isna(most) else int(most)


def _not_shown(cells: pd.DataFrame) -> pd.Series:
    """Which cells have a tested change from their baseline that is not shown."""
    if "p_adjusted" not in cells:
        return pd.Series(False, index=cells.index)
    return cells["p_adjusted"] > ALPHA


def _bars(cells: pd.DataFrame) -> list[str]:
    """The meaning of the bars of a figure, and of its hollow marks."""
    units, truth = interval_units(cells["ci_unit"]), truth_of(cells)
    if not units:
        return ["no intervals: too few units"]
    if "p_adjusted" not in cells or cells["p_adjusted"].isna().all():
        return [f"bars: 95 % intervals for further {units}"]
    return [
        f"bars: 95 % intervals of the paired change, for further {units}",
        HOLLOW,
        f"the change is {baselines_line(set(cells['part']), truth)}",
        f"significant: adjusted p is at most {ALPHA}",
    ]


def start_at_zero(axes: Sequence[Axes], *, marks: bool = False) -> None:
    """Set one scale from 0 for all axes, with room above the highest mark.

    With ``marks``, there is also room for a mark at 0.
    """
    top = max(ax.dataLim.ymax for ax in axes)
    top = top if 0 < top < np.inf else 1 / 1.08
    for ax in axes:
        ax.set_ylim(-0.05 * top if marks else 0, 1.08 * top)


def draws_note(cells: pd.DataFrame) -> list[str]:
    """How often the noise was drawn; empty without noise."""
    noisy = cells[cells["noise"] != "none"]
    if noisy.empty:
        return []
    draws = int(noisy["draws"].max())
    return [f"means over {draws} draws of the noise" if draws > 1 else "a single draw of the noise"]


def kinds_note(cells: pd.DataFrame) -> list[str]:
    """A note for levels that share an intensity: they differ in kind, not in order of damage."""
    levels = cells[["perturbation", "level", "intensity"]].drop_duplicates()
    levels = levels[levels["level"].fillna("").ne("") & (levels["perturbation"] != "none")]
    mixtures = levels[levels.duplicated(["perturbation", "intensity"])]["perturbation"]
    return [
        f"levels of {operator} are the paper's, which differ in kind: a later one need not be "
        "worse; intensities grow"
        for operator in distinct(mixtures)
    ]


def room_at_zero(axes: Sequence[Axes]) -> None:
    """Start the axis of noise at 0, with room for marks at its ends."""
    # A panel without a value has no limits.
    right = max((ax.dataLim.xmax for ax in axes if math.isfinite(ax.dataLim.xmax)), default=0.0)
    right = right if right > 0 else 1.0
    axes[0].set_xlim(-0.06 * right, 1.06 * right)


def caption(
    fig: Figure,
    cells: pd.DataFrame,
    lines_are: str = "",
    notes: Notes | None = None,
    more: Sequence[str] = (),
) -> list[str]:
    """Write the first line of a caption above a figure; returns the whole of it as notes.

    ``lines_are`` explains the black lines if they are not intervals; ``more`` are further notes.
    """
    evidence = cells["kb_scope"].iloc[0] == "evidence"
    parts = [
        f"n = {questions_of(cells, 'all')} questions",
        *([lines_are] if lines_are else _bars(cells)),
        "only pages with evidence re-read, which overstates the loss"
        if evidence
        else "all pages re-read",
        f"{cells['protocol'].iloc[0]} scoring",
        *draws_note(cells),
        *truth_note(cells),
        *more,
        setting_names(cells),
        *note_lines(answerers(cells), notes),
    ]
    return describe(fig, parts)
