"""Grades and preferences of judges: PDFTriage's table 3 and figure 3 as files."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from ohr.analysis.judging.figure import preference_differences, preference_dots
from ohr.analysis.judging.table import (
    ASPECTS,
    agreement,
    grade_differences,
    is_better,
    mean_grades,
    pair_counts,
    top_shares,
)
from ohr.display.terminal import p_value, show, terminal_table
from ohr.display.text_tables import TextTable, write_table
from ohr.display.wording import family, short
from ohr.files.safe_text import plain
from ohr.statistics.clusters import FEWEST
from ohr.store.atomic import write_text
from ohr.store.csv import csv_text

FEWEST_TESTED = 6
NO_P = "no p of a sign-flip test over fewer than six documents is .05 or less"


def report_judgements(grades: pd.DataFrame, preferences: pd.DataFrame, out: Path) -> None:
    """Print and write grades and preferences (:mod:`ohr.analysis.judging.table`)."""
    means, pairs, shares = mean_grades(grades), pair_counts(preferences), top_shares(preferences)
    differences = grade_differences(grades)
    tables = [
        ("grades", means, _grade_table(means)),
        ("grade_differences", differences, _difference_table(differences)),
        ("pairs", pairs, _pair_table(pairs)),
    ]
    if grades["judge"].nunique() > 1:
        kappas = agreement(grades, preferences)
        tables.append(("agreement", kappas, _kappa_table(kappas)))
    paths = []
    for name, frame, table in tables:
        show(terminal_table(table))
        print(plain(table.caption))
        paths += write_table(out, name, frame, table)
    for name, frame in (("each_grade", grades), ("each_pair", preferences), ("shares", shares)):
        write_text(out / f"{name}.csv", csv_text(frame))
        paths.append(out / f"{name}.csv")
    caption = "Share of questions for which an answer ranks first; equal ranks share a question"
    paths += preference_dots(shares, caption, out)
    paths += preference_differences(pairs, out)
    for path in paths:
        print(f"written: {path}")


def _grade_table(means: pd.DataFrame) -> TextTable:
    everyone = means[means["group"] == "all"]
    systems = list(dict.fromkeys(everyone["system"]))
    rows = []
    for (name, base), part in everyone.groupby(["judge", "knowledge_base"], sort=False):
        cells = part.set_index(["aspect", "system"])
        rows += [
            [
                str(name),
                str(base),
                aspect,
                *(_mean(cells.loc[(aspect, system)]) for system in systems),
            ]
            for aspect in ASPECTS
        ]
    caption = (
        f"Mean grades, 1 (worst) to 5, of {everyone['n'].max()} answers of each system; an answer "
        f"that failed has the worst; {everyone['ungraded'].sum()} aspects were not graded; "
        + _intervals(everyone)
    )
    return TextTable(["judge", "knowledge base", "aspect", *systems], rows, caption, left=3)


def _difference_table(differences: pd.DataFrame) -> TextTable:
    everyone = differences[differences["group"] == "all"]
    names = ["judge", "knowledge_base", "aspect", "first", "second"]
    rows = [
        [*(str(row[name]) for name in names), *_compared(row), str(row["n"]), str(row["ungraded"])]
        for row in everyone.to_dict("records")
    ]
    header = ["judge", "knowledge base", "aspect", "first", "second", "first - second [95 %]"]
    caption = (
        "Grades of the first system less the second's, on the questions of which both are graded; "
        + _tests(everyone)
    )
    return TextTable([*header, "p", "better", "n", "ungraded"], rows, caption, left=5)


def _pair_table(pairs: pd.DataFrame) -> TextTable:
    everyone = pairs[pairs["group"] == "all"]
    names = ["judge", "knowledge_base", "first", "second"]
    counts = ["first_wins", "second_wins", "ties", "not_judged"]
    rows = [
        [
            *(str(row[name]) for name in names),
            *_compared(row),
            *(str(row[name]) for name in counts),
            _share(row["orders_agree"]),
        ]
        for row in everyone.to_dict("records")
    ]
    header = ["judge", "knowledge base", "first", "second", "first - second [95 %]", "p", "better"]
    header += ["first wins", "second wins", "ties", "not judged", "orders agree"]
    caption = (
        "Which of two answers is better, asked in both orders; a tie if they differ; first - "
        "second: the share of questions that the first wins less the second's; " + _tests(everyone)
    )
    return TextTable(header, rows, caption, left=4)


def _compared(row: Mapping[Any, Any]) -> list[str]:
    """Difference with interval, p, and the verdict."""
    low, high = row["ci_low"], row["ci_high"]
    interval = "" if np.isnan(low) else f" [{short(low)}, {short(high)}]"
    verdict = is_better(row) or ("not tested" if np.isnan(row["p"]) else "not shown")
    difference = "" if np.isnan(row["difference"]) else short(row["difference"])
    return [difference + interval, p_value(row["p_adjusted"]), verdict]


def _tests(rows: pd.DataFrame) -> str:
    """The family of the table's tests, and what intervals are over."""
    tested = int(rows["p"].notna().sum())
    if not tested:
        return _intervals(rows)
    few = "" if rows["n_documents"].max() >= FEWEST_TESTED else f"; {NO_P}"
    return f"sign-flip test by document, {family(tested)}{few}; {_intervals(rows)}"


def _intervals(rows: pd.DataFrame) -> str:
    if (rows["ci_unit"] != "").any():
        return "95 % intervals over documents"
    return f"no intervals and no tests: the questions are of fewer than {FEWEST} documents"


def _mean(row: Mapping[Any, Any]) -> str:
    interval = "" if np.isnan(row["ci_low"]) else f" [{row['ci_low']:.1f}, {row['ci_high']:.1f}]"
    return f"{row['mean']:.1f}{interval}"


def _kappa_table(kappas: pd.DataFrame) -> TextTable:
    rows = [
        [str(row["judge"]), str(row["other"]), str(row["of"])]
        + [_share(row[name]) for name in ("kappa", "same")]
        + [str(row["n"])]
        for row in kappas.to_dict("records")
    ]
    header = ["judge", "other", "of", "Cohen's kappa", "same", "n"]
    return TextTable(header, rows, "Agreement of two judges", left=3)


def _share(value: float) -> str:
    return "" if np.isnan(value) else f"{value:.2f}"
