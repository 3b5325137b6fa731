"""Noise curves of the real engine and of its model, side by side."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from ohr.analysis.ocr_errors.table import KINDS
from ohr.figures.ends import name_curves
from ohr.figures.style import COLOURS, LINES, MARKERS, describe, figure, save
from ohr.metrics.labels import R_NOISE

_PANELS = (
    ("r_noise", R_NOISE),
    ("hit_loss", "loss of hit@2"),
    ("lcs_loss", "loss of retrieval LCS"),
    ("words_wrong", "share of words with errors"),
)


def check_figure(table: pd.DataFrame, folder: Path, name: str, parts: str) -> list[Path]:
    """Draw each measure against the edit distance, one line for the engine and one per maker.

    ``parts`` says which documents the models were fitted to.
    """
    panels = [(column, title) for column, title in _PANELS if column in table]
    with figure(6.9, 2.4 if len(panels) <= 2 else 4.4) as fig:
        columns = min(2, len(panels))
        axes = fig.subplots(-(-len(panels) // columns), columns, sharex=True, squeeze=False)
        for ax, (column, title) in zip(axes.flat, panels, strict=False):
            for number, kind in enumerate(KINDS):
                own = table[table["kind"] == kind].sort_values("edit_distance")
                ax.plot(
                    own["edit_distance"],
                    own[column],
                    color=COLOURS[number],
                    marker=MARKERS[number],
                    linestyle=LINES[number % len(LINES)],
                    label=kind,
                )
            ax.set_title(title)
            if column in ("r_noise", "words_wrong"):
                ax.set_ylim(bottom=0)
        for ax in axes[-1]:
            ax.set_xlabel("edit distance of the content\n(better ←)")
        name_curves(fig, axes, len(KINDS))
        notes = [parts, "the same edit distance page by page, but for drawn pages"]
        return save(fig, folder, name, notes=describe(fig, notes))
