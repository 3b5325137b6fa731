"""The paper's figure 4: quality by the format of the tables."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from experiments.papers.table_format.table import GROUP, METRICS
from ohr.display.labels import interval_units, mathless
from ohr.display.notes import Notes, answerers, note_lines
from ohr.display.settings import Setting, settings_of
from ohr.display.wording import ALPHA, family, is_shown
from ohr.figures.axes import HATCHES, start_at_zero
from ohr.figures.dots import wrapped
from ohr.figures.style import COLOURS, MARKERS, describe, figure, legend_below, save
from ohr.study.output.select import cells_of


def format_figure(
    cells: pd.DataFrame, differences: pd.DataFrame, folder: Path, notes: Notes | None = None
) -> list[Path]:
    """Draw one column per metric: means of each format above, paired changes below.

    ``differences`` are those of :func:`paired_differences`, from the first format; without any,
    only means are drawn.
    """
    metrics = [m for m in METRICS if len(cells_of(cells, m[0], m[1], GROUP))]
    formats = list(dict.fromkeys(cells["engine"]))
    systems = settings_of(cells)
    rows = 1 + (len(differences) > 0)
    width = max(3.4, 0.8 + 1.5 * len(metrics) * max(1.0, 0.6 * len(systems)))
    with figure(width, 1.1 + 1.5 * rows + 0.7 * (len(systems) > 2)) as fig:
        axes = fig.subplots(rows, len(metrics), squeeze=False, sharex=False, sharey="row")
        for column, (stage, metric, title) in zip(axes.T, metrics, strict=True):
            ticks: dict[str, Setting] = {}
            for setting in systems:  # those that differ only in parts of other stages are one
                ticks.setdefault(_ticks(stage, setting), setting)
            for place, setting in enumerate(ticks.values()):
                chosen = setting.select(cells_of(cells, stage, metric, GROUP))
                changes = differences[
                    (differences["stage"] == stage) & (differences["metric"] == metric)
                ]
                changes = setting.select(changes)
                for number, name in enumerate(formats):
                    step = (number - (len(formats) - 1) / 2) * 0.8 / len(formats)
                    of_format = chosen[chosen["engine"] == name]
                    column[0].bar(
                        [place + step] * len(of_format),
                        of_format["mean"],
                        0.74 / len(formats),
                        color=COLOURS[number % len(COLOURS)],
                        hatch=HATCHES[number % len(HATCHES)],
                        edgecolor="white",
                        linewidth=0,
                        label=mathless(str(name)) if place == 0 else None,
                    )
                    for _, change in changes[changes["format"] == name].iterrows():
                        colour = COLOURS[number % len(COLOURS)]
                        ends = (change["ci_low"], change["ci_high"])
                        column[1].vlines(place + step, *ends, color=colour, alpha=0.6)
                        column[1].plot(
                            place + step,
                            change["mean"],
                            color=colour,
                            marker=MARKERS[number % len(MARKERS)],
                            markerfacecolor=colour if is_shown(change["p_adjusted"]) else "white",
                            linestyle="none",
                            zorder=3,
                        )
            n = int(cells_of(cells, stage, metric, GROUP)["n"].max())
            column[0].set_title(f"{wrapped([title], 20)[0]}\n(n = {n})")
            for ax in column:
                ax.grid(axis="x", visible=False)
                ax.set_xlim(-0.5, len(ticks) - 0.5)
                ax.set_xticks(range(len(ticks)), [""] * len(ticks))
            turned = 90 if len(systems) > 2 else 0
            column[-1].set_xticks(range(len(ticks)), list(ticks), rotation=turned)
        axes[0, 0].set_ylabel("mean\n(better ↑)")
        start_at_zero(list(axes[0]))
        if rows > 1:
            baseline = mathless(str(differences["less"].iloc[0]))
            axes[1, 0].set_ylabel(f"change from\n{baseline} (better ↑)")
            for ax in axes[1]:
                ax.axhline(0, color="#777777", linewidth=1)
            axes[1, 0].margins(y=0.12)
        handles, labels = axes[0, 0].get_legend_handles_labels()
        legend_below(fig, handles, labels, len(formats))
        description = describe(fig, [*_caption(differences), *note_lines(answerers(cells), notes)])
        return save(fig, folder, "table_format", notes=description)


def _caption(differences: pd.DataFrame) -> list[str]:
    """What is drawn below the means."""
    if differences.empty:
        return ["means of one format, without intervals"]
    baseline = differences["less"].iloc[0]
    units = interval_units(differences["ci_unit"])
    tests = int(differences["family_size"].max())
    return [
        f"above: means; below: paired changes from {baseline}",
        f"bars: 95 % intervals for further {units}" if units else "no intervals: too few documents",
        "hollow: not significant",
        f"significant: adjusted p is at most {ALPHA}; {family(tests, 'of each metric')}",
        f"n: questions about tables, of which changes are over {_range(differences['n'])}",
    ]


def _range(numbers: pd.Series) -> str:
    least, most = int(numbers.min()), int(numbers.max())
    return str(most) if least == most else f"{least} to {most}"


def _ticks(stage: str, setting: Setting) -> str:
    """The parts of the system that a stage uses."""
    used = {
        "retrieval": (setting.retriever,),
        "generation": (setting.reader,),
    }.get(stage, setting.system_parts)
    return "\n".join(wrapped([name for name in used if name], 12))
