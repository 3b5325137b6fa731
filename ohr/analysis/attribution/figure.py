"""Waterfall charts of the causes of the loss, from left to right and from top to bottom."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

from ohr.analysis.attribution.table import (
    ROWS,
    SETTING,
)
from ohr.display.labels import group_label, interval_units, mathless
from ohr.display.notes import Notes
from ohr.figures.axes import caption, each_setting
from ohr.figures.style import COLOURS, figure, save
from ohr.ocr.noise import noise_name
from ohr.statistics.numbers import prose
from ohr.study.config import BUILT_IN

if TYPE_CHECKING:
    from matplotlib.axes import Axes


CAPTIONS = ("black lines: 95 % intervals over {}", "{} costs less than 0.01 and is not drawn")
LEAST_NAMED = 0.01
"""Steps that are shorter everywhere are left out."""
_STEP, _OCR, _SYSTEM = "#888888", COLOURS[1], "#444444"
WIDTH, HEIGHT, ROW = 6.9, 0.75, 0.24
"""Inches: the figure, what is above and below its panels, and a bar with the gap below it."""


def is_shown(group: str) -> bool:
    """Whether a group has a panel and a row: all questions, and each evidence source."""
    return group == "all" or group.startswith("source:")


def _cause_rows(losses: pd.DataFrame) -> list[dict[Any, Any]]:
    """The rows of one group, in the order of ``ROWS``."""
    rows: list[dict[Any, Any]] = losses.set_index("cause").loc[list(ROWS)].to_dict("records")
    return rows


def waterfalls(
    losses: pd.DataFrame, cells: pd.DataFrame, folder: Path, notes: Notes | None = None
) -> list[Path]:
    """Draw from a perfect score down to the system's: knowledge bases in rows, groups in columns.

    One figure per setting. Knowledge bases that OCR costs nothing, as the ground truth, are left
    out, and so are steps shorter than 0.01 everywhere.
    """
    paths = []
    built_in = cells[(cells["stage"] == "overall") & (cells["system"] == BUILT_IN)]
    for setting, name in each_setting(built_in, "attribution"):
        chosen = losses
        for column in ("chunker", "retriever", "reader"):
            chosen = chosen[chosen[column] == getattr(setting, column)]
        paths += _waterfalls(chosen, setting.select(cells), folder, name, notes)
    return paths


def _waterfalls(
    losses: pd.DataFrame, cells: pd.DataFrame, folder: Path, name: str, notes: Notes | None
) -> list[Path]:
    groups = [group for group in dict.fromkeys(losses["group"]) if is_shown(group)]
    losses = _losses_to_ocr(losses[losses["group"].isin(groups)])
    bases = losses[SETTING].drop_duplicates()
    sizes = losses.groupby("cause")["f1_lost"].apply(lambda lost: lost.abs().max())
    causes = [cause for cause in ROWS if sizes[cause] >= LEAST_NAMED or cause == "ocr"]
    height = HEIGHT + len(bases) * (0.3 + ROW * (len(causes) + 1))
    with figure(WIDTH, height) as fig:
        axes = fig.subplots(len(bases), len(groups), squeeze=False, sharey=True, sharex=True)
        for place, (_, base) in enumerate(bases.iterrows()):
            of_base = losses[(losses[SETTING] == base).all(axis=1)]
            for ax, group in zip(axes[place], groups, strict=True):
                _waterfall(ax, _cause_rows(of_base[of_base["group"] == group]), causes)
                if place == 0:
                    n = int(losses.loc[losses["group"] == group, "n"].iloc[0])
                    ax.set_title(f"{group_label(group)} (n = {n:,})")
                if place == len(bases) - 1:
                    ax.set_xlabel("F1")
            if len(bases) > 1:
                axes[place, 0].set_ylabel(_base_name(base).replace(", ", "\n"))
        about = "; ".join(_description(losses, causes, bases))
        description = caption(fig, cells, about, notes)
        return save(fig, folder, name, notes=description)


def _losses_to_ocr(losses: pd.DataFrame) -> pd.DataFrame:
    """The knowledge bases that OCR costs something; all if it costs nothing anywhere."""
    ocr_losses = losses[losses["cause"] == "ocr"]
    costs = ocr_losses.groupby(SETTING, sort=False)["f1_lost"].transform(
        lambda lost: (lost != 0).any()
    )
    settings = ocr_losses.loc[costs, SETTING].drop_duplicates()
    return losses.merge(settings, on=SETTING) if len(settings) else losses


def _base_name(base: pd.Series) -> str:
    noise = noise_name(base["perturbation"], base["level"], base["intensity"])
    return ", ".join(mathless(name) for name in (base["engine"], noise))


def _description(losses: pd.DataFrame, causes: Sequence[str], bases: pd.DataFrame) -> list[str]:
    """What is drawn: the knowledge base if there is one, its intervals, and what is left out."""
    units = interval_units(losses["ci_unit"])
    parts = [_base_name(bases.iloc[0])] if len(bases) == 1 else []
    parts += [CAPTIONS[0].format(units) if units else "no intervals: too few documents"]
    return parts + [CAPTIONS[1].format(cause) for cause in ROWS if cause not in causes]


def _waterfall(ax: Axes, by_cause: list[dict[Any, Any]], causes: Sequence[str]) -> None:
    """From a perfect score at the top down to the system's: the rows are causes."""
    position, place = 1.0, 0
    for cause, loss in zip(ROWS, by_cause, strict=True):
        start, position = position, position - loss["f1_lost"]
        if cause not in causes:
            continue
        _bar(ax, place, position, start, _OCR if cause == "ocr" else _STEP)
        ax.hlines(place, start - loss["ci_high"], start - loss["ci_low"], "#000000", linewidth=1.2)
        ax.vlines(position, place - 0.4, place + 1.4, "#777777", linewidth=0.8)
        right = max(start, start - loss["ci_low"])
        _name_length(ax, place, right, loss["f1_lost"])
        place += 1
    _bar(ax, place, 0.0, position, _SYSTEM)
    _name_length(ax, place, position, position)
    ax.set_yticks(range(place + 1), [*(cause.replace("ocr", "OCR") for cause in causes), "system"])
    ax.set_ylim(place + 0.6, -0.6)
    ax.set_xlim(0, 1.2)
    ax.set_xticks([0, 0.5, 1])
    ax.tick_params(axis="y", length=0)
    ax.grid(axis="y", visible=False)


def _bar(ax: Axes, place: int, start: float, end: float, colour: str) -> None:
    ax.barh(place, end - start, 0.7, left=start, color=colour, linewidth=0)


def _name_length(ax: Axes, place: int, right: float, length: float) -> None:
    """Write the length of a bar right of it."""
    ax.annotate(
        prose(length), (right, place), xytext=(3, 0), textcoords="offset points", va="center",
        fontsize="small",
    )  # fmt: skip
