"""Prints the comparison of routes by text and by page images."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from typing import Any

import pandas as pd
from rich.table import Table
from rich.text import Text

from ohr.analysis.comparison.differences import run_differences
from ohr.analysis.comparison.differences_report import report_differences
from ohr.analysis.comparison.ties import cells_with_letters
from ohr.analysis.curves.table import axis_of
from ohr.analysis.curves.verdict import sentences
from ohr.analysis.vision.figure import routes_figure
from ohr.analysis.vision.table import SOURCES, axis_engine, route_points, routes_of, source_means
from ohr.display.columns import Column, make_table, text_column
from ohr.display.labels import group_label, noise_title
from ohr.display.notes import reader_notes
from ohr.display.terminal import empty_table, say, say_files, show, terminal_table
from ohr.display.verdicts import estimate_text
from ohr.display.wording import add_letters, listed, printed_letters
from ohr.files.safe_text import plain
from ohr.metrics.labels import stage_label
from ohr.ocr.noise import noise_name
from ohr.statistics.numbers import number
from ohr.store.csv import write_csv
from ohr.study.results import StudyRun


def report(run: StudyRun, engine: str | None = None, axis: str = "") -> None:
    """Print what each knowledge base lost, then each route's F1 under noise and the clean pages'
    by evidence source; write them.

    ``engine``: whose measured noise is the axis. Raises ConfigError.
    """
    axis = axis_of(run, axis)
    routes, axis_label = routes_of(run.plan), axis_engine(run.plan, engine)
    cells = cells_with_letters(run, axis_label)
    points = route_points(cells, routes, axis_label)
    sources = source_means(run.cells, routes, axis_label)
    notes = reader_notes(run.readers)
    name, noise = stage_label("overall", "F1"), noise_title(axis, run.cells)
    tables = {
        f"{name}, by {noise} of {axis_label}": _curves(points, axis, noise),
        f"{name}, clean pages, in per cent (table S4)": _sources(sources),
    }
    for line in (*verdict_lines(points, axis), *sentences(run, axis)):
        say(line)
    print()
    files = report_differences(run, run_differences(run))
    for title, table in tables.items():
        table.title = plain(title)
        show(table)
    tested = cells.attrs["ties"]
    if line := printed_letters(tested):
        print(line)
    if any(each.are_tested for each in tested):
        print("letters compare the routes under one noise")
    for name, frame in (("routes.csv", points), ("table_s4.csv", sources)):
        files.append(run.path / name)
        write_csv(files[-1], frame)
    say_files([*files, *routes_figure(points, run.cells, run.path / "figures", axis, notes)])


def verdict_lines(points: pd.DataFrame, axis: str) -> Iterator[str]:
    """The best route on clean pages and under the strongest noise, and which may be as good."""
    keys = ["perturbation", "level", "intensity"]
    noises = [rows for _, rows in points.groupby(keys, sort=False)]
    clean = [rows for rows in noises if rows["perturbation"].iloc[0] == "none"]
    noisy = [rows for rows in noises if rows["perturbation"].iloc[0] != "none"]
    strongest = sorted(noisy, key=lambda rows: float(rows[axis].iloc[0]))[-1:]
    for rows in (*clean, *strongest):
        ranked = rows.sort_values("mean", ascending=False).to_dict("records")
        noise = noise_name(*(ranked[0][key] for key in keys))
        where = "on clean pages" if noise == "clean" else f"under {noise}"
        yield f"{where[:1].upper()}{where[1:]}, {_best_of(ranked)}."


def _best_of(ranked: Sequence[Mapping[Hashable, Any]]) -> str:
    """The route with the highest mean, and how the others compare, by their letters."""
    best, *lower = ranked
    mean = estimate_text(best["mean"], best["ci_low"], best["ci_high"])
    text = f"{best['route']}: {stage_label('overall', 'F1')}: {mean}"
    if not lower:
        return text
    letters = {row["route"]: row["letters"] for row in ranked if isinstance(row["letters"], str)}
    if not letters.get(best["route"]):
        return f"{text}, the highest mean; too few documents to compare routes"
    same = set(letters[best["route"]])
    alike = [row["route"] for row in lower if same & set(letters.get(row["route"], ""))]
    worse = [
        row["route"] for row in lower if row["route"] not in alike and letters.get(row["route"])
    ]
    parts = [f"{text}, the highest mean"]
    parts += [f"significantly lower: {listed(worse)}"] if worse else []
    parts += [f"no significant difference from it: {listed(alike)}"] if alike else []
    return "; ".join(parts)


def _curves(points: pd.DataFrame, axis: str, title: str) -> Table:
    """A row for each noise and route."""
    table = empty_table(["noise", "intensity", title, "route", "F1", "95 %"])
    for _, of_noise in points.groupby(["perturbation", "level", "intensity"], sort=False):
        for first, (_, row) in enumerate(of_noise.iterrows()):
            noise = noise_name(row["perturbation"], row["level"], row["intensity"])
            labels = [plain(noise), f"{row['intensity']:g}", number(row[axis])]
            interval = f"{number(row['ci_low'])} to {number(row['ci_high'])}"
            mean = add_letters(number(row["mean"]), row["letters"])
            cells = [plain(row["route"]), mean, interval]
            table.add_row(*map(Text, [*(["", "", ""] if first else labels), *cells]))
    return table


def _sources(sources: pd.DataFrame) -> Table:
    columns = (
        Column("", lambda row: row["from"], is_text=True),
        Column("engine", lambda row: row["engine"] or "-", is_text=True),
        text_column("route"),
        text_column("retrieved_by"),
        text_column("read_as"),
        *(_mean(name) for name in (*SOURCES, "all")),
    )
    return terminal_table(make_table(columns, sources))


def _mean(name: str) -> Column:
    return Column(group_label(name), lambda row: "-" if pd.isna(row[name]) else f"{row[name]:.1f}")
