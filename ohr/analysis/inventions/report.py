"""Runs the tests of inventions, prints the results and writes tables, figures and pictures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import pandas as pd

from ohr.analysis.inventions.figure import KIND_NAMES, invention_figures
from ohr.analysis.inventions.pages import SourcePage
from ohr.analysis.inventions.pictures import draw_cases, worst_cases
from ohr.analysis.inventions.reading import Reading, read_variants
from ohr.analysis.inventions.table import ALL, count_pages, summarise
from ohr.analysis.inventions.variants import Design, draw_variants
from ohr.display.columns import Column, Row, make_table, text_column
from ohr.display.labels import interval_units
from ohr.display.terminal import (
    print_caption,
    report_failures,
    say,
    say_files,
    show,
    terminal_table,
)
from ohr.display.verdicts import estimate_text
from ohr.display.wording import counted, listed
from ohr.files.safe_text import plain
from ohr.ocr.progress import Progress
from ohr.statistics.numbers import number, percent
from ohr.store.csv import write_csv
from ohr.store.locking import locked
from ohr.study.output.select import distinct
from ohr.types import FAILED

SUMMARY, COUNTS = "inventions.csv", "inventions_pages.csv"
_PLAIN = ("written", "chance")
"""Measures whose difference has an interval in the table; ``inventions.csv`` has theirs."""
PICTURES = 3
"""Pictures of each part at most."""
_RULE_OF_THREE = 3.0
"""If none of n independent words came out, the rate is below 3/n with 95 % confidence (Hanley and
Lippman-Hand, If nothing goes wrong, is everything all right?, 1983)."""


def report_inventions(
    pages: Sequence[SourcePage], design: Design, reading: Reading, out: Path
) -> int:
    """Draw, read, count, print and write. Returns 1 if every page of an engine failed, else 0.

    Writes ``inventions.csv`` (means with intervals), ``inventions_pages.csv`` (counts), figures,
    pictures of the worst cases, and the images that were read. Raises OhrError.
    """
    with locked(out):
        with Progress(verb="drawing", unit="pages") as progress:
            variants = draw_variants(
                pages, design, out / "pages", lambda done, all_: progress("pages", done, all_)
            )
            outcomes = read_variants(variants, reading, progress.new_stage("reading with", "pages"))
        counts = count_pages(pages, variants, outcomes)
        summary = summarise(counts)
        write_csv(out / COUNTS, counts)
        write_csv(out / SUMMARY, summary)
        figures = invention_figures(summary, out / "figures")
        cases = worst_cases(pages, variants, outcomes, counts, PICTURES)
        pictures = draw_cases(cases, pages, out / "pictures")
    for line in verdict_lines(summary):
        say(line)
    print()
    for lines in (_hidden_lines, _textless_lines, _repeat_lines):
        for line in lines(summary):
            print_caption(line)
    for case, path in zip(cases, pictures, strict=True):
        print(plain(f"{path.relative_to(out)}: {case.title}"))
    say_files([out / SUMMARY, out / COUNTS, *figures])
    failed = [
        f"{engine}: all {len(engine_outcomes)} pages"
        for engine, engine_outcomes in outcomes.items()
        if all(outcome.status in FAILED for outcome in engine_outcomes)
    ]
    return report_failures((), failed)


def verdict_lines(summary: pd.DataFrame) -> list[str]:
    """What each engine makes up, in one sentence; the pages behind it are in the tables."""
    chosen = (
        ("hidden", "excess", "writes {} of the covered words, beyond chance"),
        ("textless", "any", "finds words on {} of the pages without text"),
        ("repeat", "gone", "drops up to {} of the words when it reads a page again"),
    )
    lines = []
    for engine in distinct(summary["engine"]):
        parts = []
        for part, measure, what in chosen:
            rows = summary[(summary["engine"] == engine) & (summary["part"] == part)]
            rows = rows[(rows["measure"] == measure) & rows["mean"].notna()]
            whole = rows[(rows["kind"] == ALL) & rows["dose"].isna()]
            if len(rows):
                row = (whole if len(whole) else rows.sort_values("mean")).iloc[-1]
                mean = estimate_text(row["mean"], row["ci_low"], row["ci_high"])
                is_none = part == "hidden" and _writes_none(summary, engine)
                parts.append(_none_written(int(row["n"])) if is_none else what.format(mean))
        if parts:
            document_counts = summary.loc[summary["part"] != "textless", "documents"]
            documents = counted(
                int(document_counts.max()) if len(document_counts) else 0, "document"
            )
            lines.append(f"{engine} {listed(parts)} ({documents}).")
    return lines


def _writes_none(summary: pd.DataFrame, engine: str) -> bool:
    """Whether an engine writes no covered word at all, by chance or not."""
    rows = summary[(summary["engine"] == engine) & (summary["part"] == "hidden")]
    rows = rows[(rows["measure"] == "written") & (rows["kind"] == ALL) & rows["n"].gt(0)]
    return len(rows) > 0 and bool(rows["mean"].eq(0).all())


def _none_written(n: int) -> str:
    """That none came out, and the largest rate that this leaves open."""
    return (
        f"writes none of {n:,} covered words (below {_RULE_OF_THREE / n:.4f} of them, if words "
        "are independent)"
    )


def _print_table(
    summary: pd.DataFrame, heads: Sequence[Column], measures: Mapping[str, str]
) -> None:
    """One row per engine, kind and dose; ``measures`` are columns, with their titles."""
    records = []
    for _, group in summary.groupby(["engine", "kind", "dose"], sort=False, dropna=False):
        rows = {str(row["measure"]): row for row in group.to_dict("records")}
        record = dict(next(iter(rows.values())))
        record |= {measure: _shown(rows[measure]) for measure in measures}
        records.append(record | {f"n {measure}": rows[measure]["n"] for measure in measures})
    columns = [text_column(measure, title) for measure, title in measures.items()]
    table = make_table([*heads, *(replace(each, is_text=False) for each in columns)], records)
    show(terminal_table(table))


def _shown(row: Row) -> str:
    """A mean with its interval; without one where a column beside it has it."""
    if row["measure"] == "longest":
        return f"{row['mean']:.0f}"
    text = _count if row["measure"] == "words" else number
    mean = text(row["mean"])
    if row["measure"] in _PLAIN or pd.isna(row["ci_low"]):
        return mean
    return f"{mean} [{text(row['ci_low'])}, {text(row['ci_high'])}]"


def _count(value: float) -> str:
    return "-" if pd.isna(value) else f"{value:.1f}"


def _failures(rows: pd.DataFrame) -> list[str]:
    """A line for each engine with failed pages."""
    lines = []
    first = rows.drop_duplicates(["engine", "kind", "dose"])
    for engine in distinct(first["engine"]):
        engine_rows = first[(first["engine"] == engine) & (first["kind"] == ALL)]
        engine_rows = engine_rows if len(engine_rows) else first[first["engine"] == engine]
        errors, timeouts = int(engine_rows["n_error"].max()), int(engine_rows["n_timeout"].max())
        if errors or timeouts:
            lines.append(
                f"{engine}: {errors} errors and {timeouts} timeouts; such a page has no words"
            )
    return lines


def _dose(row: Row) -> str:
    if row["kind"] != ALL:
        return f"all, {row['kind']}"
    return "all" if pd.isna(row["dose"]) else percent(row["dose"])


def _hidden_lines(summary: pd.DataFrame) -> list[str]:
    rows = summary[summary["part"] == "hidden"]
    if rows.empty:
        return []
    print("Covered words")
    heads = (
        text_column("engine"),
        Column("dose", lambda row: _dose(row), is_text=True),
        Column("words", lambda row: f"{row['n excess']:,}"),
    )
    measures = {
        "excess": "excess",
        "written": "come out",
        "chance": "by chance",
        "new": "other new words",
    }
    _print_table(rows, heads, measures)
    lines = [
        f"{rows['pages'].max()} pages of {rows['documents'].max()} documents. words: covered words "
        "that nothing visible supports, each once a page and dose; come out: their share that is "
        "written all the same; by chance: that of like words of other pages; excess: the "
        "difference; other new words: per covered word",
        *_interval_line(rows),
    ]
    return [*lines, *_failures(rows)]


def _textless_lines(summary: pd.DataFrame) -> list[str]:
    rows = summary[summary["part"] == "textless"]
    if rows.empty:
        return []
    print("\nPages without text")
    heads = (
        text_column("engine"),
        Column("page", lambda row: KIND_NAMES.get(row["kind"], "all"), is_text=True),
        Column("pages", lambda row: f"{row['pages']:,}"),
    )
    measures = {
        "any": "pages with words",
        "words": "words per page",
        "longest": "most words",
    }
    _print_table(rows, heads, measures)
    return [
        "every word is invented; of bleed-through too: its letters are mirrored, and of another "
        "page",
        *_interval_line(rows[rows["measure"] == "any"]),
        *_failures(rows),
    ]


def _repeat_lines(summary: pd.DataFrame) -> list[str]:
    rows = summary[summary["part"] == "repeat"]
    if rows.empty:
        return []
    print("\nThe same page again")
    heads = (
        text_column("engine"),
        Column("change", lambda row: KIND_NAMES[str(row["kind"])], is_text=True),
        Column("words", lambda row: f"{row['n gone']:,}"),
    )
    measures = {
        "gone": "words gone",
        "come": "words come",
        "numbers_gone": "numbers gone",
        "numbers_changed": "numbers changed",
    }
    _print_table(rows, heads, measures)
    return [
        "shares of the words, and of the numbers; changed: another number is in its place",
        *_interval_line(rows),
        *_failures(rows),
    ]


def _interval_line(rows: pd.DataFrame) -> list[str]:
    units = interval_units(rows["ci_unit"].fillna(""))
    return [f"in brackets: 95 % intervals for further {units}"] if units else []
