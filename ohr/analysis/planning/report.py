"""Prints what a planned study can show, and how many documents a difference needs."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd

from ohr.analysis.comparison.table import metrics_of
from ohr.analysis.planning.pilots import METRICS, Pilot, pilot_for, pilot_of
from ohr.analysis.planning.table import Shape, plan_table, shape_of
from ohr.display.columns import Column, make_table, number_column
from ohr.display.terminal import print_caption, say, say_files, show, terminal_table
from ohr.errors import ConfigError
from ohr.statistics import too_few
from ohr.statistics.numbers import percent, prose
from ohr.store.csv import write_csv
from ohr.study.config import StudyConfig
from ohr.study.loading import load_dataset
from ohr.study.opening import open_runs
from ohr.study.plan import make_plan

FILE = "plan.csv"
_NOT_KNOWN = "-"


def report_plan(
    config: StudyConfig,
    difference: float,
    pilot_folder: Path | None,
    metrics: Sequence[str],
    out: Path | None,
) -> int:
    """Print the plan of a study, and write it with ``out``; returns 0. Raises OhrError."""
    pilot = _pilot(config, pilot_folder, metrics)
    plan = make_plan(config, load_dataset(config))
    shape = shape_of(plan)
    if not shape.levels:
        raise ConfigError("nothing is compared: give noise=[…] and levels=[…] or intensities=[…]")
    table = plan_table(pilot, shape, difference, config.seed)
    for line in verdict_lines(table, shape, pilot, difference):
        say(line)
    print()
    show(terminal_table(_text_table(table, difference)))
    for line in _caption(pilot, shape):
        print_caption(line)
    if out is not None:
        write_csv(out / FILE, table)
        say_files([out / FILE])
    return 0


def _pilot(config: StudyConfig, folder: Path | None, metrics: Sequence[str]) -> Pilot:
    if folder is None:
        pilot = pilot_for(config.dataset.kind)
        if not metrics:
            return pilot
        chosen = {key: pilot.curves[key] for key in pilot.curves if ":".join(key) in metrics}
        if unknown := [name for name in metrics if tuple(name.split(":")) not in pilot.curves]:
            measured = ", ".join(":".join(key) for key in pilot.curves)
            raise ConfigError(
                f"the kept run has no {unknown[0]!r}; it has {measured}: give --pilot RUN for "
                "others"
            )
        return replace(pilot, curves=chosen)
    (run,) = open_runs([folder])
    return pilot_of(run, metrics_of([run], metrics) if metrics else METRICS)


def verdict_lines(table: pd.DataFrame, shape: Shape, pilot: Pilot, difference: float) -> list[str]:
    """What these documents can show, and what the difference needs, in two or three sentences."""
    lines = []
    documents = _counted(shape.documents, "document")
    if reason := too_few(shape.documents):
        lines.append(f"{reason}: nothing can be shown.")
    else:
        shown = table["smallest"].dropna()
        if shown.empty:
            lines.append(f"{documents} cannot show even the loss of everything.")
        else:
            spans = " to ".join(
                dict.fromkeys(prose(float(end)) for end in (shown.min(), shown.max()))
            )
            lines.append(
                f"{documents} show a loss of {spans} or more, by metric, in four of five studies."
            )
    needed = table["needed_documents"]
    if needed.isna().any():
        name = _named(table[needed.isna()].iloc[0])
        lines.append(f"A loss of {difference:g} needs more than 5,000 documents for {name}.")
    else:
        row = table.iloc[int(needed.to_numpy().argmax())]
        lines.append(
            f"A loss of {difference:g} needs {_counted(int(row['needed_documents']), 'document')}: "
            f"{_counted(int(row['needed_questions']), 'question')}, "
            f"{_counted(int(row['needed_pages']), 'page')}{_time(row['needed_cpu_seconds'])}."
        )
    return lines


def _text_table(table: pd.DataFrame, difference: float) -> Any:
    columns = (
        Column("metric", lambda row: _named(row), is_text=True),
        number_column("spread"),
        number_column("smallest", "shown here"),
        Column(f"power for {difference:g}", lambda row: percent(row["power"])),
        Column("documents", lambda row: _whole(row["needed_documents"])),
        Column("questions", lambda row: _whole(row["needed_questions"])),
        Column("pages", lambda row: _whole(row["needed_pages"])),
        Column(
            "CPU", lambda row: _time(row["needed_cpu_seconds"]).removeprefix(", ") or _NOT_KNOWN
        ),
    )
    return make_table(columns, table)


def _caption(pilot: Pilot, shape: Shape) -> list[str]:
    each = f"{shape.curves} curve{'s' * (shape.curves != 1)} of {shape.levels} level"
    return [
        f"spread: standard deviation of a document's loss, from {pilot.name} "
        f"({_counted(pilot.documents, 'document')}, {_counted(pilot.questions, 'question')})",
        f"shown here: the smallest loss that {_counted(shape.documents, 'document')} show in four "
        f"of five studies, after the correction for {each}{'s' * (shape.levels != 1)}",
        "by simulated studies: the loss grows evenly up to the last level, other curves lose "
        "nothing; CPU: of OCR alone",
    ]


def _named(row: Any) -> str:
    return f"{row['stage']}:{row['metric']}"


def _counted(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'s' * (number != 1)}"


def _whole(value: float) -> str:
    return _NOT_KNOWN if math.isnan(value) else f"{int(value):,}"


def _time(seconds: float) -> str:
    """``, 1.2 CPU hours``; empty where it is not known."""
    if math.isnan(seconds) or seconds == 0:
        return ""
    if seconds < 90:
        return f", {seconds:.0f} CPU seconds"
    if seconds < 5400:
        return f", {seconds / 60:.0f} CPU minutes"
    return f", {seconds / 3600:.1f} CPU hours"
