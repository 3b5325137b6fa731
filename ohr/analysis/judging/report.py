"""Grades and preferences of judges: PDFTriage's table 3 and figure 3 as files."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

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
from ohr.display.columns import Column, Row, make_table, text_column, value_column
from ohr.display.terminal import print_caption, say, say_files, show, terminal_table
from ohr.display.text_tables import TextTable, write_table
from ohr.display.verdicts import effect_text, size_text
from ohr.display.wording import family
from ohr.statistics.clusters import FEWEST
from ohr.statistics.numbers import ends, number, p_value
from ohr.store.atomic import write_text
from ohr.store.csv import csv_text

FEWEST_TESTED = 6
NO_P = "no p of a sign-flip test over fewer than six documents is 0.05 or less"


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
        table = make_table(_KAPPAS, kappas, "Agreement of two judges")
        tables.append(("agreement", kappas, table))
    for line in verdict_lines(pairs):
        say(line)
    print()
    paths = []
    for name, frame, table in tables:
        show(terminal_table(table))
        print_caption(table.caption)
        paths += write_table(out, name, frame, table)
    for name, frame in (("each_grade", grades), ("each_pair", preferences), ("shares", shares)):
        write_text(out / f"{name}.csv", csv_text(frame))
        paths.append(out / f"{name}.csv")
    caption = "Share of questions for which an answer ranks first; equal ranks share a question"
    paths += preference_dots(shares, caption, out)
    paths += preference_differences(pairs, out)
    say_files(paths)


def verdict_lines(pairs: pd.DataFrame) -> Iterator[str]:
    """Of each judge, the two systems between which it prefers one most; and the sizes."""
    whole = pairs[(pairs["group"] == "all") & pairs["difference"].notna()]
    for judge, rows in whole.groupby("judge", sort=False):
        row = rows.sort_values("difference", key=lambda column: -column.abs(), kind="stable").iloc[
            0
        ]
        names = [row["first"], row["second"]]
        better, worse = names if row["difference"] > 0 else names[::-1]
        sign = 1 if row["difference"] > 0 else -1
        low, high = sorted(sign * row[f"ci_{end}"] for end in ("low", "high"))
        value, documents = abs(row["difference"]), int(row["n_documents"])
        preference = effect_text(value, low, high, row["p_adjusted"], documents)
        yield (
            f"{judge}, {row['knowledge_base']}: share of questions on which {better} wins, less "
            f"that of {worse}: {preference}."
        )
    if len(whole):
        yield size_text(int(whole["n"].max()), int(whole["n_documents"].max()))


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
    columns = (
        *map(text_column, ("judge", "knowledge_base", "aspect", "first", "second")),
        *_COMPARED,
        value_column("n"),
        value_column("ungraded"),
    )
    caption = (
        "Grades of the first system less the second's, on the questions of which both are graded; "
        + _tests(everyone)
    )
    return make_table(columns, everyone, caption)


def _pair_table(pairs: pd.DataFrame) -> TextTable:
    everyone = pairs[pairs["group"] == "all"]
    columns = (
        *map(text_column, ("judge", "knowledge_base", "first", "second")),
        *_COMPARED,
        *map(value_column, ("first_wins", "second_wins", "ties", "not_judged")),
        _share("orders_agree"),
    )
    caption = (
        "Which of two answers is better, asked in both orders; a tie if they differ; first - "
        "second: the share of questions that the first wins less the second's; " + _tests(everyone)
    )
    return make_table(columns, everyone, caption)


def _difference(row: Row) -> str:
    difference = "" if np.isnan(row["difference"]) else number(row["difference"])
    return difference + ends(row["ci_low"], row["ci_high"])


def _verdict(row: Row) -> str:
    return is_better(row) or ("not tested" if np.isnan(row["p"]) else "not shown")


_COMPARED = (
    Column("first - second [95 %]", _difference),
    Column("p", lambda row: p_value(row["p_adjusted"])),
    Column("better", _verdict),
)


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


def _mean(row: Row) -> str:
    return f"{row['mean']:.1f}" + ends(row["ci_low"], row["ci_high"], "{:.1f}".format)


def _share(key: str, heading: str = "") -> Column:
    text = heading or key.replace("_", " ")
    return Column(text, lambda row: "" if np.isnan(row[key]) else f"{row[key]:.2f}")


_KAPPAS = (
    *map(text_column, ("judge", "other", "of")),
    _share("kappa", "Cohen's kappa"),
    _share("same"),
    value_column("n"),
)
