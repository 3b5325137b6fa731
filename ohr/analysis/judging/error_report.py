"""Prints and writes how often a judge errs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pandas as pd

from ohr.analysis.judging.errors import JUDGE, agreements, confusion, corrected, unit_words
from ohr.analysis.judging.verdicts import (
    CONDITION,
    KEYS,
    judged_answers,
    read_verdicts,
    write_sample,
)
from ohr.display.columns import Column, Row, make_table, number_column, text_column, value_column
from ohr.display.terminal import print_caption, say_files, show, terminal_table
from ohr.display.text_tables import TextTable, write_table
from ohr.errors import OhrError
from ohr.files.safe_text import plain
from ohr.statistics.numbers import ends, number
from ohr.study.notices.ungraded import bound_lines
from ohr.study.results import StudyRun


def draw_sample(run: StudyRun, path: Path, count: int, seed: int) -> int:
    """Write the answers that a person is to check; returns the exit code."""
    n = write_sample(run, path, count, seed)
    print(f"{n} answers to check: {path}; write yes or no into the column correct, then")
    print(f"ohr analyse judge {run.path} --verdicts {path} --out …")
    return 0


def report_errors(runs: Sequence[StudyRun], files: Sequence[Path], out: Path) -> int:
    """Print and write the errors of the first run's judge against the verdicts of the first file.

    Further files are further raters; a second run of the same answers has a second judge. Returns
    the exit code.
    """
    answers = judged_answers(runs[0])
    raters = {JUDGE: answers["judged"].to_numpy(float)}
    for run in runs[1:]:
        raters[f"judge of {run.name}"] = _aligned(answers, judged_answers(run), run)
    checks = {str(path.stem): read_verdicts(path, answers) for path in files}
    if len(checks) < len(files) or raters.keys() & checks.keys():
        raise OhrError("--verdicts: name each file once, under names that differ")
    raters |= checks
    tables = []
    if checks:
        checked = next(iter(checks.values()))
        counts, means = confusion(answers, checked), corrected(answers, checked)
        tables.append(("judge_confusion", counts, _confusion_table(counts)))
        tables.append(("judge_corrected", means, _corrected_table(means)))
    kappas = agreements(answers, raters)
    caption = f"Agreement of the raters beyond chance; {unit_words(kappas)}"
    tables.append(("judge_agreement", kappas, make_table(_KAPPAS, kappas, caption)))
    paths = []
    for name, frame, table in tables:
        show(terminal_table(table))
        print_caption(table.caption)
        paths += write_table(out, name, frame, table)
    for run in runs:
        if ungraded := run.manifest.get("ungraded", []):
            print(f"{plain(run.name)}: answers that the judge could not grade count as incorrect:")
            for line in bound_lines(ungraded):
                print(f"  {line}")
    say_files(paths)
    return 0


def _aligned(answers: pd.DataFrame, other: pd.DataFrame, run: StudyRun) -> np.ndarray:
    merged = answers[list(KEYS)].merge(other, on=list(KEYS), how="left")
    values = merged["judged"].to_numpy(float)
    if np.isnan(values).all():
        raise OhrError(f"{run.path} has none of the answers of the first run")
    return values


def _value(name: str) -> Callable[[Row], str]:
    return lambda row: number(row[name]) + ends(row[f"{name}_low"], row[f"{name}_high"])


def _confusion_table(counts: pd.DataFrame) -> TextTable:
    [row] = counts.to_dict("records")
    right, wrong = (
        [row[f"judged_{verdict}_checked_{truth}"] for truth in ("right", "wrong")]
        for verdict in ("right", "wrong")
    )
    rows = [
        {"judge": "correct", "checked_right": right[0], "checked_wrong": right[1]},
        {"judge": "incorrect", "checked_right": wrong[0], "checked_wrong": wrong[1]},
    ]
    columns = (
        text_column("judge"),
        value_column("checked_right", "checked: correct"),
        value_column("checked_wrong", "checked: incorrect"),
    )
    caption = (
        f"{row['n']} checked answers of {row['documents']} documents; the judge calls "
        f"{number(row['sensitivity'])} of the correct ones correct, and "
        f"{number(row['specificity'])} of the incorrect ones incorrect"
    )
    return make_table(columns, rows, caption)


def _corrected_table(means: pd.DataFrame) -> TextTable:
    varying = [name for name in CONDITION if means[name].nunique() > 1] or ["reader"]
    columns = (
        *map(text_column, varying),
        number_column("judged"),
        Column("corrected [95 %]", _value("corrected")),
        Column("Rogan-Gladen [95 %]", _value("rogan_gladen")),
        value_column("n"),
        value_column("checked"),
    )
    caption = (
        "judged: as the judge says; corrected: with the mean error on the checked answers of the "
        "same condition, which must be drawn at random; Rogan-Gladen: with the error rates of all "
        f"checked answers, alike in all conditions; {unit_words(means)}"
    )
    if (means["corrected"].notna() & means["corrected_low"].isna()).any():
        caption += "; no interval where only one document has checked answers"
    return make_table(columns, means, caption)


_KAPPAS = (
    *map(text_column, ("rater", "other")),
    Column("Cohen's kappa [95 %]", _value("kappa")),
    number_column("same"),
    value_column("n"),
)
