"""Figure: the gain of each arm under each noise, metric by metric."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from ohr.analysis.mitigations.arms import IDENTITY, ORACLE
from ohr.display.labels import mathless
from ohr.display.wording import is_shown
from ohr.figures.dots import draw_dots, height_of_rows, name_rows
from ohr.figures.style import COLOURS, describe, figure, legend_below, save, series_handles

LETTERS = 22
"""Characters of a line of an arm's name."""


def gains_figure(
    rows: pd.DataFrame, titles: dict[tuple[str, str], str], arms: Sequence[str], folder: Path
) -> list[Path]:
    """Draw one panel per stage, one row per arm, one dot with its interval per engine and noise.

    ``rows`` are those of :func:`~ohr.analysis.mitigations.table.won_back` for all questions and
    pages. The metric of a stage is its last, which for page texts is the text recall if there is
    one. The arm with the largest gain is at the top, by the first panel that has it, and a dotted
    line stands where all of the loss is won back. A hollow dot is not significant.
    """
    rows = rows[~rows["arm"].isin((IDENTITY, ORACLE))]
    last = rows.drop_duplicates("stage", keep="last")
    pairs = list(last[["stage", "metric"]].itertuples(index=False, name=None))
    many = rows["engine"].nunique() > 1
    names = rows["engine"] + ", " + rows["noise"] if many else rows["noise"]
    retrievers = rows["retriever"]
    if retrievers.replace("", pd.NA).nunique() > 1:
        names = names.where(retrievers == "", names + ", " + retrievers)
    rows = rows.assign(series=names, row=rows["arm"], hollow=~rows["p_adjusted"].map(is_shown))
    series = list(rows["series"].unique())
    arms = _ranked(rows, pairs, arms)
    if not arms:
        return []
    labels = [mathless(arm) for arm in arms]
    height = height_of_rows(labels, LETTERS, len(series)) + 0.9 + 0.16 * -(-len(series) // 3)
    with figure(1.6 + 1.7 * len(pairs), height) as fig:
        axes = fig.subplots(1, len(pairs), squeeze=False, sharex=True, sharey=True)[0]
        for ax, (stage, metric) in zip(axes, pairs, strict=True):
            metric_rows = rows[(rows["stage"] == stage) & (rows["metric"] == metric)]
            for place, name in enumerate(series):
                cells = metric_rows[metric_rows["series"] == name]
                for loss in cells["loss"].drop_duplicates():
                    colour = COLOURS[place % len(COLOURS)]
                    ax.axvline(loss, color=colour, linewidth=1.2, linestyle=":")
                draw_dots(
                    ax, arms, cells, "gain", number=place, of=len(series),
                    ends=("gain_low", "gain_high"),
                )  # fmt: skip
            ax.axvline(0, color="#777777", linewidth=0.8, linestyle="--")
            ax.set_title(mathless(titles[stage, metric]))
            ax.set_xlabel("gain")
        name_rows(list(axes), labels, LETTERS)
        legend_below(fig, *series_handles([mathless(name) for name in series]), 3)
        notes = [
            "gain: what the repair adds to the score under noise, with 95 % intervals",
            "hollow: not significant",
            "dotted: all of the loss",
        ]
        return save(fig, folder, "mitigations", notes=describe(fig, notes))


def _ranked(rows: pd.DataFrame, pairs: Sequence[tuple[str, str]], arms: Sequence[str]) -> list[str]:
    """The arms that are drawn, those with the largest mean gain in their first panel first."""
    gains: dict[str, float] = {}
    for stage, metric in pairs:
        panel = rows[(rows["stage"] == stage) & (rows["metric"] == metric)]
        for arm, gain in panel.groupby("arm")["gain"].mean().items():
            gains.setdefault(str(arm), float(gain))
    return sorted((arm for arm in arms if arm in gains), key=lambda arm: -gains[arm])
