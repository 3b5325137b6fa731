"""Prints and writes the statistics of noise curves."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd
from rich.table import Table
from rich.text import Text

from ohr.analysis.curves.table import check_draws, seeds_table, statistics_table
from ohr.display.labels import added_noise_title, noise_title, shown_measures
from ohr.display.notes import answerers, note_lines, run_notes
from ohr.display.settings import COLUMNS, Setting
from ohr.display.terminal import empty_table, print_caption, say, say_files, show
from ohr.display.verdicts import size_text
from ohr.errors import OhrError
from ohr.files.safe_text import plain
from ohr.metrics.labels import heading
from ohr.statistics.numbers import ends, number, prose
from ohr.store.csv import write_csv
from ohr.study.opening import open_runs
from ohr.study.results import run_names, uncounted_conditions


def report_curves(paths: Sequence[Path], axis: str, out: Path | None) -> int:
    """Write the statistics of finished runs, and print those of all questions. Raises OhrError."""
    runs = open_runs(paths)
    table = statistics_table(runs, axis)
    if table.empty:
        raise OhrError(
            "no noise curve in these runs: it needs noise, clean pages and the stage ocr "
            f"with {axis}"
        )
    folder = out or paths[0]
    write_csv(folder / "curves.csv", table)
    metrics = list(dict.fromkeys(metric for run in runs for metric in shown_measures(run.cells)))
    for line in verdict_lines(table, metrics):
        say(line)
    documents = max(run.rows["doc_id"].nunique() for run in runs)
    say(size_text(int(table["n"].max()), documents))
    print()
    show(curves_shown(table, metrics))
    for line in note_lines(answerers(table), run_notes(runs)):
        print_caption(line)
    for run, run_name in zip(runs, run_names(runs), strict=True):
        for name in uncounted_conditions(run, [(stage, metric) for stage, metric, _ in metrics]):
            print(f"{plain(run_name)}: {plain(name)} has no score that counts, and no curve")
    files = [folder / "curves.csv"]
    if table["seed"].nunique() > 1:
        check_draws(runs)
        seeds = seeds_table(table)
        write_csv(folder / "seeds.csv", seeds)
        show(seeds_shown(seeds, metrics))
        files.append(folder / "seeds.csv")
    say_files(files)
    return 0


def verdict_lines(table: pd.DataFrame, metrics: Sequence[tuple[str, str, str]]) -> Iterator[str]:
    """Of each metric, the curve that loses a tenth at the least noise, by the measured value."""
    table = table.assign(setting=settings_of(table))
    for stage, metric, title in metrics:
        rows = table[(table["stage"] == stage) & (table["metric"] == metric)]
        curves = rows[(rows["group"] == "all") & rows["breakpoint"].notna()]
        if curves.empty:
            yield f"{heading(title)}: no curve says where a tenth is lost."
            continue
        row = curves.sort_values("breakpoint", kind="stable").iloc[0]
        curve = f"{row['engine']} under {row['perturbation']}"
        if curves["setting"].nunique() > 1:
            curve += f" ({row['setting']})"
        low, high = row["breakpoint_ci_low"], row["breakpoint_ci_high"]
        noise = added_noise_title(noise_title(str(row["axis"])))
        if row["breakpoint"] == float("inf"):
            low = curves["breakpoint_ci_low"].min()
            from_low = "" if pd.isna(low) or low == float("inf") else (
                f"; a loss from {noise} of {prose(low)} on is not ruled out"
            )  # fmt: skip
            yield f"{heading(title)}: no curve has lost a tenth of its clean score{from_low}."
            continue
        over = "" if pd.isna(low) else f" (95 % CI {_bound(low)} to {_bound(high)})"
        first = "first " if len(curves) > 1 else ""
        yield (
            f"{heading(title)}: {curve} has {first}lost a tenth of its clean score, at {noise} of "
            f"{prose(row['breakpoint'])}{over}."
        )


def curves_shown(table: pd.DataFrame, metrics: Sequence[tuple[str, str, str]]) -> Table:
    """A table of the curves of all questions in some metrics (stage, metric, label)."""
    table = table.assign(setting=settings_of(table))
    statistics = ("slope", "breakpoint", "retention", "common_area")
    titles = (
        "clean",
        "floor",
        "slope",
        "10 % lost: noise added",
        "kept at 0.3",
        "common area",
        "worst",
    )
    parts = [str(n).removeprefix("clean_") for n in table if str(n).startswith("clean_")]
    of_parts = (f"worst: {name.replace('_', ' ')}" for name in parts)
    printed = empty_table(
        ["engine", "noise", "setting", "metric"],
        [str(table["axis"].iloc[0]), *titles, *of_parts],
    )
    for stage, metric, title in metrics:
        chosen = table[(table["stage"] == stage) & (table["metric"] == metric)]
        for row in chosen[chosen["group"] == "all"].to_dict("records"):
            notes = [row["setting"]]
            if table["seed"].nunique() > 1:
                notes.append(f"seed {row['seed']}")
            printed.add_row(
                Text(plain(row["engine"])),
                row["perturbation"],
                Text(plain(", ".join(part for part in notes if part))),
                title,
                f"{number(row['x_from'])} to {number(row['x_to'])}",
                *(number(row[name]) for name in ("clean", "floor")),
                *(_shown(row, name) for name in statistics),
                f"{number(row['worst'])} ({row['worst_level']})",
                *(number(row[f"worst_{name}"]) for name in parts),
            )
    return printed


def settings_of(table: pd.DataFrame) -> list[str]:
    """The setting of each curve: retriever and reader, or system, and other parts that vary."""
    settings = [
        Setting(*map(str, row)) for row in table[list(COLUMNS)].itertuples(index=False, name=None)
    ]
    kinds = {name: {getattr(setting, name) for setting in settings} - {""} for name in COLUMNS}
    varying = {name for name in COLUMNS if len(kinds[name]) > 1} | {"retriever", "reader", "system"}
    return [
        ", ".join(
            part
            for name, part in zip(COLUMNS, setting.parts, strict=True)
            if part and name in varying
        )
        for setting in settings
    ]


def _shown(row: Mapping[Hashable, Any], name: str) -> str:
    value, low, high = row[name], row[f"{name}_ci_low"], row[f"{name}_ci_high"]
    if pd.isna(value):
        return "-"
    return f"{_bound(value)}{ends(low, high, _bound)}"


def _bound(value: float) -> str:
    return "never" if value == float("inf") else number(value, 2)


def seeds_shown(seeds: pd.DataFrame, metrics: Sequence[tuple[str, str, str]]) -> Table:
    """A table of the statistics over seeds, of all questions, in some metrics."""
    seeds = seeds.assign(setting=settings_of(seeds))
    printed = empty_table(
        ["engine", "noise", "setting", "metric", "statistic"],
        ["seeds", "mean", "sd", "95 % interval"],
    )
    for stage, metric, title in metrics:
        chosen = seeds[(seeds["stage"] == stage) & (seeds["metric"] == metric)]
        for row in chosen[chosen["group"] == "all"].to_dict("records"):
            printed.add_row(
                *(Text(plain(row[name])) for name in ("engine", "perturbation", "setting")),
                title,
                row["statistic"].replace("_", " "),
                *(str(row["n_seeds"]), number(row["mean"]), number(row["sd"])),
                f"[{number(row['low'])}, {number(row['high'])}]",
            )
    return printed
