"""Grades and preferences of judges: PDFTriage's table 3 and figure 3 as files."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd

from experiments.analysis.judging import (
    ASPECTS,
    agreement,
    mean_grades,
    pair_counts,
    top_shares,
)
from experiments.figures.preferences import preference_bars
from experiments.reports.files import TextTable, write_table
from experiments.reports.terminal import show, terminal_table
from ohr.store.atomic import write_text
from ohr.study.csv import csv_text


def report_judgements(grades: pd.DataFrame, preferences: pd.DataFrame, out: Path) -> None:
    """Print and write grades and preferences (:mod:`experiments.analysis.judging`)."""
    means, pairs, shares = mean_grades(grades), pair_counts(preferences), top_shares(preferences)
    tables = [("grades", means, _grade_table(means)), ("pairs", pairs, _pair_table(pairs))]
    if grades["judge"].nunique() > 1:
        kappas = agreement(grades, preferences)
        tables.append(("agreement", kappas, _kappa_table(kappas)))
    written = []
    for name, frame, table in tables:
        show(terminal_table(table))
        written += write_table(out, name, frame, table)
    for name, frame in (("each_grade", grades), ("each_pair", preferences), ("shares", shares)):
        write_text(out / f"{name}.csv", csv_text(frame))
        written.append(out / f"{name}.csv")
    caption = "Share of questions for which an answer ranks first; equal ranks share a question"
    written += preference_bars(shares, caption, out)
    for path in written:
        print(f"written: {path}")


def _grade_table(means: pd.DataFrame) -> TextTable:
    everyone = means[means["group"] == "all"]
    systems = list(dict.fromkeys(everyone["system"]))
    rows = []
    for (name, base), part in everyone.groupby(["judge", "knowledge_base"], sort=False):
        wide = part.pivot_table(index="aspect", columns="system", values="mean", dropna=False)
        rows += [
            [str(name), str(base), aspect, *(f"{wide.loc[aspect, one]:.1f}" for one in systems)]
            for aspect in ASPECTS
        ]
    caption = (
        f"Mean grades, 1 (worst) to 5, of {everyone['n'].max()} answers of each system; an answer "
        f"that failed has the worst; {everyone['ungraded'].sum()} aspects were not graded"
    )
    return TextTable(["judge", "knowledge base", "aspect", *systems], rows, caption, left=3)


def _pair_table(pairs: pd.DataFrame) -> TextTable:
    everyone = pairs[pairs["group"] == "all"]
    names = ["judge", "knowledge_base", "first", "second"]
    counts = ["first_wins", "second_wins", "ties", "not_judged"]
    rows = [
        [*(str(row[name]) for name in (*names, *counts)), _share(row["orders_agree"])]
        for row in everyone.to_dict("records")
    ]
    header = ["judge", "knowledge base", "first", "second", "first wins", "second wins", "ties"]
    caption = "Which of two answers is better, asked in both orders; a tie where they differ"
    return TextTable([*header, "not judged", "orders agree"], rows, caption, left=4)


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
