"""Draws the share of right words by confidence: one panel per engine, one line per noise."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from ohr.display.labels import mathless
from ohr.figures.style import COLOURS, LINES, MARKERS, figure, save


def reliability_figure(words: pd.DataFrame, folder: Path) -> list[Path]:
    """The reliability diagram; on the diagonal, confidence equals the share of right words."""
    engines = list(dict.fromkeys(words["engine"]))
    noises = list(dict.fromkeys(words["noise"]))
    with figure(1.4 + 3.4 * len(engines), 3.8) as fig:
        axes = fig.subplots(1, len(engines), squeeze=False, sharey=True)[0]
        for ax, engine in zip(axes, engines, strict=True):
            ax.plot([0, 1], [0, 1], color="#999999", linewidth=0.8)
            for place, noise in enumerate(noises):
                part = words[(words["engine"] == engine) & (words["noise"] == noise)]
                part = part.sort_values("tenth")
                ax.plot(
                    part["confidence"] / part["n"],
                    part["right"] / part["n"],
                    color=COLOURS[place % len(COLOURS)],
                    marker=MARKERS[place % len(MARKERS)],
                    linestyle=LINES[place // len(COLOURS) % len(LINES)],
                    label=mathless(noise),
                )
            ax.set_title(mathless(engine))
            ax.set_xlabel("mean confidence")
        axes[0].set_ylabel("share of words that are right")
        handles, labels = axes[0].get_legend_handles_labels()
        fig.legend(handles, labels, loc="outside lower center", ncols=min(4, len(labels)))
        return save(fig, folder, "reliability")
