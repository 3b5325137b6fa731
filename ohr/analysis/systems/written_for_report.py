"""Prints overall scores without and with the questions written for a system's rules."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from ohr.analysis.systems.table import scored_with
from ohr.analysis.systems.written_for import WrittenFor, written_for
from ohr.display.columns import Column, Row, make_table, number_column, text_column
from ohr.display.terminal import print_caption, show, terminal_table
from ohr.display.text_tables import TextTable, write_table
from ohr.statistics import mean_interval
from ohr.statistics.numbers import number
from ohr.study.results import StudyRun, clusters_of

METRIC = "f1"
COLUMNS = ("knowledge_base", "system", "n", "f1", "ci_low", "ci_high", "n_all", "f1_all")


def report_written_for(run: StudyRun) -> list[Path]:
    """Print and write both scores of each system, if questions were written for one of them.

    Returns the paths, for the line of files.
    """
    left_out = written_for(run)
    if not left_out.qids:
        return []
    values = both(run, left_out)
    table = both_table(values, left_out)
    print()
    print_caption(table.caption)
    show(terminal_table(table))
    return write_table(run.path / "tables", "written_for", values, table)


def both(run: StudyRun, left_out: WrittenFor) -> pd.DataFrame:
    """One row per knowledge base and system: F1 without these questions, with its interval, and
    F1 with them. Columns are :data:`COLUMNS`.
    """
    records = []
    for scores in scored_with(run):
        if scores.info.metric != METRIC:
            continue
        is_kept = ~scores.questions["qid"].isin(left_out.qids).to_numpy()
        for (label, base), values in scores.values.items():
            is_known = ~pd.isna(values)
            some = is_known & is_kept
            if not some.any():
                continue
            interval = mean_interval(
                values[some], clusters_of(scores.questions[some]), bounded=True
            )
            means = float(values[some].mean()), float(values[is_known].mean())
            ends = interval.low, interval.high
            records.append(
                (base, label, int(some.sum()), means[0], *ends, int(is_known.sum()), means[1])
            )
    return pd.DataFrame(records, columns=list(COLUMNS))


def both_table(values: pd.DataFrame, left_out: WrittenFor) -> TextTable:
    """F1 without the questions that were left out, best first, beside F1 of all."""
    columns = (
        text_column("knowledge_base"),
        text_column("system"),
        number_column("f1", "F1"),
        Column("95 %", _interval),
        number_column("f1_all", "F1 with them"),
    )
    bases = [
        some.sort_values("f1", ascending=False, kind="stable")
        for _, some in values.groupby("knowledge_base", sort=False)
    ]
    return make_table(columns, pd.concat(bases), left_out.line())


def _interval(row: Row) -> str:
    low, high = row["ci_low"], row["ci_high"]
    return "" if pd.isna(low) else f"{number(low)} to {number(high)}"
