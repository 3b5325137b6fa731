"""Prints which OCR metric predicts what noise costs."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd
from rich.table import Table
from rich.text import Text

from ohr.analysis.predictiveness.figure import correlations_figure
from ohr.analysis.predictiveness.predictors import (
    BETWEEN,
    POOLED,
    WITHIN,
    PredictorComparison,
    verdict,
)
from ohr.analysis.predictiveness.table import Predictors, outcomes_of, predictors
from ohr.display.labels import group_label, interval_units
from ohr.display.notes import answerers, note_lines, run_notes
from ohr.display.terminal import empty_table, print_caption, say, say_files, show
from ohr.display.verdicts import size_text
from ohr.display.wording import excluded
from ohr.files.safe_text import plain
from ohr.metrics.labels import heading
from ohr.statistics.numbers import ends, number, p_value, prose
from ohr.store.csv import write_csv
from ohr.study.opening import open_runs

OVERLAPS = "~"
"""Beside a correlation that is partly by construction."""


def report_predictiveness(
    paths: Sequence[Path], out: Path | None, metrics: Sequence[str], groups: bool
) -> int:
    """Print the correlations, write the tables, draw the figure. Raises OhrError."""
    runs = open_runs(paths)
    tables = predictors(runs, metrics, groups)
    table = tables.table
    folder = out or paths[0]
    write_csv(folder / "predictiveness.csv", table)
    write_csv(folder / "predictor_pairs.csv", tables.pairs)
    for label, outcome in outcomes_of(table):
        first, *more = verdict_lines(outcome, tables)
        for line in (f"{heading(label)}: {first}", *more):
            say(f"{line}.")
    documents = max(run.rows["doc_id"].nunique() for run in runs)
    say(size_text(int(table["n_questions"].max()), documents))
    for label, outcome in outcomes_of(table):
        print()
        show(_table(label, outcome))
        if overlapping := _overlapping(outcome):
            print_caption(f"{OVERLAPS} shares part of the outcome's definition: {overlapping}")
    for line in _legend(table):
        print_caption(line)
    for line in note_lines(answerers(table), run_notes(runs)):
        print_caption(line)
    files = [folder / "predictiveness.csv", folder / "predictor_pairs.csv"]
    say_files([*files, *correlations_figure(table, folder / "figures", run_notes(runs))])
    return 0


def _table(label: str, outcome: pd.DataFrame) -> Table:
    """The metrics of one outcome, the best within conditions first."""
    everywhere = outcome[outcome["conditions"] == "all"]
    every = everywhere[everywhere["group"] == "all"]
    within = every[every["correlation"] == WITHIN].sort_values(
        "rho", ascending=False, kind="stable"
    )
    sources = [name for name in dict.fromkeys(everywhere["group"]) if name.startswith("source:")]
    count = int(every["n_conditions"].max())
    several = count > 1  # of one condition, within is pooled, and there is nothing between
    conditions = f"{count} condition{'s' * several}"
    behind = ("behind the best", "p (Holm)", "behind its kind", "p (Holm)")
    by_source = [f"within, {group_label(source)}" for source in sources]
    table = empty_table(
        ["metric"],
        ["of", "n", *[POOLED] * several, WITHIN, *behind, *[BETWEEN] * several, *by_source],
        title=plain(f"{label}: {every['n_questions'].max()} questions, {conditions}"),
    )
    for row in within.to_dict("records"):
        metric_rows = everywhere[everywhere["measure"] == row["measure"]]
        of_all = (
            metric_rows[metric_rows["group"] == "all"].set_index("correlation").to_dict("index")
        )
        of_sources = (
            metric_rows[metric_rows["correlation"] == WITHIN].set_index("group").to_dict("index")
        )
        mark = OVERLAPS if row["overlaps"] else ""
        table.add_row(
            Text(plain(f"{row['measure_title']}{f' {mark}' if mark else ''}")),
            row["of"],
            str(row["n"]),
            *(_shown(of_all[name], "rho", mark) for name in [POOLED] * several + [WITHIN]),
            *(text for kind in ("", "alike_") for text in _deficit_cells(row, kind)),
            *(_shown(of_all[name], "rho", mark) for name in [BETWEEN] * several),
            *(_number(of_sources.get(source, {}).get("rho", math.nan), mark) for source in sources),
        )
    return table


def verdict_lines(outcome: pd.DataFrame, tables: Predictors) -> Iterator[str]:
    """The result of an outcome's pairs, within conditions: of all metrics, then of pages."""
    rows = _rows_within(outcome)
    pairs = tables.pairs.merge(
        rows[list(_same(tables.pairs, rows))].drop_duplicates(), validate="many_to_one"
    )
    among = "among metrics that share nothing of the outcome's definition: "
    yield f"{among if rows['overlaps'].any() else ''}{_sentence(verdict(rows, pairs))}"
    if rows.loc[~rows["overlaps"], "of"].nunique() > 1:
        yield f"among metrics of pages: {_sentence(verdict(rows, pairs, 'page'))}"


def _overlapping(outcome: pd.DataFrame) -> str:
    """The metrics of pages that are partly the outcome by construction."""
    rows = _rows_within(outcome)
    return ", ".join(rows.loc[rows["overlaps"], "measure_title"])


def _rows_within(outcome: pd.DataFrame) -> pd.DataFrame:
    """The rows of all questions and conditions, correlated within conditions."""
    return outcome[
        (outcome["conditions"] == "all")
        & (outcome["group"] == "all")
        & (outcome["correlation"] == WITHIN)
    ]


def _same(pairs: pd.DataFrame, rows: pd.DataFrame) -> Iterator[str]:
    """The shared columns that identify outcome, group and correlation."""
    own = {"p", "p_holm", "alike_p_holm", "n"}
    return (str(name) for name in pairs if name in rows and name not in own)


def _sentence(result: PredictorComparison | None) -> str:
    if result is None:
        return "there are no two metrics to compare"
    leader = f"{result.leader} ({prose(result.rho)})"
    pairs = result.n_pairs
    corrected = f"p after Holm over the {pairs} comparison{'s' * (pairs != 1)}"
    bound = excluded(result.bound, result.bound)
    if result.is_best:
        return f"best predictor: {leader}, ahead of each of the others ({corrected})"
    if not result.any_shown:
        return (
            f"no predictor is shown to be better than another: {leader} leads "
            f"({bound}; {corrected})"
        )
    level = ", ".join(result.level)
    behind = f"; behind it: {', '.join(result.ahead_of)}" if result.ahead_of else ""
    return (
        f"no predictor is shown to be the best: {leader} leads; not shown to be behind it: {level} "
        f"({bound}){behind}; {corrected}"
    )


def _legend(table: pd.DataFrame) -> list[str]:
    units = interval_units(table["ci_unit"])
    intervals = f"; in brackets 95 % intervals for further {units}" if units else ""
    return [
        "Spearman's correlation of a question's damage (how much worse the metric is) and its loss",
        "pooled: all questions under all conditions; within: ranked within each condition; "
        f"between: the conditions' means, without an interval{intervals}",
        "behind: within conditions, behind the best of all metrics or of its kind (of pages, or "
        "of the evidence, which must be known); p after Holm over all pairs of these metrics",
        f"{OVERLAPS}: the metric shares part of the outcome's definition, so the correlation is "
        "partly by construction; it is not compared",
    ]


def _deficit_cells(row: Mapping[Hashable, Any], prefix: str) -> tuple[str, str]:
    return _shown(row, f"{prefix}behind"), p_value(row[f"{prefix}p_holm"])


def _shown(row: Mapping[Hashable, Any], name: str, mark: str = "") -> str:
    return _number(row[name], mark) + ends(row[f"{name}_ci_low"], row[f"{name}_ci_high"], _number)


def _number(value: float, mark: str = "") -> str:
    return number(value, 2) + ("" if math.isnan(value) else mark)
