"""PDFTriage's figure 3: the share of questions for which each system's answer is the best."""

from __future__ import annotations

from collections.abc import Hashable
from pathlib import Path

import pandas as pd

from ohr.analysis.judging.table import is_better
from ohr.figures.dots import draw_dots, height_of_rows, name_rows, wrapped
from ohr.figures.style import describe, figure, legend_below, panel_grid, save, series_handles

_NAME = 24
"""Characters per line of a row's name."""
_PAIR = 34
"""Characters per line of the names of two systems."""
_COLUMNS = 2
_LESS = " − "


def preference_dots(shares: pd.DataFrame, caption: str, folder: Path) -> list[Path]:
    """Draw one panel per judge and knowledge base: a dot with interval per group and system."""
    panels = list(shares.groupby(["judge", "knowledge_base"], sort=False))
    groups = list(dict.fromkeys(shares["group"]))
    systems = list(dict.fromkeys(shares["system"]))
    names = [f"{group.partition(':')[2] or group}\n{_n(shares, group)}" for group in groups]
    height = height_of_rows(names, _NAME, len(systems))
    with figure(*_size(len(panels), height)) as fig:
        axes = panel_grid(fig, len(panels), min(_COLUMNS, len(panels)))[:, 0]
        for ax, (key, part) in zip(axes, panels, strict=True):
            for number, system in enumerate(systems):
                of_system = part[part["system"] == system]
                cells = of_system.assign(row=of_system["group"])
                draw_dots(ax, groups, cells, "share", number=number, of=len(systems))
            ax.set_title(_title(key, len(panels)))
        name_rows(list(axes), names, _NAME)
        axes[0].set_xlim(-0.03, 1.03)
        for ax in axes[-_COLUMNS:]:
            ax.set_xlabel("share of questions ranked first\n(better →)")
        handles, labels = series_handles(systems)
        for handle in handles:
            handle.set(linestyle="none")
        legend_below(fig, handles, labels, 5)
        bars = "bars: 95 % intervals over documents"
        has_intervals = shares["ci_low"].notna().any()
        parts = [bars if has_intervals else "no intervals: fewer than three documents"]
        notes = describe(fig, [*parts, *(_lower(part) for part in caption.split("; "))])
        return save(fig, folder, "preferences", pdf=True, notes=notes)


def preference_differences(pairs: pd.DataFrame, folder: Path) -> list[Path]:
    """Draw the differences of each pair of systems, one panel per judge and knowledge base.

    A difference is the share of questions that the first wins less the second's, with its interval;
    filled if one is shown to be better.
    """
    everyone = pairs[pairs["group"] == "all"]
    panels = list(everyone.groupby(["judge", "knowledge_base"], sort=False))
    names = list(dict.fromkeys(everyone["first"] + _LESS + everyone["second"]))
    with figure(*_size(len(panels), height_of_rows(names, _PAIR))) as fig:
        axes = panel_grid(fig, len(panels), min(_COLUMNS, len(panels)))[:, 0]
        for ax, (key, part) in zip(axes, panels, strict=True):
            ax.axvline(0, color="#777777", linewidth=1)
            cells = part.assign(
                row=part["first"] + _LESS + part["second"],
                hollow=[not is_better(row) for row in part.to_dict("records")],
            )
            draw_dots(ax, names, cells, "difference")
            ax.set_title(f"{_title(key, len(panels))}\n({_n(part)})")
        name_rows(list(axes), names, _PAIR)
        axes[0].set_xlim(-1.05, 1.05)
        for ax in axes[-_COLUMNS:]:
            ax.set_xlabel("share won, first − second\n(← second better, first better →)")
        tested = int(everyone["p"].notna().sum())
        caption = (
            "bars: 95 % intervals over documents; hollow: not significant; "
            f"significant: p of the {tested} comparisons together is at most 0.05"
            if tested
            else "no intervals: fewer than three documents"
        )
        notes = describe(fig, caption.split("; "))
        return save(fig, folder, "preference_differences", pdf=True, notes=notes)


def _size(panels: int, height: float) -> tuple[float, float]:
    """Inches of a figure whose panels' rows are ``height`` high."""
    rows = -(-panels // _COLUMNS)
    return (4.4 if panels == 1 else 6.9), 1.0 + rows * (height + 0.5)


def _title(key: tuple[Hashable, ...], panels: int) -> str:
    """Judge and knowledge base, in lines that fit above a panel."""
    return wrapped([f"{key[0]}: {key[1]}"], 34 if panels > 1 else 44)[0]


def _n(rows: pd.DataFrame, group: str = "all") -> str:
    """``n = 34``, or the least and the most of the panels."""
    numbers = rows[rows["group"] == group]["n"]
    least, most = int(numbers.min()), int(numbers.max())
    return f"n = {most}" if least == most else f"n = {least} to {most}"


def _lower(text: str) -> str:
    return f"{text[:1].lower()}{text[1:]}"
