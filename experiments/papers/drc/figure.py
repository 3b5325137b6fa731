"""The DRC paper's figure 3: answers from the best K passages."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from ohr.display.labels import mathless
from ohr.figures.style import COLOURS, LINES, MARKERS, figure, save
from ohr.ocr.noise import noise_name


def answers_figure(answers: pd.DataFrame, folder: Path) -> list[Path]:
    """Draw one panel per knowledge base, one line per retriever and reader; dashed: chosen."""
    overall = answers[answers["group"] == "all"]
    panels = list(overall.groupby(["engine", "perturbation", "level", "intensity"], sort=False))
    with figure(3.6 * len(panels), 3.0) as fig:
        axes = fig.subplots(1, len(panels), squeeze=False, sharey=True)[0]
        for ax, ((engine, operator, level, intensity), rows) in zip(axes, panels, strict=True):
            for at, ((retriever, reader), line) in enumerate(
                rows.groupby(["retriever", "reader"], sort=False)
            ):
                look = {"color": COLOURS[at % len(COLOURS)], "marker": MARKERS[at % len(MARKERS)]}
                label = mathless(f"{retriever}, {reader}")
                ax.plot(line["k"], line["best"], LINES[0], label=f"{label}: best", **look)
                ax.plot(line["k"], line["chosen"], LINES[1], label=f"{label}: chosen", **look)
            ax.set_title(mathless(f"{engine}, {noise_name(operator, level, intensity)}"))
            ax.set_xlabel("passages read (K)")
            ax.set_xticks(sorted(rows["k"].unique()))
        axes[0].set_ylabel("answer F1")
        axes[-1].legend()
        return save(fig, folder, "drc")
