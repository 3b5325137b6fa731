"""Shares of the four cases of OCR and answer."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from ohr.analysis.comparison.table import run_names
from ohr.analysis.error_analysis.figure import case_dots
from ohr.analysis.error_analysis.table import (
    CASES,
    case_shares,
    distinct,
)
from ohr.display.choices import ANSWER_STAGES, RIGHT
from ohr.display.labels import group_label, interval_units
from ohr.display.notes import answerers, note_lines, run_notes
from ohr.display.terminal import percent, show, terminal_table
from ohr.display.text_tables import TextTable, write_table
from ohr.errors import OhrError
from ohr.metrics.scores import R_NOISE_THRESHOLD
from ohr.study.opening import open_runs


def analyse_errors(
    paths: Sequence[Path], out: Path, right: float = RIGHT, stage: str = ANSWER_STAGES[0]
) -> int:
    """Print and write the shares of finished runs. Raises OhrError."""
    if stage not in ANSWER_STAGES:
        raise OhrError(f"unknown --stage {stage!r}; known: {', '.join(ANSWER_STAGES)}")
    runs = open_runs(paths)
    shares = [case_shares(run, right, stage) for run in runs]
    caption = (
        f"Share of questions; OCR right: LCS of evidence and page above {R_NOISE_THRESHOLD:g}; "
        f"answer right: F1 of at least {right:g}; {stage} stage"
    )
    names = run_names(runs)
    everyone = distinct(shares, names)
    caption = "; ".join([caption, *note_lines(answerers(everyone), run_notes(runs))])
    units = interval_units(everyone["ci_unit"])
    show(terminal_table(_text_table(everyone, caption, intervals=False)))
    print(caption)
    sources = distinct(shares, names, groups=True)
    if sources["group"].nunique() > 1:
        show(terminal_table(_by_source(sources)))
        print(
            "in brackets: the share of all questions of that case, which adds up to 100 % over the "
            "kinds of evidence"
        )
    over = f"; 95 % intervals for further {units}" if units else ""
    table = _text_table(everyone, caption + over, intervals=True)
    by_run = [share.assign(run=name) for share, name in zip(shares, names, strict=True)]
    paths = write_table(out, "error_analysis", pd.concat(by_run, ignore_index=True), table)
    paths += case_dots(everyone, caption, out)
    for path in paths:
        print(f"written: {path}")
    return 0


def _text_table(shares: pd.DataFrame, caption: str, *, intervals: bool) -> TextTable:
    header = ["knowledge base", "setting", "n", *CASES.values()]
    rows = []
    for _, row in shares.iterrows():
        rows.append(
            [
                row["name"],
                row["setting"],
                str(row["n"]),
                *(_share(row, case, intervals=intervals) for case in CASES),
                "-"
                if pd.isna(row["right_despite_ocr"])
                else f"{100 * row['right_despite_ocr']:.1f} %",
            ]
        )
    return TextTable([*header, "right where OCR is wrong"], rows, caption, left=2)


def _by_source(shares: pd.DataFrame) -> TextTable:
    """One row per knowledge base, setting and kind of evidence: each case's two shares."""
    rows = [
        [
            row["name"],
            row["setting"],
            group_label(row["group"]),
            str(row["n"]),
            *(
                f"{_share(row, case, intervals=False)} ({percent(row[f'{case}_of_all'])})"
                for case in CASES
            ),
        ]
        for _, row in shares.iterrows()
    ]
    header = ["knowledge base", "setting", "questions on", "n", *CASES.values()]
    return TextTable(header, rows, "", left=3)


def _share(row: pd.Series, case: str, *, intervals: bool) -> str:
    low, high = row[f"{case}_ci_low"], row[f"{case}_ci_high"]
    has_interval = intervals and not pd.isna(low)
    return f"{100 * row[case]:.1f} %" + (
        f" [{100 * low:.1f}, {100 * high:.1f}]" if has_interval else ""
    )
