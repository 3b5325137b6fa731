"""Draws all settings of a study into one figure: what varies has colours, lines and marks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ohr.display.labels import mathematical, mathless
from ohr.display.settings import Setting
from ohr.figures.loss import Panel, Series
from ohr.figures.marks import draw_marks
from ohr.figures.style import COLOURS, LINES, MARKERS, describe, figure, legend_below, save

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes

_NAMES = ("chunker", "retriever", "hits", "reader", "system")
"""The parts of a setting, in the order of :attr:`Setting.parts`."""
_MATTERING = {"retrieval": ("chunker", "retriever", "hits"), "generation": ("reader",)}
"""The parts that a stage depends on; other stages depend on all."""
_ORDER = ("retriever", "reader", "chunker", "system", "hits")
"""The first part that varies has colours, the second lines, the third marks."""
_ROW = 1.75
_GREY = "#555555"


@dataclass(frozen=True)
class _Factors:
    """The parts of settings that vary, with their values, in the order of their signs."""

    values: Mapping[str, tuple[str, ...]]

    @classmethod
    def varying(cls, settings: Sequence[Setting]) -> _Factors:
        """Those of some settings."""
        columns = dict(zip(_NAMES, zip(*map(_parts, settings), strict=True), strict=True))
        values = {name: tuple(dict.fromkeys(filter(None, columns[name]))) for name in _ORDER}
        return cls({name: several for name, several in values.items() if len(several) > 1})

    def style(self, setting: Setting, mattering: Sequence[str]) -> dict[str, Any]:
        """Colour, line and mark of a setting's curve, by the parts that the stage depends on."""
        parts = dict(zip(_NAMES, _parts(setting), strict=True))
        places = [
            values.index(parts[name]) if name in mattering and parts[name] in values else 0
            for name, values in self.values.items()
        ]
        colour, line, *marks = [*places, 0, 0, 0][: max(3, len(places))]
        first = next(iter(self.values), "")
        is_coloured = first in mattering and bool(parts.get(first))
        return {
            "color": COLOURS[colour % len(COLOURS)] if is_coloured else _GREY,
            "linestyle": LINES[line % len(LINES)],
            # A fourth part has marks of its own with those of the third.
            "marker": MARKERS[sum(marks) % len(MARKERS)],
        }

    def handles(self) -> tuple[list[Artist], list[str]]:
        """Handles and labels of the legend, part by part."""
        from matplotlib.lines import Line2D

        handles: list[Artist] = []
        labels = []
        for number, (name, values) in enumerate(self.values.items()):
            for place, value in enumerate(values):
                sign: dict[str, Any] = {"color": _GREY, "linestyle": "none"}
                if number == 0:
                    sign = {"color": COLOURS[place % len(COLOURS)], "linestyle": "-"}
                elif number == 1:
                    sign = {"color": _GREY, "linestyle": LINES[place % len(LINES)]}
                else:
                    sign["marker"] = MARKERS[place % len(MARKERS)]
                handles.append(Line2D([], [], **sign))
                labels.append(mathless(f"{name} {value}"))
        return handles, labels


def draw_settings(
    settings: Sequence[tuple[Setting, Sequence[Panel]]],
    folder: Path,
    noise: str,
    notes: Sequence[str] = (),
) -> list[Path]:
    """Draw the curves of all settings: metrics in columns, engines and noises in rows.

    ``noise`` is the title of the axis of noise. Returns the files; none for a single setting.
    """
    if len(settings) < 2:
        return []
    factors = _Factors.varying([setting for setting, _ in settings])
    metrics = {(p.stage, p.metric): p for _, panels in settings for p in panels}
    rows = list(
        dict.fromkeys(
            (s.engine, s.noise) for _, panels in settings for p in panels for s in p.series
        )
    )
    height = 0.9 + 0.16 * sum(map(len, factors.values.values())) / 2 + _ROW * len(rows)
    with figure(0.6 + 2.1 * len(metrics), height) as fig:
        axes = fig.subplots(len(rows), len(metrics), squeeze=False, sharex="all", sharey="col")
        for column, ((stage, metric), panel) in enumerate(metrics.items()):
            chosen = _distinct(settings, stage, metric)
            for row, (engine, kind) in enumerate(rows):
                ax: Axes = axes[row, column]
                for setting, series in chosen:
                    if (series.engine, series.noise) == (engine, kind):
                        _draw(ax, series, factors.style(setting, _mattering(stage)))
                if column == 0:
                    words = f"{engine}, {kind}".replace("_", " ") if len(rows) > 1 else ""
                    lines = [mathless(words), "mean score (better ↑)"]
                    ax.set_ylabel("\n".join(filter(None, lines)))
            axes[0, column].set_title(f"{mathematical(panel.title)} (n = {panel.series[0].n})")
            axes[-1, column].set_xlabel(mathematical(noise))
            axes[0, column].set_ylim(0, 1.05 * _highest(chosen))
        axes[0, 0].set_xlim(left=0)
        legend_below(fig, *factors.handles(), 4)
        alone = f"{rows[0][0]}, {rows[0][1]}".replace("_", " ") if len(rows) == 1 else ""
        shown = describe(fig, [alone, "hollow: no loss is shown at the end of the curve"])
        return save(fig, folder, "noise_settings", pdf=True, notes=[*shown, *_notes(noise), *notes])


def _distinct(
    settings: Sequence[tuple[Setting, Sequence[Panel]]], stage: str, metric: str
) -> list[tuple[Setting, Series]]:
    """The curves of a metric, each once: settings differ in parts that it does not depend on."""
    mattering = _mattering(stage)
    chosen: dict[tuple[str, ...], tuple[Setting, Series]] = {}
    for setting, panels in settings:
        parts = dict(zip(_NAMES, _parts(setting), strict=True))
        for panel in panels:
            if (panel.stage, panel.metric) == (stage, metric):
                for series in panel.series:
                    key = (*(parts[name] for name in mattering), series.engine, series.noise)
                    chosen.setdefault(key, (setting, series))
    return list(chosen.values())


def _parts(setting: Setting) -> tuple[str, ...]:
    """The parts of a setting, with the name of the built-in system."""
    return (*setting.parts[:-1], setting.system)


def _mattering(stage: str) -> Sequence[str]:
    return _MATTERING.get(stage, _NAMES)


def _draw(ax: Axes, series: Series, style: Mapping[str, Any]) -> None:
    """A curve, with marks at its ends: the last is hollow unless a loss is shown there."""
    curve = series.curve
    clean = curve.clean + series.floor
    scores = clean - curve.fit
    colour, marker = style["color"], style["marker"]
    ax.plot(curve.x, scores, color=colour, linestyle=style["linestyle"])
    ax.plot(curve.x[0], clean, color=colour, marker=marker, linestyle="none", clip_on=False)
    if np.isfinite(scores[-1]):
        draw_marks(ax, curve.x[-1], scores[-1], curve.low[-1] > 0, colour, marker)


def _highest(chosen: Sequence[tuple[Setting, Series]]) -> float:
    return max([series.curve.clean + series.floor for _, series in chosen]) or 1.0


def _notes(noise: str) -> list[str]:
    return [
        f"The mean score against {noise}: a monotone fit with 0 loss at the clean pages. Curves of "
        "settings that differ only in parts on which the score does not depend are drawn once.",
        "The last mark is filled if the simultaneous 95 % band of the loss is above 0 there. Bands "
        "are in the figures of single settings.",
    ]
