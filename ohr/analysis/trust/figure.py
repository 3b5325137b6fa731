"""Draws risk against coverage by condition, and a reliability diagram of the confidence."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from ohr.analysis.trust.signals import CONFIDENT
from ohr.analysis.trust.table import COMBINED
from ohr.display.labels import mathless
from ohr.figures.ends import name_curves
from ohr.figures.style import COLOURS, describe, figure, save, series_numbers
from ohr.statistics.selective import Ordered, bins

if TYPE_CHECKING:
    from matplotlib.axes import Axes

FIRST = 0.02
"""Coverage from which on a curve is drawn: the risk of a few answers says nothing."""


def draw_trust(
    answers: pd.DataFrame, signals: pd.DataFrame, folder: Path, notes: Sequence[str] = ()
) -> list[Path]:
    """Left: the share of wrong answers among those given. Right: confidence against right answers.

    Nothing is drawn where nothing can be confident.
    """
    right = float(signals["right"].iloc[0])
    names = list(dict.fromkeys(answers["knowledge_base"]))[: len(COLOURS)]
    names = [name for name in names if _chance(answers[answers["knowledge_base"] == name])]
    if not names:
        return []
    with figure(7.0, 3.2) as fig:
        curves, reliability = fig.subplots(1, 2)
        own = {name: answers[answers["knowledge_base"] == name] for name in names}
        numbers = series_numbers([str(mine["engine"].iloc[0]) for mine in own.values()])
        for number, (name, mine) in zip(numbers, own.items(), strict=True):
            _curve(curves, mine, right, number, name)
            _reliability(reliability, mine, right, number, name)
        curves.set(xlabel="share of the questions answered (%)", ylabel="of them wrong (%)")
        curves.set_title("surest answers first (dotted: best possible)", fontsize="medium")
        reliability.set_title("is the confidence honest? (on the line: yes)", fontsize="medium")
        curves.set_xlim(0, 100)
        curves.set_ylim(0, None)
        reliability.axline((0, 0), slope=1, color="#777777", linewidth=0.8, linestyle="--")
        reliability.set(xlabel="reader's confidence (%)", ylabel="answers right (%)")
        reliability.set_xlim(0, 100)
        reliability.set_ylim(0, 100)
        name_curves(fig, np.array([[curves, reliability]]), columns=2)
        text = (
            "left: the surest answers first, solid by all signals, dotted by an order that knows "
            "which are wrong; right: tenths of the answers, on the line confidence is honest"
        )
        return save(fig, folder, "trust", notes=describe(fig, [*notes, text]))


def _chance(mine: pd.DataFrame) -> str:
    """The column by which answers are ordered; empty where there is none."""
    for signal in (COMBINED, CONFIDENT):
        name = f"chance by {signal}"
        if name in mine and mine[name].notna().all():
            return name
    return ""


def _curve(ax: Axes, mine: pd.DataFrame, right: float, number: int, name: str) -> None:
    wrong = mine["value"].to_numpy() < right
    for scores, style in ((mine[_chance(mine)].to_numpy(), "-"), (~wrong, ":")):
        order = Ordered(scores.astype(float), wrong)
        answered, total = order.totals(np.ones(len(wrong)))
        shown = answered >= FIRST * len(wrong)
        ax.plot(
            100 * answered[shown] / len(wrong),
            100 * total[shown] / answered[shown],
            style,
            color=COLOURS[number % len(COLOURS)],
            linewidth=1.5 if style == "-" else 1.0,
            label=mathless(name) if style == "-" else None,
        )


def _reliability(ax: Axes, mine: pd.DataFrame, right: float, number: int, name: str) -> None:
    confident = mine[mine[CONFIDENT].notna()]
    if confident.empty:
        return
    values, is_right = confident[CONFIDENT].to_numpy(), confident["value"].to_numpy() >= right
    points = [(values[part].mean(), is_right[part].mean()) for part in bins(values)]
    x, y = 100 * np.array(points).T
    ax.plot(
        x,
        y,
        "o-",
        color=COLOURS[number % len(COLOURS)],
        markersize=4,
        linewidth=1.0,
        label=mathless(name),
    )
