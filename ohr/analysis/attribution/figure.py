"""Waterfall charts of the causes of the loss."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

from ohr.analysis.attribution.table import (
    ROWS,
    SETTING,
)
from ohr.display.labels import group_label, mathless
from ohr.display.notes import Notes
from ohr.figures.axes import HATCHES, caption, each_setting
from ohr.figures.style import COLOURS, figure, save
from ohr.ocr.noise import noise_name
from ohr.statistics.numbers import prose
from ohr.study.config import BUILT_IN

if TYPE_CHECKING:
    from matplotlib.axes import Axes


CAPTIONS = ("black lines: range over the orders of replacement",)


LEAST_NAMED = 0.01
"""Shorter bars have no number: it would stand on its neighbours'."""


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

    One figure per setting; black lines span the orders of replacement.
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
    bases = losses[SETTING].drop_duplicates()
    with figure(0.9 + 1.2 * len(groups), 0.9 + 1.6 * len(bases)) as fig:
        axes = fig.subplots(len(bases), len(groups), squeeze=False, sharey=True, sharex=True)
        for place, (_, base) in enumerate(bases.iterrows()):
            of_base = losses[(losses[SETTING] == base).all(axis=1)]
            for ax, group in zip(axes[place], groups, strict=True):
                _waterfall(ax, _cause_rows(of_base[of_base["group"] == group]))
                if place == 0:
                    n = int(losses.loc[losses["group"] == group, "n"].iloc[0])
                    ax.set_title(f"{group_label(group)}\nn = {n:,}")
            noise = noise_name(base["perturbation"], base["level"], base["intensity"])
            names = [mathless(name) for name in (base["engine"], noise, "F1")]
            axes[place, 0].set_ylabel("\n".join(names))
        description = caption(fig, cells, "; ".join(CAPTIONS), notes)
        return save(fig, folder, name, notes=description)


def _waterfall(ax: Axes, by_cause: list[dict[Any, Any]]) -> None:
    position = 1.0
    for place, loss in enumerate(by_cause):
        loss_of_cause, low, high = (loss[name] for name in ("f1_lost", "order_low", "order_high"))
        bar = (place, position, position - loss_of_cause, COLOURS[place], HATCHES[place])
        _bar(ax, *bar, above=position - low)
        ax.vlines(place, position - high, position - low, "#000000", linewidth=1.2)
        position -= loss_of_cause
        ax.hlines(position, place - 0.4, place + 1.4, "#777777", linewidth=0.8)
    _bar(ax, len(ROWS), 0.0, position, "#999999", "")
    names = [cause.replace("ocr", "OCR") for cause in ROWS]
    ax.set_xticks(range(len(ROWS) + 1), [*names, "system"], rotation=60)
    ax.set_ylim(0, 1.1)
    ax.grid(axis="x", visible=False)


def _bar(
    ax: Axes,
    place: int,
    start: float,
    end: float,
    colour: str,
    hatch: str,
    above: float = 0.0,
) -> None:
    """A bar from one height to another, with its length, if it can be seen, above it.

    The length is also above the height ``above``.
    """
    ax.bar(
        place,
        end - start,
        0.75,
        bottom=start,
        color=colour,
        hatch=hatch,
        edgecolor="white",
        linewidth=0,
    )
    length = start - end if start else end
    if abs(length) < LEAST_NAMED:
        return
    ax.annotate(
        prose(length),
        (place, max(start, end, above)),
        xytext=(0, 2),
        textcoords="offset points",
        ha="center",
        fontsize="small",
    )
