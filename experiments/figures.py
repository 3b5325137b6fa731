"""Noise curves and benchmark bars, drawn from cells alone."""

from __future__ import annotations

import math
import re
import textwrap
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from experiments.labels import STAGE_METRICS, group_label, interval_units, mathless
from experiments.level_labels import name_level, place_names
from experiments.notes import Notes, note_lines
from experiments.settings import Setting, setting_names, settings_of
from experiments.style import COLOURS, LINES, MARKERS, figure, save, wrapped
from experiments.truth import truth_note, truth_of

HATCHES = ("", "///", "...", "\\\\\\", "xxx")
NOISE_MEASURES = {
    "r_noise": "measured $r_{noise}$",
    "r_noise_content": "$r_{noise}$, content",
    "edit_distance": "edit distance",
}
_TICK_WIDTH = 12
"""Characters of a line of a group's name below its bars; one takes .09 inch."""


def each_setting(cells: pd.DataFrame, name: str) -> Iterator[tuple[Setting, str]]:
    """Each setting of the cells, and the name of its figure.

    The first figure is called as it is, those of other chunkers, retrievers, numbers of hits and
    readers ``<name>_2_dense_extractive``.
    """
    for number, setting in enumerate(settings_of(cells), start=1):
        words = re.sub(r"[^A-Za-z0-9.]+", "-", str(setting)).strip("-.")[:80]
        yield setting, name if number == 1 else f"{name}_{number}_{words}"


def noise_curves(cells: pd.DataFrame, folder: Path, notes: Notes | None = None) -> list[Path]:
    """Retrieval, generation and overall quality against measured r_noise, an engine a column.

    A figure a setting.
    """
    every = (_noise_curves(setting.of(cells), folder, name, notes) for setting, name in
             each_setting(cells, "noise_curve"))  # fmt: skip
    return [path for paths in every for path in paths]


def _noise_curves(cells: pd.DataFrame, folder: Path, name: str, notes: Notes | None) -> list[Path]:
    engines = [e for e in _distinct(cells["engine"]) if _noisy(cells, e)]
    measures = [m for m in STAGE_METRICS if len(cells_of(cells, m[0], m[1], "all"))]
    if not engines or not measures or cells["r_noise"].isna().all():
        return []
    operators = [p for p in _distinct(cells["perturbation"]) if p != "none"]
    with figure(1.2 + 3.4 * len(engines), 0.9 + 2.2 * len(measures)) as made:
        axes = made.subplots(len(measures), len(engines), squeeze=False, sharex="all", sharey="row")
        for row, (stage, metric, title) in enumerate(measures):
            for column, engine in enumerate(engines):
                ax: Axes = axes[row, column]
                chosen = cells_of(cells, stage, metric, "all")
                mine = chosen[chosen["engine"] == engine]
                stripped = cells_of(cells, stage, "lcs_stripped", "all")
                for number, operator in enumerate(operators):
                    _curve(ax, mine, operator, number)
                    dotted_line(ax, curve_of(stripped, engine, operator), number)
                _ground_truth(ax, chosen)
                if stage == "generation":
                    _floor(ax, cells_of(cells, stage, "f1_no_context", "all"))
                if row == 0:
                    ax.set_title(mathless(engine))
                if row == len(measures) - 1:
                    ax.set_xlabel("measured noise ratio $r_{noise}$")
                if column == 0:
                    ax.set_ylabel(title)
            from_zero(axes[row], marks=True)
        room_at_zero(axes[0])
        handles, labels = axes[0, 0].get_legend_handles_labels()
        for ax in axes.flat:
            for handle, label in zip(*ax.get_legend_handles_labels(), strict=True):
                if label not in labels:
                    handles.append(handle)
                    labels.append(label)
        made.legend(
            handles,
            labels,
            loc="outside lower center",
            ncols=5 if len(engines) > 1 else 2,
        )
        caption(made, cells, notes=notes)
        place_names(made)
        return save(made, folder, name)


def noise_strength(cells: pd.DataFrame, folder: Path) -> list[Path]:
    """Measured r_noise, that of the content, and edit distance against the requested intensity."""
    engines = [e for e in _distinct(cells["engine"]) if _noisy(cells, e)]
    operators = [p for p in _distinct(cells["perturbation"]) if p != "none"]
    chosen = cells[(cells["group"] == "all") & (cells["stage"] == "ocr")]
    measures = [name for name in NOISE_MEASURES if (chosen["metric"] == name).any()]
    if not engines or not measures or chosen["mean"].isna().all():
        return []
    with figure(1.2 + 3.4 * len(operators), 0.8 + 2.2 * len(measures)) as made:
        axes = made.subplots(len(measures), len(operators), squeeze=False, sharey="row")
        for column, operator in enumerate(operators):
            own = chosen[chosen["perturbation"].isin([operator, "none"])]
            own, names = _placed(own)
            for number, engine in enumerate(engines):
                mine = own[own["engine"] == engine].sort_values("place", kind="stable")
                for row, name in enumerate(measures):
                    curve_line(axes[row, column], mine[mine["metric"] == name], "place", number)
                    axes[row, column].lines[-1].set_label(mathless(engine))
            axes[0, column].set_title(mathless(operator.replace("_", " ")))
            axes[-1, column].set_xlabel("requested level" if names else "requested intensity")
            for row in range(len(measures)):
                if names:
                    axes[row, column].set_xticks(range(len(names)), names)
        for row_of_axes, name in zip(axes, measures, strict=True):
            row_of_axes[0].set_ylabel(NOISE_MEASURES[name])
            from_zero(row_of_axes, marks=True)
        made.legend(
            *axes[0, 0].get_legend_handles_labels(), loc="outside lower center", ncols=len(engines)
        )
        caption(made, chosen)
        return save(made, folder, "noise_strength")


def _placed(cells: pd.DataFrame) -> tuple[pd.DataFrame, list[str]]:
    """With a column ``place``: the intensity, or the rank of levels that share an intensity.

    Then the levels' names are returned too: a mixture's levels differ in kind.
    """
    keys = cells[["perturbation", "level", "intensity"]].drop_duplicates()
    keys = keys.sort_values("perturbation", key=lambda names: names != "none", kind="stable")
    if not keys["intensity"].duplicated().any():
        return cells.assign(place=cells["intensity"]), []
    names = [
        "clean" if operator == "none" else str(level) or f"{intensity:g}"
        for operator, level, intensity in keys.itertuples(index=False)
    ]
    ranks = {key: rank for rank, key in enumerate(keys.itertuples(index=False, name=None))}
    places = [ranks[key] for key in cells[list(keys.columns)].itertuples(index=False, name=None)]
    return cells.assign(place=places), names


def benchmark_bars(cells: pd.DataFrame, folder: Path, notes: Notes | None = None) -> list[Path]:
    """Each engine's retrieval, generation and overall quality by evidence source.

    A figure a setting.
    """
    every = (_benchmark_bars(setting.of(cells), folder, name, notes) for setting, name in
             each_setting(cells, "ocr_benchmark"))  # fmt: skip
    return [path for paths in every for path in paths]


def _benchmark_bars(
    cells: pd.DataFrame, folder: Path, name: str, notes: Notes | None
) -> list[Path]:
    measures = [m for m in STAGE_METRICS if len(cells_of(cells, m[0], m[1], "all"))]
    if not measures:
        return []
    engines = _distinct(cells["engine"])
    groups = [g for g in _distinct(cells["group"]) if g.startswith("source:")] + ["all"]
    ticks = [tick_name(group) for group in groups]
    place_width = max(0.28 * len(engines), *(0.09 * text_width(tick) for tick in ticks))
    with figure(2.5 + place_width * len(groups), 0.9 + 2.1 * len(measures)) as made:
        axes = made.subplots(len(measures), 1, squeeze=False, sharex=True)[:, 0]
        width = 0.8 / len(engines)
        for ax, (stage, metric, title) in zip(axes, measures, strict=True):
            for number, engine in enumerate(engines):
                for place, group in enumerate(groups):
                    cell = cells_of(cells, stage, metric, group)
                    cell = cell[(cell["engine"] == engine) & (cell["noise"] == "none")]
                    if cell.empty:
                        continue
                    x = place + (number - (len(engines) - 1) / 2) * width
                    ax.bar(
                        x,
                        cell["mean"].iloc[0],
                        width * 0.92,
                        color=COLOURS[number % len(COLOURS)],
                        hatch=HATCHES[number % len(HATCHES)],
                        edgecolor="white",
                        linewidth=0,
                        label=mathless(engine) if place == 0 else None,
                    )
                    _error_bar(ax, x, cell.iloc[0])
            ax.set_ylabel(title)
            ax.set_ylim(0, 1)
            ax.grid(axis="x", visible=False)
        axes[-1].set_xticks(range(len(groups)), ticks)
        made.legend(
            *axes[0].get_legend_handles_labels(),
            loc="outside lower center",
            ncols=min(4, len(engines)),
        )
        caption(made, cells, notes=notes)
        return save(made, folder, name)


def tick_name(group: str) -> str:
    """A group's name below its bars, in lines."""
    return "\n".join(textwrap.wrap(mathless(group_label(group)), _TICK_WIDTH)) or " "


def text_width(text: str) -> int:
    """Characters of a text's longest line, and one for the gap to the next text."""
    return 1 + max(len(line) for line in text.splitlines())


def _distinct(column: pd.Series) -> list[str]:
    return [str(value) for value in column.drop_duplicates() if value != ""]


def _noisy(cells: pd.DataFrame, engine: str) -> bool:
    return bool(((cells["engine"] == engine) & (cells["noise"] != "none")).any())


def cells_of(cells: pd.DataFrame, stage: str, metric: str, group: str) -> pd.DataFrame:
    """Cells of one stage, metric and group."""
    return cells[
        (cells["stage"] == stage) & (cells["metric"] == metric) & (cells["group"] == group)
    ]


def questions_of(cells: pd.DataFrame, group: str) -> int:
    """How many questions a group has, whatever applies to each of them."""
    mine = cells[cells["group"] == group]
    of_questions = mine[(mine["metric"] == "r_noise") | (mine["stage"] != "ocr")]
    return int((of_questions if len(of_questions) else mine)["n"].max())


def _curve(ax: Axes, cells: pd.DataFrame, operator: str, number: int) -> None:
    mine = _sorted(cells[cells["perturbation"].isin([operator, "none"])])
    if not (mine["perturbation"] == operator).any():
        return
    colour = curve_line(ax, mine, "r_noise", number)
    ax.lines[-1].set_label(mathless(operator.replace("_", " ")))
    for _, cell in mine[mine["perturbation"] == operator].iterrows():
        name = str(cell["level"]) or f"{cell['intensity']:g}"
        if not math.isnan(cell["mean"]):
            name_level(ax, name, (cell["r_noise"], cell["mean"]), colour)


def curve_of(cells: pd.DataFrame, engine: str, operator: str) -> pd.DataFrame:
    """The cells of one engine, clean and under one operator, in the order of the curve."""
    return _sorted(
        cells[(cells["engine"] == engine) & cells["perturbation"].isin([operator, "none"])]
    )


def _sorted(cells: pd.DataFrame) -> pd.DataFrame:
    return cells.sort_values(["intensity", "noise"], kind="stable")


def dotted_line(ax: Axes, cells: pd.DataFrame, number: int) -> None:
    """A measure with mark-up left out, beside that of the text as it stands."""
    if (cells["noise"] == "formatting").any():
        ax.plot(
            cells["r_noise"],
            cells["mean"],
            color=COLOURS[number % len(COLOURS)],
            linestyle=":",
            linewidth=1.2,
            marker=".",
            label="mark-up left out" if number == 0 else None,
        )


def curve_line(ax: Axes, cells: pd.DataFrame, x: str, number: int) -> str:
    """The means of cells with their intervals; the colour that was used."""
    colour = COLOURS[number % len(COLOURS)]
    ax.plot(
        cells[x],
        cells["mean"],
        color=colour,
        marker=MARKERS[number % len(MARKERS)],
        linestyle=LINES[number % len(LINES)],
    )
    has_interval = cells["ci_low"].notna()
    ax.vlines(
        cells[x][has_interval],
        cells["ci_low"][has_interval],
        cells["ci_high"][has_interval],
        color=colour,
        alpha=0.35,
        linewidth=1.2,
    )
    return colour


def _ground_truth(ax: Axes, cells: pd.DataFrame) -> None:
    truth = cells[(cells["engine"] == "gt") & (cells["noise"] == "none")]
    if len(truth):
        ax.plot(
            truth["r_noise"],
            truth["mean"],
            marker="*",
            markersize=10,
            color="#000000",
            linestyle="none",
            label=truth_of(cells),
        )


def _floor(ax: Axes, cells: pd.DataFrame) -> None:
    if len(cells):
        ax.axhline(
            cells["mean"].iloc[0], color="#777777", linewidth=1, linestyle=":", label="no context"
        )


def _error_bar(ax: Axes, x: float, cell: pd.Series) -> None:
    if not np.isnan(cell["ci_low"]):
        ax.vlines(x, cell["ci_low"], cell["ci_high"], color="#333333", linewidth=1)


def from_zero(axes: Sequence[Axes], *, marks: bool = False) -> None:
    """One scale from 0 for axes that share it, with room above the highest mark.

    With ``marks``, also room for a mark that lies at 0.
    """
    top = max(ax.dataLim.ymax for ax in axes)
    top = top if 0 < top < np.inf else 1 / 1.08
    for ax in axes:
        ax.set_ylim(-0.05 * top if marks else 0, 1.08 * top)


def draws_note(cells: pd.DataFrame) -> list[str]:
    """How often the noise was drawn, of cells that have any."""
    noisy = cells[cells["noise"] != "none"]
    if noisy.empty:
        return []
    draws = int(noisy["draws"].max())
    return [f"means over {draws} draws of the noise" if draws > 1 else "a single draw of the noise"]


def room_at_zero(axes: Sequence[Axes]) -> None:
    """Noise from 0, with room for a mark that lies there."""
    right = max(ax.dataLim.xmax for ax in axes)
    axes[0].set_xlim(left=-0.06 * right if right > 0 else -0.06)


def caption(
    made: Figure, cells: pd.DataFrame, lines_are: str = "", notes: Notes | None = None
) -> None:
    """What a reader must know to read the figure, above it.

    ``lines_are`` says what the black lines are where they are not intervals.
    """
    units = interval_units(cells["ci_unit"])
    evidence = cells["kb_scope"].iloc[0] == "evidence"
    parts = [
        f"n = {questions_of(cells, 'all')} questions",
        "only pages with evidence re-read, which overstates the loss"
        if evidence
        else "all pages re-read",
        lines_are
        or (
            f"bars: 95 % intervals for further {units}" if units else "no intervals: too few units"
        ),
        f"{cells['protocol'].iloc[0]} scoring",
        *draws_note(cells),
        *truth_note(cells),
        setting_names(cells),
        *note_lines(cells["reader"], notes),
    ]
    text = wrapped("; ".join(part for part in parts if part), made.get_figwidth())
    made.suptitle(text, fontsize=8, color="#444444")
