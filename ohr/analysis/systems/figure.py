"""Figures of systems against measured noise, and of their losses by part."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd

from ohr.analysis.systems.parts import ROWS
from ohr.analysis.systems.table import STAGE
from ohr.display.labels import interval_units, mathless
from ohr.display.notes import Notes, answerers, note_lines
from ohr.figures.axes import (
    HATCHES,
    axis_label,
    curve_line,
    curve_of,
    kinds_note,
    room_at_zero,
    start_at_zero,
)
from ohr.figures.ends import name_curves
from ohr.figures.style import COLOURS, describe, figure, save
from ohr.ocr.noise import noise_name
from ohr.study.output.select import distinct

NOT_SHOWN = ("em", "rouge_l", "refused")
"""Metrics of answers that only the file has: they agree with F1, or apply to few questions."""
_BASE = ["engine", "perturbation", "level", "intensity"]


def systems_figure(
    drops: pd.DataFrame, cells: pd.DataFrame, folder: Path, axis: str, notes: Notes | None = None
) -> list[Path]:
    """Draw metrics in rows, engines and noises in columns, and systems as lines, over damage."""
    damage = cells.drop_duplicates(_BASE)[list(dict.fromkeys([*_BASE, axis]))]
    of_answers = drops[~drops["metric"].isin(NOT_SHOWN)]
    placed = of_answers.merge(damage, on=_BASE, how="left")
    columns = _columns(placed)
    metrics = distinct(placed["metric"])
    systems = distinct(placed["system"])
    with figure(max(3.4, 0.9 + 2.0 * len(columns)), 0.9 + 1.7 * len(metrics)) as fig:
        axes = fig.subplots(len(metrics), len(columns), squeeze=False, sharex=True, sharey="row")
        for row, metric in zip(axes, metrics, strict=True):
            metric_rows = placed[placed["metric"] == metric]
            for ax, (engine, noise) in zip(row, columns, strict=True):
                for number, system in enumerate(systems):
                    of_system = metric_rows[metric_rows["system"] == system]
                    curve = curve_of(of_system, engine, noise)
                    truth = of_system[of_system["engine"] == "gt"]
                    if engine != "gt" and len(truth):
                        curve = pd.concat([truth[truth["noise"] == "none"], curve])
                    if len(curve):
                        curve_line(ax, curve, axis, number)
                        ax.lines[-1].set_label(mathless(system))
                if ax in axes[0]:
                    name = "clean" if noise == "none" else noise.replace("_", " ")
                    ax.set_title(mathless(f"{engine}, {name}"))
            row[0].set_ylabel(str(metric_rows["title"].iloc[0]))
            start_at_zero(row, marks=True)
        for ax in axes[-1]:
            ax.set_xlabel(axis_label(axis, cells))
        room_at_zero(list(axes.flat))
        name_curves(fig, axes)
        units = interval_units(drops["ci_unit"])
        notes_above = [
            f"n = {drops['n'].max()} questions",
            "lines begin at the ground truth",
            *([f"bars: 95 % intervals for further {units}"] if units else []),
            *kinds_note(placed),
            *note_lines(answerers(cells[cells["stage"] == STAGE]), notes),
        ]
        return save(fig, folder, "systems", notes=describe(fig, notes_above))


def _columns(placed: pd.DataFrame) -> list[tuple[str, str]]:
    """Engine and noise of each column; an engine that was only read clean has one too."""
    pairs = []
    for engine in distinct(placed["engine"]):
        operators = distinct(placed[placed["engine"] == engine]["perturbation"])
        noisy = [operator for operator in operators if operator != "none"]
        pairs += [(engine, noise) for noise in noisy or (["none"] if engine != "gt" else [])]
    return pairs or [("gt", "none")]


def parts_figure(losses: pd.DataFrame, folder: Path, notes: Notes | None = None) -> list[Path]:
    """Draw the loss of each system through each part: one panel per knowledge base."""
    of_all = losses[losses["group"] == "all"]
    bases = list(of_all.groupby(_BASE, sort=False, dropna=False))
    systems = distinct(of_all["system"])
    width = 0.8 / len(ROWS)
    with figure(max(3.4, 0.9 + 0.7 * len(systems)), 0.9 + 1.5 * len(bases)) as fig:
        axes = fig.subplots(len(bases), 1, squeeze=False, sharex=True, sharey=True)[:, 0]
        for ax, (key, rows) in zip(axes, bases, strict=True):
            for number, part in enumerate(ROWS):
                of_part = rows[rows["part"] == part].set_index("system").reindex(systems)
                places = np.arange(len(systems)) + (number - (len(ROWS) - 1) / 2) * width
                ax.bar(
                    places,
                    of_part["f1_lost"],
                    width,
                    color=COLOURS[number],
                    hatch=HATCHES[number],
                    edgecolor="white",
                    label=part,
                )
                ax.vlines(
                    places, of_part["ci_low"], of_part["ci_high"], color="#333333", linewidth=0.9
                )
            ax.axhline(0, color="#777777", linewidth=0.8)
            ax.grid(axis="x", visible=False)
            ax.set_ylabel("F1 loss")
            ax.set_title(mathless(f"{key[0]}, {noise_name(*key[1:])}"))
        axes[-1].set_xticks(range(len(systems)), [mathless(system) for system in systems])
        handles, labels = axes[0].get_legend_handles_labels()
        fig.legend(handles, labels, loc="outside lower center", ncols=len(ROWS))
        units = interval_units(of_all["ci_unit"])
        notes_above = [
            f"n = {of_all['n'].max()} questions, compared with the ground truth",
            *([f"lines: 95 % intervals for further {units}"] if units else []),
            *note_lines(answerers(of_all), notes),
        ]
        return save(fig, folder, "system_parts", notes=describe(fig, notes_above))
