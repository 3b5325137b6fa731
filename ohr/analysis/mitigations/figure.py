"""Figure: the gain of each arm under each noise, metric by metric."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from ohr.display.labels import mathless
from ohr.figures.dots import draw_dots, height_of_rows, name_rows
from ohr.figures.style import describe, figure, legend_below, save, series_handles

LETTERS = 22
"""Characters of a line of an arm's name."""


def gains_figure(
    rows: pd.DataFrame, titles: dict[tuple[str, str], str], arms: Sequence[str], folder: Path
) -> list[Path]:
    """Draw one panel per stage, one row per arm, one dot with its interval per engine and noise.

    ``rows`` are those of :func:`~ohr.analysis.mitigations.table.won_back` for all questions and
    pages. The metric of a stage is its last, which for page texts is the text recall if there is
    one. A hollow dot is not significant.
    """
    last = rows.drop_duplicates("stage", keep="last")
    pairs = list(last[["stage", "metric"]].itertuples(index=False, name=None))
    many = rows["engine"].nunique() > 1
    names = rows["engine"] + ", " + rows["noise"] if many else rows["noise"]
    retrievers = rows["retriever"]
    if retrievers.replace("", pd.NA).nunique() > 1:
        names = names.where(retrievers == "", names + ", " + retrievers)
    rows = rows.assign(series=names, row=rows["arm"], hollow=~(rows["p_adjusted"] < 0.05))
    series = list(rows["series"].unique())
    labels = [mathless(arm) for arm in arms]
    height = height_of_rows(labels, LETTERS, len(series)) + 0.9 + 0.16 * -(-len(series) // 3)
    with figure(1.6 + 1.7 * len(pairs), height) as fig:
        axes = fig.subplots(1, len(pairs), squeeze=False, sharey=True)[0]
        for ax, (stage, metric) in zip(axes, pairs, strict=True):
            metric_rows = rows[(rows["stage"] == stage) & (rows["metric"] == metric)]
            for place, name in enumerate(series):
                cells = metric_rows[metric_rows["series"] == name]
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
            "dots: score with the arm less that without, under noise; right is better",
            "bars: 95 % intervals",
            "hollow: not significant",
        ]
        return save(fig, folder, "mitigations", notes=describe(fig, notes))
