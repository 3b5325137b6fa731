"""Noise curves of the real engine and of its model, side by side."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from ohr.analysis.ocr_errors.table import KINDS, REAL
from ohr.figures.ends import name_curves
from ohr.figures.style import COLOURS, LINES, MARKERS, describe, figure, save

_PANELS = (
    ("hit_loss", "loss of hit@2"),
    ("lcs_loss", "loss of retrieval LCS"),
    ("words_wrong", "share of words with errors"),
)


def check_figure(table: pd.DataFrame, folder: Path, name: str, parts: str) -> list[Path]:
    """Draw each measure against the edit distance, one line for the engine and one per maker.

    The engine's line is black and thick. Nothing is drawn of measures that the table does not have.

    ``parts`` says which documents the models were fitted to.
    """
    panels = [(column, title) for column, title in _PANELS if column in table]
    kinds = [kind for kind in KINDS if (table["kind"] == kind).any()]
    with figure(6.9, 2.8) as fig:
        axes = fig.subplots(1, len(panels), squeeze=False)
        for ax, (column, title) in zip(axes.flat, panels, strict=True):
            for kind in kinds:
                own = table[table["kind"] == kind].sort_values("edit_distance")
                number, is_real = KINDS.index(kind), kind == REAL
                ax.plot(
                    own["edit_distance"],
                    own[column],
                    color="#000000" if is_real else COLOURS[number],
                    marker=MARKERS[number],
                    linestyle=LINES[number % len(LINES)],
                    linewidth=2.4 if is_real else None,
                    label=kind,
                )
            ax.set_title(title)
            ax.set_ylim(bottom=min(0.0, float(table[column].min())))
            ax.set_xlabel("edit distance of the content\n(better ←)")
        name_curves(fig, axes, len(kinds))
        notes = [parts, "the same edit distance page by page, but for drawn pages"]
        return save(fig, folder, name, notes=describe(fig, notes))
