"""Prints and writes the table of a suite."""

from __future__ import annotations

import html
import math
from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from ohr.display.columns import Column, Row, make_table, text_column
from ohr.display.terminal import say_files, show, terminal_table
from ohr.display.text_tables import TextTable
from ohr.errors import OhrError
from ohr.files.safe_text import plain
from ohr.statistics.numbers import interval, number, prose, prose_bound, whole
from ohr.store.atomic import write_text
from ohr.store.csv import write_csv
from ohr.suites.check import baseline, faults
from ohr.suites.submission import Submission, read_submission
from ohr.suites.suite import load_suite
from ohr.suites.table import suite_table

FILE, PAGE = "suite.csv", "index.html"


def read_submissions(paths: Sequence[Path]) -> list[Submission]:
    """The submissions in files and folders. Raises OhrError for a faulty one, or mixed suites."""
    files = [
        file
        for path in paths
        for file in (sorted(path.glob("*.json")) if path.is_dir() else [path])
    ]
    if not files:
        raise OhrError(f"{paths[0] if paths else 'no folder'} has no submission (*.json)")
    submissions = []
    for file in files:
        submission = read_submission(file)
        if wrong := faults(submission):
            raise OhrError(f"{file}: {wrong[0]}")
        submissions.append(submission)
    kinds = {(each.suite, each.track) for each in submissions}
    if len(kinds) > 1:
        named = ", ".join(" ".join(kind) for kind in sorted(kinds))
        raise OhrError(f"these are submissions of several suites or tracks ({named}): give one")
    names = [each.name for each in submissions]
    if twice := [name for name in names if names.count(name) > 1]:
        raise OhrError(f"two submissions have the name {twice[0]!r}")
    return submissions


def are_submissions(paths: Sequence[Path]) -> bool:
    """Whether paths name submissions, not finished runs: files, or folders without a manifest."""
    return all(
        path.suffix == ".json"
        if path.is_file()
        else path.is_dir() and not (path / "manifest.json").exists() and any(path.glob("*.json"))
        for path in paths
    )


def check_files(paths: Sequence[Path]) -> int:
    """Print for each submission whether it is whole; returns 1 if one is not, else 0.

    Raises OhrError for files that are no submissions.
    """
    code = 0
    for path in paths:
        submission = read_submission(path)
        wrong = faults(submission)
        code |= bool(wrong)
        state = f"{len(wrong)} faults" if wrong else "complete, and as it was written"
        print(plain(f"{path}: {submission.name}, {submission.suite} {submission.track}: {state}"))
        for fault in wrong:
            print(plain(f"  {fault}"))
        for note in _notes(submission):
            print(plain(f"  note: {note}"))
    return code


def _notes(submission: Submission) -> list[str]:
    """What a row leaves open, though nothing is wrong with it."""
    notes = []
    if submission.images == "not compared" and submission.track != "text":
        notes.append("the machine's distorted pages were not compared with the suite's")
    if submission.failed_pages:
        notes.append(f"{submission.failed_pages} pages failed, with the worst scores")
    return notes


def print_suite(
    submissions: Sequence[Submission], out: Path | None, files: Sequence[Path] = ()
) -> None:
    """Print the table of some submissions, with the frozen engine's, and write it to ``out``.

    ``files`` are those of the submissions, for the line of files.
    """
    shown = add_frozen(submissions)
    table = suite_table(shown)
    lines = headlines(table, shown[0])
    for line in lines:
        print(plain(line))
    print()
    show(terminal_table(_text_table(table, with_licence=False)))
    for line in [*caption(shown[0]), *(f"{each.name}: {note}" for each in shown
                                       for note in _notes(each))]:  # fmt: skip
        print(plain(line))
    if out is not None:
        write_csv(out / FILE, table)
        write_text(out / PAGE, _page(lines, _text_table(table), caption(shown[0])))
        say_files([out / PAGE, out / FILE, *files])


def add_frozen(submissions: Sequence[Submission]) -> list[Submission]:
    """The submissions, and the frozen engine's if it is not among them and reads images."""
    first = submissions[0]
    if first.track == "text":
        return list(submissions)
    frozen = baseline(first.suite, first.track)
    if frozen is None or any(each.identity == frozen.identity for each in submissions):
        return list(submissions)
    return [*submissions, frozen.model_copy(update={"name": f"{frozen.name} (frozen)"})]


def headlines(table: pd.DataFrame, submission: Submission) -> list[str]:
    """The first lines: what cannot be shown, and what the table is about."""
    documents, questions = int(table["n_documents"].max()), int(table["n"].max())
    smallest = table.attrs["resolution"]
    first = f"{questions} questions of {documents} documents"
    if math.isnan(smallest):
        lines = [f"{first}; with one engine there is nothing to compare."]
    else:
        lines = [
            f"Differences below {prose_bound(smallest)} of retrieval LCS cannot be shown on these "
            f"{documents} documents ({questions} questions)."
        ]
    best = table.iloc[0]
    tied = table[table["letters"].map(lambda text: bool(set(text) & set(best["letters"])))]
    if len(table) > 1:
        lines.append(
            f"Best under noise: {best['name']} (retrieval LCS {prose(best['noisy'])})"
            + (
                f", not shown to differ from {', '.join(tied['name'][1:])}."
                if len(tied) > 1
                else "."
            )
        )
    if submission.track == "quick":
        lines.append("Quick track: a part of the pages; its figures are not those of the suite.")
    return lines


def caption(submission: Submission) -> list[str]:
    """What the columns mean."""
    suite = load_suite(submission.suite)
    noisy = len(suite.conditions(submission.track))
    return [
        f"evidence found: retrieval LCS, on clean pages → mean of {noisy} noisy conditions, by "
        "which rows are ranked; rows that share a letter are not shown to differ",
        "answers: F1 of the whole system, in the same way; with the extractive reader it is low",
        "noise cost: the loss of retrieval LCS under noise, 100 for the frozen engine, with its "
        "95 % interval",
        "changed: of 1,000 numbers, those replaced by another in silence; invented: of 1,000 "
        "words, those that nothing on the page supports; both under noise",
    ]


def _text_table(table: pd.DataFrame, *, with_licence: bool = True) -> TextTable:
    columns = [
        Column("", lambda row: f"{row['place']} {row['letters']}".strip(), is_text=True),
        text_column("name", "engine"),
        Column("evidence found", lambda row: _both(row["clean"], row["noisy"])),
        Column("answers", lambda row: _both(row["answers_clean"], row["answers_noisy"])),
        Column("noise cost", lambda row: _cost(row, "retrieval")),
        Column("changed", lambda row: _rate(row["changed_numbers"])),
        Column("invented", lambda row: _rate(row["invented_words"])),
        Column("CPU s", lambda row: _number(row["cpu_seconds"], 2)),
    ]
    if with_licence:
        columns.append(Column("licence", lambda row: str(row["licence"]) or "-", is_text=True))
    return make_table(columns, table)


def _both(clean: float, noisy: float) -> str:
    return f"{number(clean)} → {number(noisy)}"


def _cost(row: Row, prefix: str) -> str:
    cost, low, high = (row[f"{prefix}_cost{end}"] for end in ("", "_low", "_high"))
    if math.isnan(cost):
        return "-"
    if math.isnan(low) or low == high:
        return whole(cost)
    if math.isinf(low):
        return f"{whole(cost)} [unbounded]"
    return f"{whole(cost)} {interval(low, high, whole)}"


def _rate(value: float) -> str:
    return _number(value, 1)


def _number(value: float, digits: int) -> str:
    return "-" if math.isnan(value) else f"{value:.{digits}f}"


_STYLE = (
    "body{font:16px/1.5 system-ui,sans-serif;max-width:64rem;margin:2rem auto;padding:0 1rem}"
    "table{border-collapse:collapse;width:100%}th,td{padding:.35rem .6rem;text-align:right;"
    "border-bottom:1px solid #8884}th:nth-child(-n+2),td:nth-child(-n+2),th:last-child,"
    "td:last-child{text-align:left}div{overflow-x:auto}p:first-of-type{font-size:1.2rem}"
    ":root{color-scheme:light dark}"
)


def _page(lines: Sequence[str], table: TextTable, notes: Sequence[str]) -> str:
    """The board as one HTML page that loads nothing from elsewhere."""
    head = "".join(f"<th scope=col>{html.escape(name)}</th>" for name in table.header)
    body = "".join(
        "<tr>" + "".join(f"<td>{html.escape(cell)}</td>" for cell in row) + "</tr>"
        for row in table.rows
    )
    paragraphs = "".join(f"<p>{html.escape(line)}</p>" for line in lines)
    remarks = "".join(f"<li>{html.escape(note)}</li>" for note in notes)
    return (
        "<!doctype html><html lang=en><meta charset=utf-8>"
        "<meta name=viewport content='width=device-width'><title>Board</title>"
        f"<style>{_STYLE}</style><h1>Board</h1>{paragraphs}<div><table><thead><tr>{head}</tr>"
        f"</thead><tbody>{body}</tbody></table></div><ul>{remarks}</ul></html>\n"
    )
