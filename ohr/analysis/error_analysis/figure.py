"""The paper's figure 5: bars of the four cases."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd

from ohr.analysis.error_analysis.table import (
    CASES,
)
from ohr.display.labels import mathless
from ohr.figures.style import COLOURS, describe, figure, save

_STYLES = ((COLOURS[2], ""), (COLOURS[4], "///"), (COLOURS[5], "..."), (COLOURS[1], "xxx"))
"""Colour and hatch of each case."""


def case_bars(shares: pd.DataFrame, caption: str, folder: Path) -> list[Path]:
    """Draw one panel per setting, with a stacked bar of the four cases per knowledge base."""
    settings, names = list(dict.fromkeys(shares["setting"])), list(dict.fromkeys(shares["name"]))
    with figure(2.6 + 3.4 * len(settings), 1.3 + 0.42 * len(names)) as fig:
        axes = fig.subplots(1, len(settings), squeeze=False, sharey=True, sharex=True)[0]
        for ax, setting in zip(axes, settings, strict=True):
            of_setting = shares[shares["setting"] == setting].set_index("name")
            left = np.zeros(len(names))
            for (case, label), (colour, hatch) in zip(CASES.items(), _STYLES, strict=True):
                widths = of_setting[case].reindex(names).fillna(0).to_numpy()
                ax.barh(
                    range(len(names)),
                    widths,
                    left=left,
                    color=colour,
                    hatch=hatch,
                    edgecolor="white",
                    linewidth=0,
                    label=label,
                )
                for place, (start, width) in enumerate(zip(left, widths, strict=True)):
                    if width >= 0.06:
                        ax.text(
                            start + width / 2,
                            place,
                            f"{100 * width:.0f}",
                            ha="center",
                            va="center",
                            fontsize="small",
                            bbox={"facecolor": "white", "edgecolor": "none", "pad": 1},
                        )
                left += widths
            ax.set_title(mathless(setting))
            ax.set_xlabel("share of questions")
            ax.set_xlim(0, 1)
            ax.grid(axis="y", visible=False)
        axes[0].set_yticks(range(len(names)), [mathless(name) for name in names])
        axes[0].invert_yaxis()
        fig.legend(*axes[0].get_legend_handles_labels(), loc="outside lower center", ncols=2)
        least, most = (int(n) for n in (shares["n"].min(), shares["n"].max()))
        n = str(most) if least == most else f"{least} to {most}"
        notes = describe(fig, [f"n = {n} questions", f"{caption[0].lower()}{caption[1:]}"])
        return save(fig, folder, "error_analysis", pdf=True, notes=notes)
