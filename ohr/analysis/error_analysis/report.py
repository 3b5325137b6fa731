"""Shares of the four cases of OCR and answer."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from ohr.analysis.error_analysis.figure import case_dots
from ohr.analysis.error_analysis.table import (
    CASES,
    WRONG_BY,
    case_shares,
    common_measures,
    distinct,
)
from ohr.display.choices import ANSWER_STAGES, MEASURES, RIGHT
from ohr.display.columns import Column, Row, make_table, text_column, value_column
from ohr.display.labels import group_label, interval_units, noise_title
from ohr.display.notes import answerers, note_lines, run_notes
from ohr.display.terminal import print_caption, say, say_files, show, terminal_table
from ohr.display.text_tables import TextTable, write_table
from ohr.display.verdicts import MOST_NAMED, size_text
from ohr.display.wording import counted
from ohr.errors import OhrError
from ohr.metrics.scores import R_NOISE_THRESHOLD
from ohr.statistics.numbers import ends, percent
from ohr.study.opening import open_runs
from ohr.study.results import run_names

BOTH, ANSWER_ALONE = "ocr_wrong_answer_wrong", "ocr_right_answer_wrong"


def analyse_errors(
    paths: Sequence[Path],
    out: Path,
    right: float = RIGHT,
    stage: str = ANSWER_STAGES[0],
    measure: str = "",
) -> int:
    """Print and write the shares of finished runs.

    ``measure``, one of :data:`ohr.display.choices.MEASURES`, decides where OCR is wrong; by
    default the metric on the axis of the runs' curves. Raises OhrError.
    """
    if stage not in ANSWER_STAGES:
        raise OhrError(f"unknown --stage {stage!r}; known: {', '.join(ANSWER_STAGES)}")
    runs = open_runs(paths)
    measures = common_measures(runs, measure)
    shares = [case_shares(run, right, stage, measures[0]) for run in runs]
    names = run_names(runs)
    everyone = distinct(shares, names)
    caption = (
        f"Share of questions; {_measures_line(everyone, measures)}; "
        f"answer right: F1 of at least {right:g}; {stage} stage"
    )
    caption = "; ".join([caption, *note_lines(answerers(everyone), run_notes(runs))])
    units = interval_units(everyone["ci_unit"])
    documents = max(run.rows["doc_id"].nunique() for run in runs)
    for line in verdict_lines(everyone, documents):
        say(line)
    print()
    show(terminal_table(_text_table(everyone, caption, intervals=False)))
    print_caption(caption)
    sources = distinct(shares, names, groups=True)
    if sources["group"].nunique() > 1:
        worst = _ranked(everyone)[0]
        is_worst = (sources["name"] == worst["name"]) & (sources["setting"] == worst["setting"])
        print()
        show(terminal_table(_source_table(sources[is_worst])))
        print_caption(
            "in brackets: the share of all questions of that case, which adds up to 100 % over the "
            "kinds of evidence; error_analysis.csv has the other knowledge bases"
        )
    over = f"; 95 % intervals for further {units}" if units else ""
    table = _text_table(everyone, caption + over, intervals=True)
    by_run = [share.assign(run=name) for share, name in zip(shares, names, strict=True)]
    paths = write_table(out, "error_analysis", pd.concat(by_run, ignore_index=True), table)
    paths += case_dots(everyone, _short_line(measures), caption, out)
    say_files(paths)
    return 0


def verdict_lines(shares: pd.DataFrame, documents: int) -> Iterator[str]:
    """How many answers are wrong with wrong OCR, and with right OCR; the most damaged first."""
    ranked = _ranked(shares)
    several = shares["setting"].nunique() > 1
    for row in ranked[:MOST_NAMED]:
        parts: list[str] = []
        cases = ((BOTH, "OCR and answer are both wrong"), (ANSWER_ALONE, "only the answer"))
        for case, what in cases:
            low, high = row[f"{case}_ci_low"], row[f"{case}_ci_high"]
            over = "no interval" if pd.isna(low) else f"95 % CI {percent(low)} to {percent(high)}"
            of = "" if parts else " of the questions"
            parts.append(f"{what} for {percent(row[case])}{of} ({over})")
        setting = f", {row['setting']}" if several else ""
        yield f"{row['name']}{setting}: {', '.join(parts)}."
    if len(ranked) > MOST_NAMED:
        yield f"The table has {counted(len(ranked) - MOST_NAMED, 'other knowledge base')}."
    yield size_text(int(shares["n"].max()), documents)


def _ranked(shares: pd.DataFrame) -> list[dict[Hashable, Any]]:
    return shares.sort_values(BOTH, ascending=False, kind="stable").to_dict("records")


def _measures_line(shares: pd.DataFrame, measures: Sequence[str]) -> str:
    """Which measure decides, whether it is the axis of curves, and what the others would say."""
    axis = next(name for name in MEASURES if name in measures)
    parts = []
    for name in measures:
        wrong = 100 * shares[f"{WRONG_BY}{name}"]
        least, most = f"{wrong.min():.1f}", f"{wrong.max():.1f}"
        of_axis = " (the axis of curves)" if name == axis else ""
        span = most if least == most else f"{least} to {most}"
        parts.append(f"{_title(name)}{of_axis}, {span} % of questions")
    rest = f"; by other measures it would be: {'; '.join(parts[1:])}" if parts[1:] else ""
    return (
        f"OCR wrong: the evidence's LCS with its page is {R_NOISE_THRESHOLD:g} or less "
        f"by {parts[0]}{rest}"
    )


def _short_line(measures: Sequence[str]) -> str:
    """The measure that decides and the axis of curves, for the line above the figure."""
    axis = next(name for name in MEASURES if name in measures)
    if measures[0] == axis:
        return f"OCR wrong: {_title(axis)}, as on the axis of curves"
    return f"OCR wrong: {_title(measures[0])}; axis of curves: {_title(axis)}"


def _title(measure: str) -> str:
    return noise_title(measure)


def _text_table(shares: pd.DataFrame, caption: str, *, intervals: bool) -> TextTable:
    columns = (
        text_column("name", "knowledge base"),
        text_column("setting"),
        value_column("n"),
        *(_case(case, title, intervals=intervals) for case, title in CASES.items()),
        Column("right where OCR is wrong", _right_despite_ocr),
    )
    return make_table(columns, shares, caption)


def _case(case: str, title: str, *, intervals: bool) -> Column:
    return Column(title, lambda row: _share(row, case, intervals=intervals))


def _right_despite_ocr(row: Row) -> str:
    share = row["right_despite_ocr"]
    return "-" if pd.isna(share) else f"{100 * share:.1f} %"


def _source_table(shares: pd.DataFrame) -> TextTable:
    """One row per knowledge base, setting and kind of evidence: each case's two shares."""
    columns = (
        text_column("name", "knowledge base"),
        text_column("setting"),
        Column("questions on", lambda row: group_label(row["group"]), is_text=True),
        value_column("n"),
        *(_both_shares(case, title) for case, title in CASES.items()),
    )
    return make_table(columns, shares)


def _both_shares(case: str, title: str) -> Column:
    return Column(
        title,
        lambda row: f"{_share(row, case, intervals=False)} ({percent(row[f'{case}_of_all'])})",
    )


def _share(row: Row, case: str, *, intervals: bool) -> str:
    interval = ends(row[f"{case}_ci_low"], row[f"{case}_ci_high"], lambda end: f"{100 * end:.1f}")
    return f"{100 * row[case]:.1f} %" + interval * intervals
