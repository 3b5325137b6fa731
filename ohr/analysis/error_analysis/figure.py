"""The four cases of the paper's figure 5: OCR right or wrong, and answer right or wrong."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from ohr.analysis.error_analysis.table import (
    CASES,
)
from ohr.figures.dots import draw_dots, height_of_rows, name_rows
from ohr.figures.style import describe, figure, legend_below, save, series_handles

_NAME = 24
"""Characters per line of a row's name."""


def case_dots(shares: pd.DataFrame, measure: str, caption: str, folder: Path) -> list[Path]:
    """Draw one panel per case, one row per knowledge base, and a dot with interval per setting.

    ``measure`` says above the panels what decides that OCR is wrong.
    """
    settings, names = list(dict.fromkeys(shares["setting"])), list(dict.fromkeys(shares["name"]))
    height = height_of_rows(names, _NAME, len(settings))
    with figure(6.9, 1.2 + height) as fig:
        axes = fig.subplots(1, len(CASES), sharey=True, sharex=True)
        for ax, (case, label) in zip(axes, CASES.items(), strict=True):
            for number, setting in enumerate(settings):
                of_setting = shares[shares["setting"] == setting]
                draw_dots(
                    ax,
                    names,
                    of_setting.assign(row=of_setting["name"]),
                    case,
                    number=number,
                    of=len(settings),
                    ends=(f"{case}_ci_low", f"{case}_ci_high"),
                )
            ax.set_title(label.replace(", ", ",\n"))
            ax.set_xlabel("share of questions")
        axes[0].set_xlim(-0.04, 1.04)
        name_rows(list(axes), names, _NAME)
        if len(settings) > 1:
            handles, labels = series_handles(settings)
            for handle in handles:
                handle.set(linestyle="none")
            legend_below(fig, handles, labels, 3)
        least, most = (int(n) for n in (shares["n"].min(), shares["n"].max()))
        n = str(most) if least == most else f"{least} to {most}"
        has_intervals = shares[[f"{case}_ci_low" for case in CASES]].notna().any(axis=None)
        bars = "bars: 95 % intervals" if has_intervals else "no intervals: too few documents"
        parts = [
            f"n = {n} questions",
            measure,
            *(settings if len(settings) == 1 else []),
            bars,
            f"{caption[0].lower()}{caption[1:]}",
            "the four shares of a row add up to 1",
        ]
        return save(fig, folder, "error_analysis", pdf=True, notes=describe(fig, parts))
