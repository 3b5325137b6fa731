"""Noise curves: what is left of the quality, and what noise took, against measured noise.

Scores are drawn against the noise itself, losses against the noise above the same engine's clean
pages.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ohr.display.labels import added_noise_title, mathematical, mathless
from ohr.figures.ends import ends_named
from ohr.figures.marks import HOLLOW, draw_marks
from ohr.figures.style import (
    COLOURS,
    LINES,
    MARKERS,
    describe,
    figure,
    legend_below,
    save,
    series_handles,
    series_numbers,
)
from ohr.statistics.loss_curves import LOST, LossCurve
from ohr.statistics.numbers import prose

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

WIDTHS = {1: 3.4, 2: 6.0, 3: 6.9}
"""Inches by the number of panels: one column of a paper to two."""
_HEIGHT = 4.3


@dataclass(frozen=True)
class Series:
    """The curve of one engine under one noise."""

    engine: str
    noise: str
    curve: LossCurve
    floor: float
    """The mean score without any context; 0 for retrieval."""
    n: int
    """Questions."""
    clusters: int
    """Documents, or pages, that the band is over."""
    page_not_found: np.ndarray | None = None
    """The part of the fitted loss due to pages not found; None where there is no such part."""


@dataclass(frozen=True)
class Panel:
    """The curves of one metric."""

    stage: str
    metric: str
    title: str
    series: Sequence[Series]
    truth: float | None = None
    """The mean score on the ground truth; None if it was not measured."""


def draw_losses(
    panels: Sequence[Panel], folder: Path, name: str, noise: str, notes: Sequence[str] = ()
) -> list[Path]:
    """Draw the panels side by side: the quality above, the loss below; returns the files.

    ``noise`` is the title of the axis of noise. ``notes`` go beside the figure, into
    ``<name>.txt`` and the description of the SVG.
    """
    names = _names(panels)
    numbers = dict(zip(names, series_numbers([engine for engine, _ in names]), strict=True))
    with figure(WIDTHS.get(len(panels), 6.9), _HEIGHT) as fig:
        axes = fig.subplots(2, len(panels), squeeze=False, sharex="row", sharey="row")
        for column, panel in enumerate(panels):
            above, below = axes[:, column]
            for series in panel.series:
                number = numbers[series.engine, series.noise]
                _quality(above, series, number)
                _loss(below, series, number)
            _no_context(above, panel)
            _truth(above, panel)
            above.set_title(f"{mathematical(panel.title)} (n = {panel.series[0].n})")
            above.set_xlabel(mathematical(noise))
            below.set_xlabel(f"{mathematical(added_noise_title(noise))}\n(0: the clean pages)")
        axes[0, 0].set_ylabel("mean score (better ↑)")
        axes[1, 0].set_ylabel("loss to noise (better ↓)")
        _scales(axes, panels)
        _name_series(fig, axes, panels, names)
        described = describe(fig, [_caption(panels)])
        return save(fig, folder, name, pdf=True, notes=[*described, *_notes(panels, noise), *notes])


def _names(panels: Sequence[Panel]) -> list[tuple[str, str]]:
    keys = [(series.engine, series.noise) for panel in panels for series in panel.series]
    return list(dict.fromkeys(keys))


def _quality(ax: Axes, series: Series, number: int) -> None:
    """The mean score: each draw as a faint mark, the fit as a line."""
    curve, colour = series.curve, COLOURS[number % len(COLOURS)]
    clean = curve.clean + series.floor
    _draws(ax, curve, curve.points_x, clean - curve.points_loss, number)
    ax.plot(curve.x, clean - curve.fit, color=colour, linestyle=LINES[number % len(LINES)])
    ax.plot(
        curve.x[0], clean, color=colour, marker=MARKERS[number % len(MARKERS)], linestyle="none"
    )


def _loss(ax: Axes, series: Series, number: int) -> None:
    """The paired loss: draws, fit, band, and the noise at which a tenth is lost."""
    curve, colour = series.curve, COLOURS[number % len(COLOURS)]
    if curve.unit:
        ax.fill_between(curve.added, curve.low, curve.high, color=colour, alpha=0.15, linewidth=0)
    _draws(ax, curve, curve.points_x - curve.x[0], curve.points_loss, number)
    ax.plot(curve.added, curve.fit, color=colour, linestyle=LINES[number % len(LINES)])
    if series.page_not_found is not None:
        ax.plot(curve.added, series.page_not_found, color=colour, linewidth=0.7)
    value, low, high = curve.noise_at_loss()
    if np.isfinite(value):
        target = LOST * curve.clean
        right = min(high, curve.added[-1]) if not np.isnan(high) else value
        left_edge = low if not np.isnan(low) else value
        ax.plot([left_edge, right], [target, target], color=colour, linewidth=2.4, alpha=0.6)
        ax.plot(value, target, color=colour, marker="d", markeredgecolor="white", zorder=3)


def _draws(ax: Axes, curve: LossCurve, x: np.ndarray, y: np.ndarray, number: int) -> None:
    """Small marks of the draws, hollow where the band has no loss at their noise."""
    colour, marker = COLOURS[number % len(COLOURS)], MARKERS[number % len(MARKERS)]
    draw_marks(ax, x, y, curve.are_lost, colour, marker, markersize=3.2, alpha=0.7)


def _no_context(ax: Axes, panel: Panel) -> None:
    floor = max(series.floor for series in panel.series)
    if floor > 0:
        ax.axhline(floor, color="#777777", linewidth=0.8, linestyle=":")
        ax.annotate(
            "no context", (0.99, floor), xycoords=("axes fraction", "data"), xytext=(0, 2),
            textcoords="offset points", fontsize="small", color="#555555", ha="right",
        )  # fmt: skip


def _truth(ax: Axes, panel: Panel) -> None:
    if panel.truth is not None:
        ax.plot(
            0, panel.truth, marker="*", markersize=7, color="#000000", linestyle="none",
            clip_on=False,
        )  # fmt: skip


def _scales(axes: np.ndarray, panels: Sequence[Panel]) -> None:
    """One scale for each row, and the axes of noise from 0."""
    curves = [series.curve for panel in panels for series in panel.series]
    ends = (
        max(float(curve.x[-1]) for curve in curves),
        max(float(curve.added[-1]) for curve in curves),
    )
    for ax, most in zip(axes[:, 0], ends, strict=True):
        ax.set_xlim(0, 1.04 * most if most > 0 else 1)
    heights = [s.curve.clean + s.floor for panel in panels for s in panel.series]
    top = max([*heights, *(panel.truth for panel in panels if panel.truth is not None)])
    axes[0, 0].set_ylim(0, 1.12 * top if top > 0 else 1)
    edges = np.concatenate([[*curve.high, *curve.fit, *curve.points_loss] for curve in curves])
    highest = float(np.nanmax(edges))
    lowest = min(float(curve.points_loss.min()) for curve in curves)
    axes[1, 0].set_ylim(min(-0.04 * highest, 1.1 * lowest), 1.08 * highest if highest > 0 else 1)


def _name_series(
    fig: Figure, axes: np.ndarray, panels: Sequence[Panel], names: Sequence[tuple[str, str]]
) -> None:
    """Name the curves at their ends where the names fit, otherwise in a legend below."""
    noises = {noise for _, noise in names}
    numbers = dict(zip(names, series_numbers([engine for engine, _ in names]), strict=True))
    labels = {
        key: mathless(key[0] if len(noises) == 1 else f"{key[0]}, {key[1].replace('_', ' ')}")
        for key in names
    }
    if len(names) == 1:
        return
    for ax, panel in zip(axes[0], panels, strict=True):
        for series in panel.series:
            # An empty line at the end of the fit, which gives the name its place and colour.
            key, curve = (series.engine, series.noise), series.curve
            end = curve.clean + series.floor - curve.fit[-1:]
            ax.plot(
                curve.x[-1:], end, color=COLOURS[numbers[key] % len(COLOURS)], label=labels[key],
                linestyle="none",
            )  # fmt: skip
    if ends_named(fig, axes[:1]):
        return
    legend_below(fig, series_handles([engine for engine, _ in names])[0], list(labels.values()), 4)


def _caption(panels: Sequence[Panel]) -> str:
    """One line: what the band is over."""
    units = {series.curve.unit: series.clusters for panel in panels for series in panel.series}
    unit, size = next(iter(units.items()))
    band = f"bands: simultaneous 95 % over {size} {_plural(unit)}" if unit else "too few documents"
    band = f"{band}; {HOLLOW}"
    noises = dict.fromkeys(series.noise for panel in panels for series in panel.series)
    return f"{', '.join(noise.replace('_', ' ') for noise in noises)}; {band}"


def _plural(unit: str) -> str:
    first, _, rest = unit.partition(" ")
    return f"{first}s {rest}".strip()


def _notes(panels: Sequence[Panel], noise: str) -> list[str]:
    """What the figure shows, for the file beside it."""
    lines = [
        f"Above: the mean score against {noise}. Below: the paired loss, which is each "
        "question's score on the clean pages less its score under noise, against the "
        f"{noise} above that of the same engine's clean pages (0: the clean pages).",
        "Small marks: one draw of the noise at one intensity, hollow where the band has no loss at "
        "its noise. Lines: a monotone fit, with 0 loss at the clean pages, which are the large "
        "mark.",
        "Bands: simultaneous 95 % confidence bands for further documents; whole documents are "
        "resampled. The upper edge counts one more document that loses everything, since documents "
        "of a kind that was not drawn may.",
        f"Diamonds: the noise above the clean pages at which {100 * LOST:.0f} % of the clean "
        "quality is lost, with its 95 % interval.",
    ]
    if any(series.page_not_found is not None for panel in panels for series in panel.series):
        lines.append(
            "Thin lines: the part of the loss due to pages that are not found; the rest is text "
            "missing from the pages that are found."
        )
    if any(panel.truth is not None for panel in panels):
        lines.append("Star: the score on the ground truth, which has no noise.")
    for panel in panels:
        for series in panel.series:
            lines.append(
                f"{100 * LOST:.0f} % of the clean score lost: {panel.title}, {series.engine}, "
                f"{series.noise}: {breakpoint_of(series.curve)}."
            )
            if series.curve.left_out:
                lines.append(
                    f"{series.curve.left_out} of {len(series.curve.points_x)} draws have no more "
                    "noise than the clean pages; the fit leaves out levels without more noise."
                )
    return lines


def breakpoint_of(curve: LossCurve) -> str:
    """The noise above the clean pages at which a tenth of the clean score is lost.

    For example ``at 0.34 (95 % interval 0.28 to 0.45)``.
    """
    value, low, high = curve.noise_at_loss()
    if np.isnan(curve.fit).any():
        return "not assessed, since no draw has more noise than the clean pages"
    if np.isnan(value):
        return "undefined, since the clean score is not above the floor"
    if not np.isfinite(value):
        return f"not up to {prose(float(curve.added[-1]))}"
    if np.isnan(low):
        return f"at {prose(value)}"
    end = prose(high) if np.isfinite(high) else f"beyond {prose(float(curve.added[-1]))}"
    return f"at {prose(value)} (95 % CI {prose(low)} to {end})"
