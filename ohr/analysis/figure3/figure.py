"""The paper's figure 3, drawn from its points."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd

from ohr.analysis.figure3.table import PANELS, STRIPPED
from ohr.display.labels import STAGE_METRICS, interval_units, mathless
from ohr.display.notes import note_lines, run_notes
from ohr.figures.axes import from_zero
from ohr.figures.style import COLOURS, MARKERS, figure, save, wrapped
from ohr.study.notices.truth import truth_notes
from ohr.study.results import Run

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

STYLES = {"semantic": ("--", "[S]"), "formatting": ("-", "[F]")}
"""Line style and mark of each kind of noise."""


def draw_figure3(points: pd.DataFrame, caption: str, folder: Path) -> list[Path]:
    """Draw stages in rows and panels in columns; returns PNG, SVG and PDF."""
    panels = [name for name in PANELS if (points["panel"] == name).any()]
    stages = [
        stage_metric for stage_metric in STAGE_METRICS if (points["stage"] == stage_metric[0]).any()
    ]
    with figure(2.4 + 2.4 * len(panels), 0.9 + 2.1 * len(stages)) as fig:
        axes = fig.subplots(len(stages), len(panels), squeeze=False, sharex="all", sharey="row")
        for row, (stage, _, title) in enumerate(stages):
            of_stage = points[points["stage"] == stage]
            settings = list(dict.fromkeys(of_stage["setting"]))
            for column, panel in enumerate(panels):
                ax: Axes = axes[row, column]
                of_panel = of_stage[of_stage["panel"] == panel]
                for number, setting in enumerate(settings):
                    for kind in STYLES:
                        chosen = of_panel[
                            (of_panel["setting"] == setting) & (of_panel["noise"] == kind)
                        ]
                        _line(ax, chosen, kind, setting, number)
                _floors(ax, of_panel, settings)
                if row == 0:
                    ax.set_title(panel.replace(" (", "\n("), fontsize=9)
                if row == len(stages) - 1:
                    ax.set_xlabel("$r_{noise}$ of these questions")
            axes[row, 0].set_ylabel(title)
            from_zero(axes[row])
            _legend(axes[row])
        axes[0, 0].set_xlim(left=-0.02 * float(points["r_noise"].max()))
        _write_caption(fig, caption)
        return save(fig, folder, "figure3", pdf=True)


def _line(ax: Axes, points: pd.DataFrame, kind: str, setting: str, number: int) -> None:
    """Draw one curve with its intervals; empty markers for semantic noise, full for formatting."""
    if points.empty:
        return
    points = points.sort_values("r_noise", kind="stable")
    colour, (line, mark) = COLOURS[number % len(COLOURS)], STYLES[kind]
    ax.plot(
        points["r_noise"],
        points["mean"],
        color=colour,
        linestyle=line,
        marker=MARKERS[number % len(MARKERS)],
        markerfacecolor="white" if kind == "semantic" else colour,
        label=mathless(f"{setting} {mark}"),
    )
    ax.vlines(points["r_noise"], points["ci_low"], points["ci_high"], color=colour, alpha=0.35)


def _floors(ax: Axes, points: pd.DataFrame, settings: Sequence[str]) -> None:
    """Draw the readers' F1 without context: one line per kind of noise, grey if all agree."""
    for kind, (_, mark) in STYLES.items():
        floors = points[(points["noise"] == kind) & points["floor"].notna()]
        floors = floors.drop_duplicates("floor")
        for setting, floor in zip(floors["setting"], floors["floor"], strict=True):
            alone = len(floors) == 1
            ax.axhline(
                floor,
                color="#777777" if alone else COLOURS[settings.index(setting) % len(COLOURS)],
                linewidth=1,
                linestyle=(0, (1, 4)) if kind == "semantic" else ":",
                label=mathless(f"{'' if alone else f'{setting}, '}no context {mark}"),
            )


def _legend(axes: Sequence[Axes]) -> None:
    """Draw one legend beside the row, with every curve in it."""
    entries: dict[str, Artist] = {}
    for ax in axes:
        for handle, label in zip(*ax.get_legend_handles_labels(), strict=True):
            entries.setdefault(str(label), handle)
    axes[-1].legend(
        entries.values(),
        entries.keys(),
        loc="center left",
        bbox_to_anchor=(1.02, 0.5),
        handlelength=4,
    )


def caption_of(runs: Sequence[Run], points: pd.DataFrame) -> str:
    """The caption of the figure."""
    everyone = points[points["panel"] == "all"]
    parts = []
    for kind, (_, mark) in STYLES.items():
        of_kind = everyone[everyone["noise"] == kind]
        if of_kind.empty:
            continue
        engines = int(of_kind["engines"].max())
        over = f", mean of {engines} engines" if engines > 1 else ""
        parts.append(f"{mark} {kind} noise{over}, n = {int(of_kind['n'].max())}")
    if (points["metric"] == STRIPPED).any():
        parts.append("retrieval under [F] with mark-up left out")
    scopes = dict.fromkeys(scope for run in runs for scope in run.rows["kb_scope"].unique())
    named = {"all": "all pages re-read", "evidence": "only pages with evidence re-read"}
    parts.append(" or ".join(named[scope] for scope in scopes))
    units = interval_units(points["ci_unit"])
    parts.append(f"bars: 95 % intervals for further {units}" if units else "no intervals")
    protocols = dict.fromkeys(name for run in runs for name in run.rows["protocol"].unique())
    parts.append(f"{' and '.join(protocols)} scoring")
    for name, what in (("chunker", "chunkers"), ("top_k", "numbers of hits")):
        for run in runs:
            values = [str(value) for value in run.rows[name].dropna().unique() if value != ""]
            if len(values) > 1:
                parts.append(f"of the {what} {', '.join(values)} in {run.name} the first")
    readers = [name for run in runs for name in run.rows["reader"].unique()]
    parts += note_lines(readers, run_notes(runs))
    return "; ".join([*parts, *truth_notes(run.cells for run in runs)])


def _write_caption(fig: Figure, caption: str) -> None:
    fig.suptitle(wrapped(caption, fig.get_figwidth()), fontsize=8, color="#444444")
