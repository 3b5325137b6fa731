"""The paper's figure 3, drawn from its points."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from ohr.analysis.figure3.table import CLEAN, PANELS, STRIPPED
from ohr.display.labels import (
    STAGE_METRICS,
    interval_units,
    mathematical,
    mathless,
    noise_title,
)
from ohr.display.notes import note_lines, run_notes
from ohr.display.wording import is_shown
from ohr.figures.axes import clipped_ends, start_at_zero
from ohr.figures.marks import HOLLOW, draw_marks
from ohr.figures.style import COLOURS, MARKERS, describe, figure, legend_below, save
from ohr.statistics.loss_curves import GRID, rising_line
from ohr.study.notices.truth import truth_notes
from ohr.study.results import StudyRun

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes

STYLES = {"semantic": ("--", "image noise"), "formatting": ("-", "formatting noise")}
"""Line style and name of each kind of noise."""


_HOW = (
    "Lines: a monotone fit through the points, from the clean pages, which are the large mark.",
    "Bands: the 95 % interval of the paired change from the clean pages, around the mean; "
    "straight between the points.",
)


def draw_figure3(points: pd.DataFrame, notes: Sequence[str], folder: Path) -> list[Path]:
    """Draw stages in rows and panels in columns; returns PNG, SVG, PDF and the notes."""
    panels = [name for name in PANELS if (points["panel"] == name).any()]
    stages = [
        stage_metric for stage_metric in STAGE_METRICS if (points["stage"] == stage_metric[0]).any()
    ]
    single = bool((points.groupby("stage")["setting"].nunique() == 1).all())
    with figure(0.9 + 1.5 * len(panels), 0.9 + 1.35 * len(stages)) as fig:
        axes = fig.subplots(len(stages), len(panels), squeeze=False, sharex="all", sharey="row")
        for row, (stage, _, title) in enumerate(stages):
            of_stage = points[points["stage"] == stage]
            settings = list(dict.fromkeys(of_stage["setting"]))
            for column, panel in enumerate(panels):
                ax: Axes = axes[row, column]
                of_panel = of_stage[of_stage["panel"] == panel]
                for number, setting in enumerate(settings):
                    for kind in STYLES:
                        chosen = (of_panel["setting"] == setting) & (of_panel["noise"] == kind)
                        colour = _colour(kind, number, single)
                        _curve(ax, of_panel[chosen], kind, colour, MARKERS[number % len(MARKERS)])
                _floors(ax, of_panel, settings)
                if row == 0:
                    ax.set_title(_panel_title(panel, points))
                if row == len(stages) - 1:
                    ax.set_xlabel(mathematical(_noise_title(points)))
            axes[row, 0].set_ylabel(f"{mathematical(title)}\n(better ↑)")
            start_at_zero(axes[row])
        axes[0, 0].set_xlim(-0.02, max(0.1, 1.06 * float(points["r_noise"].max())))
        handles, labels = _legend(points)
        legend_below(fig, handles, labels, 4)
        return save(fig, folder, "figure3", pdf=True, notes=[*describe(fig, notes), *_HOW])


def _noise_title(points: pd.DataFrame) -> str:
    """Of the axis, which is published unless some run cannot have that."""
    return noise_title(str(points["axis"].iloc[0]))


def _panel_title(panel: str, points: pd.DataFrame) -> str:
    """The name of a panel and its number of questions."""
    numbers = points.loc[points["panel"] == panel, "n"]
    least, most = int(numbers.min()), int(numbers.max())
    n = f"{most}" if least == most else f"{least} to {most}"
    return f"{panel.partition(' (')[0].replace('_', ' ')} (n = {n})"


def _colour(kind: str, number: int, single: bool) -> str:
    """The colour of a kind of noise, or of a setting where there are several."""
    number = list(STYLES).index(kind) if single else number
    return COLOURS[number % len(COLOURS)]


def _curve(ax: Axes, points: pd.DataFrame, kind: str, colour: str, mark: str) -> None:
    """Draw one curve with its intervals as a band."""
    if points.empty:
        return
    line, _ = STYLES[kind]
    clean = points[points["level"] == CLEAN]
    noisy = points[points["level"] != CLEAN]
    _band(ax, clean, noisy, colour)
    if len(clean) and len(noisy):
        x, height = float(clean["r_noise"].iloc[0]), float(clean["mean"].iloc[0])
        grid = np.linspace(x, max(x, float(noisy["r_noise"].max())), GRID)
        position = np.r_[x, noisy["r_noise"].to_numpy(float)]
        fit = rising_line(position, height - noisy["mean"].to_numpy(float), grid)
        ax.plot(grid, height - fit, color=colour, linestyle=line)
    for marks, shown, size in ((noisy, noisy["p_adjusted"].map(is_shown), 3.2), (clean, True, 5.0)):
        draw_marks(ax, marks["r_noise"], marks["mean"], shown, colour, mark, markersize=size)


def _band(ax: Axes, clean: pd.DataFrame, noisy: pd.DataFrame, colour: str) -> None:
    """Shade the intervals of a curve, from the clean pages on; bars where there is no start."""
    low, high = clipped_ends(noisy)
    if clean.empty:
        ax.vlines(noisy["r_noise"], low, high, color=colour, alpha=0.35)
        return
    start = clean[["r_noise", "mean"]].to_numpy(float)[:1]
    x = np.r_[start[:, 0], noisy["r_noise"].to_numpy(float)]
    order = np.argsort(x, kind="stable")
    ends = [np.r_[start[:, 1], side][order] for side in (low, high)]
    ax.fill_between(x[order], *ends, color=colour, alpha=0.13, linewidth=0)


def _floors(ax: Axes, points: pd.DataFrame, settings: Sequence[str]) -> None:
    """Draw the readers' F1 without context: one line, or one for each reader."""
    floors = points[points["floor"].notna()].drop_duplicates("floor")
    for floor, setting in zip(floors["floor"], floors["setting"], strict=True):
        alone = floors["setting"].nunique() == 1
        colour = "#777777" if alone else COLOURS[settings.index(setting) % len(COLOURS)]
        ax.axhline(floor, color=colour, linewidth=0.8, linestyle=":")
    if len(floors):
        ax.annotate(
            "no context", (0.99, floors["floor"].max()), xycoords=("axes fraction", "data"),
            xytext=(0, 1.5), textcoords="offset points", fontsize="small", color="#555555",
            ha="right",
        )  # fmt: skip


def _legend(points: pd.DataFrame) -> tuple[list[Artist], list[str]]:
    """Kinds of noise, and where a stage has several settings, their colours."""
    from matplotlib.lines import Line2D

    colours: dict[int, dict[str, None]] = {}
    for _, of_stage in points.groupby("stage", sort=False):
        for number, setting in enumerate(dict.fromkeys(of_stage["setting"])):
            colours.setdefault(number, {})[str(setting)] = None
    handles: list[Artist] = []
    labels: list[str] = []
    single = len(colours) == 1
    for kind, (line, title) in STYLES.items():
        if (points["noise"] == kind).any():
            colour = _colour(kind, 0, single) if single else "#555555"
            style: dict[str, Any] = {"linestyle": line, "marker": MARKERS[0]}
            handles.append(Line2D([], [], color=colour, **style))
            labels.append(title)
    if not single:
        for number, settings in colours.items():
            mark = MARKERS[number % len(MARKERS)]
            colour = COLOURS[number % len(COLOURS)]
            handles.append(Line2D([], [], color=colour, marker=mark, linestyle="none"))
            labels.append(mathless(" | ".join(settings)))
    return handles, labels


def caption_of(runs: Sequence[StudyRun], points: pd.DataFrame) -> list[str]:
    """The parts of the caption, the first ones for the figure itself."""
    everyone = points[points["panel"] == "all"]
    units = interval_units(points["ci_unit"])
    parts = [f"bands: 95 % intervals for further {units}" if units else "no intervals", HOLLOW]
    for kind, (_, title) in STYLES.items():
        of_kind = everyone[everyone["noise"] == kind]
        if of_kind.empty:
            continue
        engines = int(of_kind["engines"].max())
        over = f"mean of {engines} engines, " if engines > 1 else ""
        parts.append(f"{title}: {over}n = {int(of_kind['n'].max())}")
    if (points["metric"] == STRIPPED).any():
        parts.append("retrieval under formatting noise with mark-up left out")
    scopes = dict.fromkeys(scope for run in runs for scope in run.rows["kb_scope"].unique())
    named = {"all": "all pages re-read", "evidence": "only pages with evidence re-read"}
    parts.append(" or ".join(named[scope] for scope in scopes))
    protocols = dict.fromkeys(name for run in runs for name in run.rows["protocol"].unique())
    parts.append(f"{' and '.join(protocols)} scoring")
    for name, title in (("chunker", "chunkers"), ("top_k", "numbers of hits")):
        for run in runs:
            values = [str(value) for value in run.rows[name].dropna().unique() if value != ""]
            if len(values) > 1:
                parts.append(f"of the {title} {', '.join(values)} in {run.name} the first")
    readers = [name for run in runs for name in run.rows["reader"].unique()]
    parts += note_lines(readers, run_notes(runs))
    return [*parts, *truth_notes(run.cells for run in runs)]
