"""Box plots of prototypes over their runs: figures 1 to 3 of the paper."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from experiments.papers.prototypes.metrics import ATTRIBUTION, FLAGS, QUALITY
from ohr.display.labels import mathless
from ohr.figures.style import COLOURS, figure, save

FIGURES = {
    "figure1_answers": QUALITY,
    "figure2_attribution": ATTRIBUTION,
    "figure3_hallucination": FLAGS,
}


def box_plots(means: pd.DataFrame, folder: Path) -> list[Path]:
    """Draw figures of answers, attribution and flags: knowledge bases in rows, metrics in panels.

    Each panel has a box of the runs of each prototype; a single run is a line.
    """
    bases = list(dict.fromkeys(means["knowledge_base"]))
    names = list(dict.fromkeys(means["prototype"]))
    titles = dict(zip(means["metric"], means["title"], strict=True))
    paths: list[Path] = []
    for file, metrics_of_figure in FIGURES.items():
        metrics = [name for name in metrics_of_figure if name in titles]
        if not metrics:
            continue
        with figure(0.8 + 2.3 * len(metrics), 0.6 + 2.2 * len(bases)) as fig:
            grid = fig.subplots(len(bases), len(metrics), squeeze=False, sharey="row")
            for axes, base in zip(grid, bases, strict=True):
                for ax, metric in zip(axes, metrics, strict=True):
                    of_metric = means[
                        (means["knowledge_base"] == base) & (means["metric"] == metric)
                    ]
                    values = [
                        of_metric.loc[of_metric["prototype"] == name, "mean"].to_numpy(float)
                        for name in names
                    ]
                    boxes = ax.boxplot(
                        values,
                        tick_labels=[mathless(name) for name in names],
                        patch_artist=True,
                        widths=0.6,
                        medianprops={"color": "#000000"},
                    )
                    for rank, box in enumerate(boxes["boxes"]):
                        box.set_facecolor(COLOURS[rank % len(COLOURS)])
                        box.set_alpha(0.6)
                    ax.set_title(mathless(titles[metric]))
                    ax.set_ylim(-0.03, 1.03)
                axes[0].set_ylabel(mathless(base))
            paths += save(fig, folder, file)
    return paths
