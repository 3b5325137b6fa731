"""Draws the loss against the measured noise, a line for each kind of noise."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ohr.analysis.equal_noise.table import GROUND_TRUTH, Kind, Measured
from ohr.display.labels import mathematical
from ohr.display.wording import is_shown
from ohr.figures.marks import draw_marks
from ohr.figures.style import COLOURS, describe, figure, save, series_numbers
from ohr.statistics.inference import Paired
from ohr.statistics.paired import compare_family

if TYPE_CHECKING:
    from matplotlib.axes import Axes

POINTS = 40
"""Places of a line and its band."""
WIDTH, HEIGHT = 2.6, 3.4
LABELS = 2.2
"""Inches for the names beside the last panel."""
STAGES = ("retrieval", "generation", "overall")
_MARGIN = 0.3
"""How far a panel reaches beyond its lines at most, as a share of their range. Between points of
nearly the same noise bands are far wider."""
_GAP = 0.06
"""Least distance of two labels, as a share of a panel's height."""


def draw_equal_noise(
    curves: Sequence[Measured], titles: Mapping[tuple[str, str], str], axis: str, folder: Path
) -> list[Path]:
    """One panel per metric with all questions: at equal noise, lines that differ cost differently.

    Points are what was measured, lines are straight between them, bands are 95 % intervals over
    documents, each of its own; what lies far from all lines is cut off.
    """
    whole = [each for each in curves if each.key["group"] == "all"]
    panels = sorted(
        {(str(each.key["stage"]), str(each.key["metric"])) for each in whole},
        key=lambda panel: (STAGES.index(panel[0]), panel[1]),
    )
    names = line_names(list(dict.fromkeys(each.kind for each in whole)))
    # The ground truth has a line for each noise; an engine has one colour.
    things = [name if kind.engine == GROUND_TRUTH else kind.engine for kind, name in names.items()]
    colours = [COLOURS[number % len(COLOURS)] for number in series_numbers(things)]
    colour = dict(zip(names, colours, strict=True))
    most = max(each.curve.reach[1] for each in whole)
    with figure(LABELS + WIDTH * len(panels), HEIGHT) as fig:
        drawn = fig.subplots(1, len(panels), squeeze=False, sharex=True)[0]
        for ax, panel in zip(drawn, panels, strict=True):
            ends = [
                (each.kind, *_line(ax, each, colour[each.kind]))
                for each in whole
                if (each.key["stage"], each.key["metric"]) == panel
            ]
            ax.axhline(0, color="#bbbbbb", linewidth=0.8, zorder=0)
            ax.set_title(mathematical(titles.get(panel, panel[1])))
            ax.set_xlim(-0.03 * most, 1.04 * most)
            _cut_off(ax)
            if ax is drawn[-1]:
                _label(ax, ends, names, colour)
        drawn[0].set_ylabel("lost, of the score on the true text")
        fig.supxlabel(titles.get(("ocr", axis), axis), fontsize="medium")
        parts = [
            "points: measured",
            "hollow: no significant loss",
            "bands: 95 % intervals over documents",
            "one line above another: the same amount of noise costs more",
        ]
        notes = describe(fig, parts)
        return save(fig, folder, "equal_noise", notes=notes)


def line_names(kinds: Sequence[Kind]) -> dict[Kind, str]:
    """What each line is called: with its run only where another line has the same condition."""
    common = Counter(kind.condition for kind in kinds)
    names = {}
    for kind in kinds:
        of_truth = kind.engine == GROUND_TRUTH and kind.noise
        condition = f"{kind.noise} in the true text" if of_truth else kind.condition
        is_alone = common[kind.condition] == 1 or not kind.pages
        names[kind] = condition if is_alone else f"{kind.pages}: {condition}"
    return names


def _line(ax: Axes, each: Measured, colour: str) -> tuple[float, float]:
    """Draw one kind; returns its end."""
    curve = each.curve
    start, end = curve.reach
    places = np.linspace(start, end, POINTS)
    values = [curve.loss_at(float(place)) for place in places]
    known_values = [(x, of) for x, of in zip(places, values, strict=True) if of is not None]
    # Each place is an interval of its own, as a point of a noise curve is.
    tested = [compare_family([Paired(of, curve.clusters)])[0] for _, of in known_values]
    x = [place for place, _ in known_values]
    ax.fill_between(
        x,
        [each.interval.low for each in tested],
        [each.interval.high for each in tested],
        color=colour,
        alpha=0.13,
        linewidth=0,
    )
    ax.plot(x, [each.difference for each in tested], color=colour, linewidth=1.4)
    points = compare_family([Paired(loss, curve.clusters) for loss in curve.loss])
    losses = [point.difference for point in points]
    are_shown = [is_shown(point.p_adjusted) for point in points]
    draw_marks(ax, curve.noise.mean(axis=1), losses, are_shown, colour, markersize=3.5)
    return x[-1], tested[-1].difference


def _cut_off(ax: Axes) -> None:
    """Limit a panel to the neighbourhood of its lines."""
    values = np.concatenate([np.asarray(line.get_ydata(), dtype=float) for line in ax.get_lines()])
    margin = _MARGIN * (values.max() - values.min())
    bottom, top = ax.get_ylim()
    ax.set_ylim(max(bottom, values.min() - margin), min(top, values.max() + margin))


def _label(
    ax: Axes,
    ends: Sequence[tuple[Kind, float, float]],
    names: Mapping[Kind, str],
    colour: Mapping[Kind, str],
) -> None:
    """Names beside the panel, in the order of the lines' ends, none on another."""
    (low, high), right = ax.get_ylim(), ax.get_xlim()[1]
    gap = _GAP * (high - low)
    last = -np.inf
    for kind, x, y in sorted(ends, key=lambda end: end[2]):
        last = max(y, last + gap)
        ax.annotate(
            names[kind],
            (x, y),
            xytext=(1.05 * right, last),
            va="center",
            fontsize="small",
            color=colour[kind],
            annotation_clip=False,
            arrowprops={
                "arrowstyle": "-",
                "color": colour[kind],
                "linewidth": 0.5,
                "shrinkA": 0,
                "shrinkB": 3,
            },
        )
