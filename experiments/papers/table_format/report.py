"""Quality by table format."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import pandas as pd
from rich.table import Table
from rich.text import Text

from experiments.papers.table_format.figure import format_figure
from experiments.papers.table_format.table import (
    GROUP,
    METRICS,
    count_losses,
    main_setting,
    paired_differences,
)
from ohr.analysis.comparison.differences_report import change_text
from ohr.display.columns import make_table, text_column, value_column
from ohr.display.notes import answerers, note_lines, reader_notes
from ohr.display.settings import setting_names, settings_of
from ohr.display.terminal import empty_table, print_caption, say, say_files, show, terminal_table
from ohr.display.verdicts import MOST_NAMED, effect_text, size_text
from ohr.display.wording import family
from ohr.errors import OhrError
from ohr.files.safe_text import plain
from ohr.statistics.numbers import number
from ohr.store.csv import write_csv
from ohr.study.output.select import cells_of
from ohr.study.results import StudyRun


def report(run: StudyRun) -> None:
    """Print one row per format and setting, write the losses, draw the bars.

    The printed rows are of clean pages, the first chunker and ``top_k`` hits;
    ``differences.csv`` has all. Raises OhrError if no question is about a table.
    """
    cells = run.cells[run.cells["group"] == GROUP]
    if cells.empty:
        raise OhrError("no questions about tables: dataset.sources must include table")
    differences = paired_differences(run, cells)
    losses = count_losses(run)
    for name, frame in (("differences", differences), ("losses", losses)):
        write_csv(run.path / f"{name}.csv", frame)
    top_k = run.plan.config.top_k
    cells, differences = main_setting(cells, top_k), main_setting(differences, top_k)
    for line in verdict_lines(run, cells, differences):
        say(line)
    print()
    show(format_table(cells, differences))
    notes = reader_notes(run.readers)
    if len(run.plan.chunkers) > 1:
        print(plain(f"these are of {setting_names(cells)}; differences.csv has every chunker"))
    for line in note_lines(answerers(cells), notes):
        print_caption(line)
    show(terminal_table(make_table(_LOSSES, losses)))
    figures = format_figure(cells, differences, run.path / "figures", notes)
    say_files([run.path / "differences.csv", run.path / "losses.csv", *figures])


def verdict_lines(run: StudyRun, cells: pd.DataFrame, differences: pd.DataFrame) -> Iterator[str]:
    """Of the last stage: whether a format differs from the first; and the sizes."""
    chosen = [m for m in METRICS if len(cells_of(cells, m[0], m[1], GROUP))]
    on_tables = run.rows.loc[run.rows["evidence_source"] == GROUP.partition(":")[2]]
    documents = on_tables["doc_id"].nunique()
    if differences.empty:
        yield "One format is measured, so there is nothing to compare it with: name more engines."
        return
    stage, metric, title = chosen[-1]
    rows = differences[(differences["stage"] == stage) & (differences["metric"] == metric)]
    ranked = rows.reindex(rows["mean"].abs().sort_values(ascending=False).index)
    changes = [_change(row, documents) for row in ranked.to_dict("records")[:MOST_NAMED]]
    yield f"Of {title}, compared with {rows['less'].iloc[0]}: {'; '.join(changes)}."
    yield size_text(int(rows["n"].max()), documents)


def _change(row: Mapping[Any, Any], documents: int) -> str:
    """What a format gains or loses, with its test."""
    sign, verb = (1, "gains") if row["mean"] > 0 else (-1, "loses")
    low, high = sorted(sign * float(row[end]) for end in ("ci_low", "ci_high"))
    effect = effect_text(abs(row["mean"]), low, high, row["p_adjusted"], documents)
    return f"{row['format']} {verb} {effect}"


def format_table(cells: pd.DataFrame, differences: pd.DataFrame) -> Table:
    """One row per format and system: differences from the first format, and means.

    ``differences`` are those of :func:`paired_differences`; empty with a single format.
    """
    metrics = [m for m in METRICS if len(cells_of(cells, m[0], m[1], GROUP))]
    table = empty_table(["tables in", "system"], [title for _, _, title in metrics])
    for engine in dict.fromkeys(cells["engine"]):
        for setting in settings_of(cells):
            row = []
            for stage, metric, _ in metrics:
                of_engine = setting.select(cells_of(cells, stage, metric, GROUP))
                of_engine = of_engine[of_engine["engine"] == engine]
                mean = number(of_engine["mean"].iloc[0]) if len(of_engine) else "-"
                less = differences[
                    (differences["format"] == engine)
                    & (differences["stage"] == stage)
                    & (differences["metric"] == metric)
                ]
                changes = setting.select(less).rename(columns={"mean": "difference"})
                row.append(
                    "".join(f"{change_text(change)}; " for _, change in changes.iterrows()) + mean
                )
            names = (str(engine), ", ".join(setting.system_parts))
            table.add_row(*(Text(plain(name)) for name in names), *row)
    if len(differences):
        tests = int(differences["family_size"].max())
        table.caption = (
            f"less {plain(str(differences['less'].iloc[0]))}, paired by question; then the mean; "
            f"{family(tests, 'of each metric')}"
        )
    return table


_LOSSES = (
    text_column("format", "tables in"),
    text_column("what", "lost content"),
    value_column("tables"),
    text_column("detail", "such as"),
)
