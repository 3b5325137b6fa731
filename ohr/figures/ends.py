"""Names of curves at their right ends, in place of a legend."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ohr.figures.style import legend_below

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_LINE = 1.25
"""Height of a line of text, over the size."""
_LETTER = 0.6
"""Width of a letter, over the size."""
_OUTSIDE = 1.05
"""Where names begin, over a panel's width."""
MOST = 6
"""More curves are named in a legend: their names would be far from their ends."""

WIDEST = 0.6
"""Of a panel's width: wider names would take the room of the panels."""


class End(NamedTuple):
    """The right end of a curve, in data units, with its name and colour."""

    name: str
    x: float
    y: float
    colour: str


def name_curves(fig: Figure, axes: np.ndarray, columns: int = 4) -> None:
    """Name all labelled curves of a grid of panels: right of each row, or in a legend below.

    Names are right of a row only if its last panel has every curve of the figure, and if they fit.
    """
    if ends_named(fig, axes):
        return
    handles: dict[str, Artist] = {}
    for ax in axes.flat:
        for handle, label in zip(*ax.get_legend_handles_labels(), strict=True):
            handles.setdefault(label, handle)
    legend_below(fig, list(handles.values()), list(handles), columns)


def ends_named(fig: Figure, axes: np.ndarray) -> bool:
    """Name the labelled curves of a grid of panels right of each row, if the names fit there."""
    last = list(axes[:, -1])
    labels = list(dict.fromkeys(end.name for ax in axes.flat for end in _ends(ax)))
    fig.draw_without_rendering()
    size = _scaled(fig)
    fits = all(_has_room(ax, labels, size) for ax in last)
    for ax in last if fits else ():
        _name_ends(fig, ax, size)
    return fits


def _scaled(fig: Figure) -> float:
    """The size of names in pixels: that of a legend, also on slides."""
    import matplotlib as mpl

    return float(mpl.rcParams["legend.fontsize"]) * fig.dpi / 72


def _ends(ax: Axes) -> list[End]:
    """The ends of the labelled lines of a panel, in the order in which they were drawn."""
    ends = []
    for line in ax.lines:
        name = str(line.get_label())
        x, y = (np.asarray(part, float) for part in line.get_data())
        shown = np.flatnonzero(np.isfinite(x) & np.isfinite(y))
        if not name.startswith("_") and shown.size:
            place = shown[-1]
            ends.append(End(name, float(x[place]), float(y[place]), str(line.get_color())))
    return ends


def _has_room(ax: Axes, labels: Sequence[str], size: float) -> bool:
    names = [end.name for end in _ends(ax)]
    if not 0 < len(names) <= MOST or sorted(names) != sorted(labels):
        return False
    panel = ax.get_window_extent()
    width = max(len(name) for name in names) * _LETTER * size
    return len(names) * size * _LINE <= panel.height and width <= WIDEST * panel.width


def _name_ends(fig: Figure, ax: Axes, size: float) -> None:
    """Write each name right of the panel, as near to its curve's end as its neighbours allow."""
    ends = sorted(_ends(ax), key=lambda end: end.y)
    height = ax.get_window_extent().height
    scale = ax.transAxes.inverted()
    at_ends = [float(scale.transform(ax.transData.transform((e.x, e.y)))[1]) for e in ends]
    heights = spread(at_ends, size * _LINE / height)
    for end, place in zip(ends, heights, strict=True):
        ax.annotate(
            end.name,
            (end.x, end.y),
            xytext=(_OUTSIDE, place),
            textcoords="axes fraction",
            va="center",
            color=end.colour,
            fontsize=size * 72 / fig.dpi,
            annotation_clip=False,
            arrowprops={
                "arrowstyle": "-", "color": end.colour, "linewidth": 0.6, "alpha": 0.6,
                "shrinkA": 1, "shrinkB": 3, "relpos": (0, 0.5),
            },
        )  # fmt: skip


def spread(places: Sequence[float], least: float) -> list[float]:
    """Rising places in [0, 1], moved as little as makes neighbours ``least`` apart or more.

    They must fit: ``len(places) * least <= 1``.
    """
    blocks: list[list[float]] = []  # of places that touch, each less its number's share
    for number, place in enumerate(places):
        blocks.append([place - number * least])
        while len(blocks) > 1 and _mean(blocks[-2]) > _mean(blocks[-1]):
            touching = blocks.pop()
            blocks[-1] += touching
    low, high = least / 2, 1 - least / 2 - (len(places) - 1) * least
    bases = [_mean(block) for block in blocks for _ in block]
    return [min(max(base, low), high) + number * least for number, base in enumerate(bases)]


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)
