"""The DRC paper's figure 3: answers from the best K passages."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pandas as pd

from ohr.display.labels import mathless
from ohr.figures.axes import start_at_zero
from ohr.figures.dots import wrapped
from ohr.figures.style import (
    COLOURS,
    LINES,
    MARKERS,
    columns_for,
    describe,
    figure,
    legend_below,
    panel_grid,
    save,
)
from ohr.ocr.noise import noise_name

_COLUMNS = 3
_APART = 1.4
"""Numbers of passages whose ratio is less have no room for both labels."""


def answers_figure(answers: pd.DataFrame, folder: Path) -> list[Path]:
    """Draw one panel per knowledge base, one colour per retriever and reader; dashed: chosen."""
    from matplotlib.lines import Line2D
    from matplotlib.ticker import NullLocator

    overall = answers[answers["group"] == "all"]
    panels = list(overall.groupby(["engine", "perturbation", "level", "intensity"], sort=False))
    pairs = list(
        overall[["retriever", "reader"]].drop_duplicates().itertuples(index=False, name=None)
    )
    columns = columns_for(len(panels), _COLUMNS)
    rows = -(-len(panels) // columns)
    with figure(6.9 if len(panels) > 1 else 3.4, 0.9 + 2.1 * rows) as fig:
        axes = panel_grid(fig, len(panels), columns)[:, 0]
        for ax, ((engine, operator, level, intensity), of_panel) in zip(axes, panels, strict=True):
            for (retriever, reader), line in of_panel.groupby(["retriever", "reader"], sort=False):
                number = pairs.index((retriever, reader))
                look = {
                    "color": COLOURS[number % len(COLOURS)],
                    "marker": MARKERS[number % len(MARKERS)],
                }
                ax.plot(line["k"], line["best"], LINES[0], **look)
                ax.plot(line["k"], line["chosen"], LINES[1], markersize=2.5, **look)
            name = f"{engine}, {noise_name(operator, level, intensity)}"
            ax.set_title(f"{wrapped([name], 30)[0]}\n(n = {of_panel['n'].max()})")
        axes[0].set_xscale("log")
        ticks = _ticks(overall["k"].unique())
        axes[0].set_xticks(ticks, [str(k) for k in ticks])
        axes[0].xaxis.set_minor_locator(NullLocator())
        for ax in axes[-columns:]:
            ax.set_xlabel("passages read (K)")
        for ax in axes[::columns]:
            ax.set_ylabel("answer F1 (better ↑)")
        start_at_zero(list(axes), marks=True)
        handles = [
            Line2D(
                [], [], linestyle="none", color=COLOURS[number % len(COLOURS)],
                marker=MARKERS[number % len(MARKERS)],
            )
            for number in range(len(pairs))
        ]  # fmt: skip
        grey = "#555555"
        handles += [
            Line2D([], [], color=grey, linestyle="-", marker="o"),
            Line2D([], [], color=grey, linestyle="--", marker="o", markersize=2.5),
        ]
        labels = [mathless(f"{retriever}, {reader}") for retriever, reader in pairs]
        legend_below(fig, handles, [*labels, "best of K", "chosen of K"], 4)
        notes = [
            "means without intervals",
            "best: the best of the answers from the first K passages, which needs the accepted "
            "answers",
            "chosen: the answer that the system drc chooses, without the accepted answers",
        ]
        return save(fig, folder, "drc", notes=describe(fig, notes))


def _ticks(numbers: Iterable[int]) -> list[int]:
    """The numbers of passages that have room for a label on a logarithmic axis."""
    ticks: list[int] = []
    for number in sorted(int(number) for number in numbers):
        if not ticks or number >= _APART * ticks[-1]:
            ticks.append(number)
    return ticks
