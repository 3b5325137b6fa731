"""Box plots of prototypes over their runs: figures 1 to 3 of the paper."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from experiments.papers.prototypes.metrics import ATTRIBUTION, FLAGS, QUALITY
from ohr.figures.dots import height_of_rows, name_rows, wrapped
from ohr.figures.style import COLOURS, MARKERS, describe, figure, save

FIGURES = {
    "figure1_answers": QUALITY,
    "figure2_attribution": ATTRIBUTION,
    "figure3_hallucination": FLAGS,
}
_NAME, _TITLE = 18, 22
"""Characters per line of a prototype's name and of a panel's title."""


def box_plots(means: pd.DataFrame, folder: Path) -> list[Path]:
    """Draw figures of answers, attribution and flags: knowledge bases in rows, metrics in columns.

    Each panel has a box of the runs of each prototype; a single run is a mark.
    """
    titles = dict(zip(means["metric"], means["title"], strict=True))
    paths: list[Path] = []
    for file, metrics_of_figure in FIGURES.items():
        metrics = [name for name in metrics_of_figure if name in titles]
        if metrics:
            of_figure = means[means["metric"].isin(metrics)]
            paths += _box_plots(of_figure, metrics, titles, folder, file)
    return paths


def _box_plots(
    means: pd.DataFrame, metrics: list[str], titles: dict[str, str], folder: Path, file: str
) -> list[Path]:
    bases = list(dict.fromkeys(means["knowledge_base"]))
    names = list(dict.fromkeys(means["prototype"]))
    height = max(0.9, height_of_rows(names, _NAME))
    with figure(1.3 + 1.4 * len(metrics), 1.0 + (height + 0.15) * len(bases)) as fig:
        grid = fig.subplots(len(bases), len(metrics), squeeze=False, sharex=True, sharey=True)
        for axes, base in zip(grid, bases, strict=True):
            for ax, metric in zip(axes, metrics, strict=True):
                metric_rows = means[(means["knowledge_base"] == base) & (means["metric"] == metric)]
                for rank, name in enumerate(names):
                    values = metric_rows.loc[metric_rows["prototype"] == name, "mean"].dropna()
                    colour = COLOURS[rank % len(COLOURS)]
                    if len(values) == 1:
                        mark = MARKERS[rank % len(MARKERS)]
                        ax.plot(values, [rank], color=colour, marker=mark, linestyle="none")
                    elif len(values):
                        boxes = ax.boxplot(
                            values,
                            positions=[rank],
                            orientation="horizontal",
                            patch_artist=True,
                            widths=0.6,
                            manage_ticks=False,
                            medianprops={"color": "#000000"},
                            flierprops={"markersize": 3},
                        )
                        boxes["boxes"][0].set(facecolor=colour, alpha=0.6)
            axes[0].set_ylabel(wrapped([base], round(13 * height))[0])
        for ax, metric in zip(grid[0], metrics, strict=True):
            ax.set_title(wrapped([titles[metric]], _TITLE)[0])
        for ax, metric in zip(grid[-1], metrics, strict=True):
            higher = means[means["metric"] == metric]["higher_is_better"].iloc[0]
            ax.set_xlabel(f"mean (better {'→' if higher else '←'})")
        grid[0, 0].set_xlim(-0.04, 1.04)
        grid[0, 0].set_xticks([0, 0.5, 1])
        name_rows(list(grid.flat), names, _NAME)
        notes = describe(fig, _notes(means))
        return save(fig, folder, file, notes=notes)


def _notes(means: pd.DataFrame) -> list[str]:
    runs = means.groupby(["knowledge_base", "prototype"], sort=False)["run"].nunique()
    n = f"n = {_range(means['n'])} questions"
    if runs.max() == 1:
        return [n, "one run of each prototype, so no intervals"]
    return [
        n,
        f"boxes: quartiles and median of {_range(runs)} runs",
        "whiskers: runs up to 1.5 times the box away; circles: runs beyond",
        "all runs answer the same questions, so a box does not show how other documents would "
        "differ",
    ]


def _range(numbers: pd.Series) -> str:
    least, most = int(numbers.min()), int(numbers.max())
    return str(most) if least == most else f"{least} to {most}"
