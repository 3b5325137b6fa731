"""Figures: covered words that come out, pages without text, and what comes and goes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import pandas as pd

from ohr.display.labels import interval_units
from ohr.figures.dots import draw_dots, height_of_rows, name_rows
from ohr.figures.style import (
    COLOURS,
    LINES,
    MARKERS,
    describe,
    figure,
    legend_below,
    save,
    series_handles,
)
from ohr.study.output.select import distinct

KIND_NAMES: Mapping[str, str] = {
    "blank": "blank",
    "specks": "specks and hairs",
    "bleed_through": "bleed-through",
    "black": "black",
    "scanner_lines": "scanner lines",
    "photograph": "drawn landscape",
    "jpeg": "saved as JPEG",
    "moved": "moved by a pixel",
    "scaled": "scaled by 0.98",
}
"""Names of kinds in tables and figures."""
_WIDTH = 18
_LEAST_SPAN = 0.02
"""The axis of the excess shows at least this much on each side of 0."""


def invention_figures(summary: pd.DataFrame, folder: Path) -> list[Path]:
    """Draw a figure for each part that was measured."""
    return [
        path
        for part, draw in (("hidden", _hidden), ("textless", _textless), ("repeat", _repeats))
        if len(of_part := summary[summary["part"] == part])
        for path in draw(of_part, folder)
    ]


def _hidden(summary: pd.DataFrame, folder: Path) -> list[Path]:
    """Excess and other new words against the measured share of covered words."""
    engines = distinct(summary["engine"])
    doses = summary[summary["dose"].notna()]
    panels = (
        ("excess", "covered words that come out\n(share, less chance)"),
        ("new", "other new words\nper covered word"),
    )
    with figure(6.0, 2.5) as fig:
        axes = fig.subplots(1, 2)
        for ax, (measure, title) in zip(axes, panels, strict=True):
            measured = doses[doses["measure"] == measure]
            for number, engine in enumerate(engines):
                rows = measured[measured["engine"] == engine]
                colour = COLOURS[number % len(COLOURS)]
                # Engines with the same values would hide each other.
                x = rows["share_hidden"] + 0.004 * (number - (len(engines) - 1) / 2)
                ax.vlines(x, rows["ci_low"], rows["ci_high"], color=colour, alpha=0.6)
                ax.plot(
                    x, rows["mean"], color=colour, marker=MARKERS[number % len(MARKERS)],
                    linestyle=LINES[number % len(LINES)],
                )  # fmt: skip
            ax.axhline(0, color="#333333", linewidth=0.8, zorder=1)
            ax.set_xlim(0, 1.08 * float(doses["share_hidden"].max()))
            low, high = ax.get_ylim()
            ax.set_ylim(min(low, -_LEAST_SPAN), max(high, _LEAST_SPAN))
            ax.set_title(title)
            ax.set_xlabel("share of the words covered")
        handles, labels = series_handles(engines)
        legend_below(fig, handles, labels, 4)
        notes = [
            f"{doses['pages'].max()} pages of {doses['documents'].max()} documents",
            *_bars(doses),
            "chance: like words of other pages",
        ]
        return save(fig, folder, "hidden_text", notes=describe(fig, notes))


def _textless(summary: pd.DataFrame, folder: Path) -> list[Path]:
    """Words per page and the share of pages with a word, by kind of page."""
    kinds = [kind for kind in distinct(summary["kind"]) if kind in KIND_NAMES]
    panels = (("any", "share of pages with a word"), ("words", "invented words per page"))
    note = f"{summary[summary['kind'].isin(kinds)]['pages'].max()} pages of each kind"
    return _dots(summary, kinds, panels, folder, "pages_without_text", [note])


def _repeats(summary: pd.DataFrame, folder: Path) -> list[Path]:
    """Shares of words and numbers that come and go, by change."""
    kinds = [kind for kind in distinct(summary["kind"]) if kind in KIND_NAMES]
    panels = (
        ("gone", "words gone\n(share)"),
        ("come", "words come\n(share)"),
        ("numbers_changed", "numbers changed\n(share)"),
    )
    note = f"{summary['pages'].max()} pages of {summary['documents'].max()} documents"
    return _dots(summary, kinds, panels, folder, "repeatability", [note])


def _dots(
    summary: pd.DataFrame,
    kinds: Sequence[str],
    panels: Sequence[tuple[str, str]],
    folder: Path,
    name: str,
    notes: Sequence[str],
) -> list[Path]:
    engines = distinct(summary["engine"])
    names = [KIND_NAMES[kind] for kind in kinds]
    height = height_of_rows(names, _WIDTH, len(engines))
    with figure(1.6 + 1.75 * len(panels), 1.15 + height) as fig:
        axes = list(fig.subplots(1, len(panels), sharey=True))
        for ax, (measure, title) in zip(axes, panels, strict=True):
            rows = summary[summary["measure"] == measure].assign(row=summary["kind"])
            rows = rows[rows["row"].isin(kinds)]
            for number, engine in enumerate(engines):
                engine_rows = rows[rows["engine"] == engine]
                draw_dots(ax, kinds, engine_rows, "mean", number=number, of=len(engines))
            ax.set_title(title)
            # Where nothing was seen in few documents, an interval may fill the whole panel.
            seen = rows[rows["mean"] > 0]
            high = max([*seen["mean"], *seen["ci_high"].dropna()], default=0.0)
            high = 1.0 if measure == "any" else max(high, _LEAST_SPAN)
            ax.set_xlim(-0.04 * high, 1.06 * high)
        name_rows(axes, names, _WIDTH)
        handles, labels = series_handles(engines)
        for handle in handles:
            handle.set(linestyle="none")
        legend_below(fig, handles, labels, 4)
        notes = [*notes, *_bars(summary)]
        return save(fig, folder, name, notes=describe(fig, notes))


def _bars(summary: pd.DataFrame) -> list[str]:
    units = interval_units(summary["ci_unit"])
    return [f"bars: 95 % intervals for further {units}"] if units else []
