"""Noise curves and benchmark bars, drawn from cells alone."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from experiments.labels import STAGE_METRICS, group_label, mathless
from experiments.style import COLOURS, LINES, MARKERS, figure, save, wrapped
from experiments.truth import truth_note, truth_of

CROWDED = 0.04
HATCHES = ("", "///", "...", "\\\\\\", "xxx")
CI_NOTE = {"document": "documents", "page": "pages"}


def noise_curves(cells: pd.DataFrame, folder: Path) -> list[Path]:
    """Retrieval, generation and overall quality against measured r_noise, an engine a column."""
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
                chosen = first_setting(chosen)
                mine = chosen[chosen["engine"] == engine]
                stripped = first_setting(cells_of(cells, stage, "lcs_stripped", "all"))
                for number, operator in enumerate(operators):
                    _curve(ax, mine, operator, number)
                    dotted_line(ax, curve_of(stripped, engine, operator), number)
                _ground_truth(ax, chosen)
                if stage == "generation":
                    _floor(ax, first_setting(cells_of(cells, stage, "f1_no_context", "all")))
                if row == 0:
                    ax.set_title(mathless(engine))
                if row == len(measures) - 1:
                    ax.set_xlabel("measured noise ratio $r_{noise}$")
                if column == 0:
                    ax.set_ylabel(title)
            from_zero(axes[row])
        axes[0, 0].set_xlim(left=0)
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
        caption(made, cells)
        return save(made, folder, "noise_curve")


def noise_strength(cells: pd.DataFrame, folder: Path) -> list[Path]:
    """Measured r_noise and edit distance against the requested intensity."""
    engines = [e for e in _distinct(cells["engine"]) if _noisy(cells, e)]
    operators = [p for p in _distinct(cells["perturbation"]) if p != "none"]
    chosen = cells[(cells["group"] == "all") & (cells["stage"] == "ocr")]
    if not engines or chosen["mean"].isna().all():
        return []
    with figure(1.2 + 3.4 * len(operators), 5.2) as made:
        axes = made.subplots(2, len(operators), squeeze=False, sharey="row")
        for column, operator in enumerate(operators):
            own = chosen[chosen["perturbation"].isin([operator, "none"])]
            own, names = _placed(own)
            for number, engine in enumerate(engines):
                mine = own[own["engine"] == engine].sort_values("place", kind="stable")
                for row, name in enumerate(("r_noise", "edit_distance")):
                    curve_line(axes[row, column], mine[mine["metric"] == name], "place", number)
                    axes[row, column].lines[-1].set_label(mathless(engine))
            axes[0, column].set_title(mathless(operator.replace("_", " ")))
            axes[1, column].set_xlabel("requested level" if names else "requested intensity")
            for row in range(2):
                if names:
                    axes[row, column].set_xticks(range(len(names)), names)
        axes[0, 0].set_ylabel("measured $r_{noise}$")
        axes[1, 0].set_ylabel("edit distance")
        for row_of_axes in axes:
            from_zero(row_of_axes)
        made.legend(
            *axes[0, 0].get_legend_handles_labels(), loc="outside lower center", ncols=len(engines)
        )
        caption(made, cells)
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


def benchmark_bars(cells: pd.DataFrame, folder: Path) -> list[Path]:
    """Each engine's retrieval, generation and overall quality by evidence source."""
    measures = [m for m in STAGE_METRICS if len(cells_of(cells, m[0], m[1], "all"))]
    if not measures:
        return []
    engines = _distinct(cells["engine"])
    groups = [g for g in _distinct(cells["group"]) if g.startswith("source:")] + ["all"]
    with figure(2.5 + 0.28 * len(groups) * len(engines), 0.9 + 2.1 * len(measures)) as made:
        axes = made.subplots(len(measures), 1, squeeze=False, sharex=True)[:, 0]
        width = 0.8 / len(engines)
        for ax, (stage, metric, title) in zip(axes, measures, strict=True):
            for number, engine in enumerate(engines):
                for place, group in enumerate(groups):
                    cell = first_setting(cells_of(cells, stage, metric, group))
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
        axes[-1].set_xticks(range(len(groups)), [group_label(group) for group in groups])
        made.legend(
            *axes[0].get_legend_handles_labels(),
            loc="outside lower center",
            ncols=min(4, len(engines)),
        )
        caption(made, cells)
        return save(made, folder, "ocr_benchmark")


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


def first_setting(cells: pd.DataFrame) -> pd.DataFrame:
    """The cells of the first chunker, retriever and reader; figures show one setting."""
    for column in ("chunker", "retriever", "top_k", "reader"):
        if len(cells) and pd.notna(first := cells[column].iloc[0]):
            cells = cells[cells[column] == first]
    return cells


def _curve(ax: Axes, cells: pd.DataFrame, operator: str, number: int) -> None:
    mine = _sorted(cells[cells["perturbation"].isin([operator, "none"])])
    if not (mine["perturbation"] == operator).any():
        return
    colour = curve_line(ax, mine, "r_noise", number)
    ax.lines[-1].set_label(mathless(operator.replace("_", " ")))
    noisy = mine[mine["perturbation"] == operator]
    following = noisy["r_noise"].shift(-1)
    for (_, cell), after in zip(noisy.iterrows(), following, strict=True):
        if abs(after - cell["r_noise"]) < CROWDED:
            continue  # the next mark's label would cover this one's
        ax.annotate(
            str(cell["level"]) or f"{cell['intensity']:g}",
            (cell["r_noise"], cell["mean"]),
            xytext=(4, 5 if number % 2 == 0 else -10),
            textcoords="offset points",
            fontsize=6,
            color=colour,
        )


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


def from_zero(axes: Sequence[Axes]) -> None:
    """One scale from 0 for axes that share it, with room above the highest mark."""
    top = max(ax.dataLim.ymax for ax in axes)
    for ax in axes:
        ax.set_ylim(0, 1.08 * top if 0 < top < np.inf else 1)


def caption(made: Figure, cells: pd.DataFrame, lines_are: str = "") -> None:
    """What a reader must know to read the figure, above it.

    ``lines_are`` says what the black lines are where they are not intervals.
    """
    units = [CI_NOTE[u] for u in _distinct(cells["ci_unit"]) if u in CI_NOTE]
    evidence = cells["kb_scope"].iloc[0] == "evidence"
    setting = first_setting(cells[cells["stage"] == "overall"])
    parts = [
        f"n = {questions_of(cells, 'all')} questions",
        "only pages with evidence re-read, which overstates the loss"
        if evidence
        else "all pages re-read",
        lines_are
        or (f"bars: 95 % bootstrap over {units[0]}" if units else "no intervals: too few units"),
        f"{cells['protocol'].iloc[0]} scoring",
        *truth_note(cells),
    ]
    if len(setting):
        parts.append(f"{setting['retriever'].iloc[0]}, {setting['reader'].iloc[0]}")
    caption = wrapped("; ".join(parts), made.get_figwidth())
    made.suptitle(caption, fontsize=8, color="#444444")
