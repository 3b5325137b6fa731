"""Prints the comparison of whole systems: scores, losses, parts of the losses, costs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pandas as pd
from rich.table import Table
from rich.text import Text

from ohr.analysis.comparison.best import comparison_text, family_line
from ohr.analysis.curves.table import axis_of
from ohr.analysis.systems.figure import NOT_SHOWN, parts_figure, systems_figure
from ohr.analysis.systems.parts import ROWS, system_parts
from ohr.analysis.systems.table import (
    MAIN,
    STAGE,
    Scored,
    least_losses,
    scored,
    system_costs,
    system_drops,
)
from ohr.analysis.systems.written_for_report import report_written_for
from ohr.display.columns import Column, Row, make_table, text_column
from ohr.display.labels import broken_label, group_label, noise_title
from ohr.display.notes import answerers, note_lines, reader_notes
from ohr.display.terminal import (
    NARROW,
    add_columns,
    empty_table,
    print_caption,
    say,
    say_files,
    show,
    terminal_table,
)
from ohr.display.text_tables import TextTable
from ohr.display.verdicts import MOST_NAMED, effect_text, size_text
from ohr.display.wording import add_letters, family, listed, printed_letters
from ohr.files.safe_text import plain
from ohr.metrics.labels import stage_label
from ohr.ocr.noise import noise_name
from ohr.ocr.progress import Progress
from ohr.statistics.numbers import interval, number, p_value, prose
from ohr.store.csv import write_csv
from ohr.study.results import StudyRun

_BASE = ["engine", "perturbation", "level", "intensity"]


def report(run: StudyRun, *, parts: bool = False, axis: str = "") -> None:
    """Print and write what noise costs each system; with ``parts``, also through which part.

    ``axis`` is the metric of noise (see :func:`axis_of`).
    """
    axis = axis_of(run, axis)
    notes = reader_notes(run.readers)
    drops = system_drops(run)
    write_csv(run.path / "systems.csv", drops)
    write_csv(run.path / "system_costs.csv", system_costs(run))
    main = next((scores for scores in scored(run) if scores.info.metric == MAIN), None)
    if main is not None:
        for line in verdict_lines(drops, main):
            say(line)
        print()
    show(systems_table(drops, run.cells, axis), NARROW)
    for line in captions(drops):
        print_caption(line)
    if line := printed_letters(drops.attrs["ties"]):
        print_caption(line)
        print("letters compare the systems' F1 in one knowledge base")
    for line in [] if main is None else least_lines(main):
        print_caption(line)
    for line in note_lines(answerers(run.cells[run.cells["stage"] == STAGE]), notes):
        print_caption(line)
    show(terminal_table(costs_table(system_costs(run))))
    files = [run.path / f"{name}.csv" for name in ("systems", "system_costs")]
    figures = systems_figure(drops, run.cells, run.path / "figures", axis, notes)
    if parts:
        files += report_parts(run)
    say_files([*files, *report_written_for(run), *figures])


def verdict_lines(drops: pd.DataFrame, scores: Scored) -> Iterator[str]:
    """What the worst knowledge base costs each system, the largest loss first; and the sizes."""
    lost = drops[(drops["metric"] == MAIN) & drops["drop"].notna()]
    documents = scores.questions["doc_id"].nunique()
    if lost.empty:
        yield "No loss is measured: name an engine or a noise besides the ground truth."
        return
    means = lost.groupby("knowledge_base", sort=False)["drop"].mean()
    worst = lost[lost["knowledge_base"] == means.idxmax()].sort_values("drop", ascending=False)
    rows = worst.to_dict("records")
    losses = [
        f"{row['system']} loses "
        + effect_text(
            row["drop"], row["drop_low"], row["drop_high"], row["drop_p_adjusted"], documents
        )
        for row in rows[:MOST_NAMED]
    ]
    yield (
        f"{rows[0]['knowledge_base']}, compared with {rows[0]['clean']}, "
        f"{stage_label(STAGE, 'F1')}: {'; '.join(losses)}."
    )
    if others := [str(row["system"]) for row in rows[MOST_NAMED:]]:
        yield f"They lose less by measured score, see the table: {listed(others)}."
    yield size_text(int(rows[0]["n"]), documents)


def report_parts(run: StudyRun) -> list[Path]:
    """Print, write and draw the loss through each part of each system except the built-in.

    Returns the paths, for the line of files.
    """
    losses = system_parts(run.plan, Progress())
    if losses.empty:
        print("parts: no loss to attribute: name a system other than rag, and a noise")
        return []
    path = run.path / "system_parts.csv"
    write_csv(path, losses)
    show(parts_table(losses))
    print("F1 loss compared with the ground truth, by the part of the system that noise affects")
    return [path, *parts_figure(losses, run.path / "figures", reader_notes(run.readers))]


def captions(drops: pd.DataFrame) -> list[str]:
    """Sentences that explain the columns of losses, with the family of each p."""
    tests = int(drops.loc[drops["metric"] == MAIN, "drop_p"].notna().sum())
    return [
        "in brackets: 95 % intervals",
        "loss: compared with the same engine on clean pages, or with the ground truth; "
        f"{family(tests, 'of this column')}",
        "more: how much more than the other system that loses least, on the same "
        "questions; interval and p for all systems and knowledge bases together, the family below",
    ]


def systems_table(drops: pd.DataFrame, cells: pd.DataFrame, axis: str) -> Table:
    """One row per knowledge base and system: scores, and the loss compared with the clean base.

    The loss is compared with zero (p) and with the smallest of the other systems' (p of
    :func:`least_losses`).
    """
    rest = drops[~drops["metric"].isin([MAIN, *NOT_SHOWN])]
    rest = rest[["metric", "title"]].drop_duplicates("metric")
    table = empty_table(["engine", "noise"], [noise_title(axis, cells)])
    add_columns(table, ["system"], no_wrap=True)
    label = broken_label(stage_label(STAGE, "F1"))
    whole = ("n", label, "loss", "more")
    add_columns(table, whole, justify="right", no_wrap=True)
    add_columns(table, (broken_label(str(title)) for title in rest["title"]), justify="right")
    noise = cells.drop_duplicates(_BASE).set_index(_BASE, drop=False)[axis].to_dict()
    main = drops[drops["metric"] == MAIN]
    for key, rows in main.groupby(_BASE, sort=False, dropna=False):
        for place, row in enumerate(rows.to_dict("records")):
            heads = ("", "", "")
            if place == 0:
                heads = (plain(str(key[0])), noise_name(*key[1:]), number(noise[key]))
            table.add_row(
                *map(Text, heads),
                Text(plain(str(row["system"]))),
                str(row["n"]),
                _value_with_interval(row, "mean", "ci", row["letters"]),
                _value_with_interval(row, "drop", p="drop_p_adjusted"),
                _value_with_interval(row, "drop_less_least", p="drop_less_least_p"),
                *(_other(drops, metric, row) for metric in rest["metric"]),
            )
        table.add_section()
    return table


def _value_with_interval(
    row: Mapping[Any, Any], name: str, ends: str = "", letters: str = "", p: str = ""
) -> str:
    """A value with its letters or its p, and its 95 % interval on the line below."""
    low, high = (row[f"{ends or name}_{end}"] for end in ("low", "high"))
    value = add_letters(number(row[name]), letters)
    if p and not pd.isna(row[p]):
        value += f" p {p_value(row[p])}"
    return value if pd.isna(low) else f"{value}\n{interval(low, high)}"


def _other(drops: pd.DataFrame, metric: str, row: Mapping[Any, Any]) -> str:
    same = (drops["metric"] == metric) & (drops["system"] == row["system"])
    means = drops[same & (drops["knowledge_base"] == row["knowledge_base"])]["mean"]
    return number(means.iloc[0]) if len(means) else ""


def least_lines(scores: Scored) -> list[str]:
    """Which system loses least under each knowledge base, which lose more; and the family.

    ``tesseract, semantic mild: p3 loses least F1 (0.012). Shown to lose more: p0 (by 0.021 to
    0.080). No significant difference from p3: p4 (none larger than 0.031).``
    """
    results = least_losses(scores)
    title = scores.info.label
    lines = [
        f"{least.knowledge_base}: {least.first} loses least {title} ({prose(least.drop)}). "
        + comparison_text(least.systems, least.compared, "Shown to lose more")
        for least in results
    ]
    if results:
        lines.append(family_line([least.compared for least in results], "systems"))
    return lines


def costs_table(costs: pd.DataFrame) -> TextTable:
    """One row per system: answers, the mean cost of one, and CPU seconds of this run."""
    return make_table(_COSTS, costs)


def _amount(key: str) -> Column:
    return Column(key.replace("_", " "), lambda row: f"{row[key]:,}")


def _seconds_now(row: Row) -> str:
    return "" if pd.isna(row["cpu_s_now"]) else f"{row['cpu_s_now']:,.1f}"


_COSTS = (
    text_column("system"),
    _amount("answers"),
    _amount("failed"),
    _amount("empty"),
    _amount("asked_now"),
    Column("CPU s now", _seconds_now),
    Column("mean cost of an answer", lambda row: ", ".join(_spent(row)), is_text=True),
)


def _spent(row: Mapping[Any, Any]) -> Iterator[str]:
    """``3,292.7 fetched tokens``: what is not 0, in two digits after the point at most."""
    for name in map(str, row):
        value = row[name]
        if name.endswith("_an_answer") and not pd.isna(value) and round(value, 2):
            digits = f"{value:,.2f}" if value < 100 else f"{value:,.0f}"
            yield f"{digits} {name.removesuffix('_an_answer').replace('_', ' ')}"


def parts_table(losses: pd.DataFrame) -> Table:
    """One row per knowledge base and system: the loss through each part, over all questions."""
    table = empty_table(["engine", "noise", "system", "questions on"], [*ROWS, "total"])
    of_all = losses[losses["group"] == "all"]
    for key, rows in of_all.groupby([*_BASE, "system", "group"], sort=False, dropna=False):
        by_part = rows.set_index("part")["f1_lost"]
        table.add_row(
            Text(plain(str(key[0]))),
            noise_name(*key[1:4]),
            Text(plain(str(key[4]))),
            group_label(str(key[5])),
            *(number(by_part[part]) for part in ROWS),
            number(by_part.sum()),
        )
    return table
