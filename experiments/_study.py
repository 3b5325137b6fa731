"""Runs a study and reports it, or prints again what the same command printed before."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from experiments._receipt import Printed, Receipts
from ohr.display.made_up import MEANING, made_up_table
from ohr.display.origins import origin_lines
from ohr.display.terminal import (
    reader_lines,
    report_failures,
    report_line,
    say,
    show,
    terminal_table,
)
from ohr.files.safe_text import plain
from ohr.ocr.costs import cost_lines
from ohr.ocr.progress import Progress
from ohr.study.config import StudyConfig
from ohr.study.loading import check_names
from ohr.study.notices.truth import same_lines
from ohr.study.results import StudyRun
from ohr.study.run import run_study
from ohr.study.scoring.repeats import spread_lines

_UNCHANGED = (
    "{}: this study is finished, and its data, plug-ins, code and files are unchanged; the "
    "results above are from the earlier run"
)


def run_and_report(
    config: StudyConfig,
    folder: Path,
    report: Callable[[StudyRun], None],
    printed_by: tuple[str, dict[str, Any]],
    with_html: bool,
    next_steps: Sequence[str],
) -> int:
    """Run the study into a folder and print it; returns the exit code.

    ``printed_by``: the module of ``report`` and its options, which decide what is printed.
    ``with_html``: also write the interactive report. ``next_steps`` are printed last.
    """
    receipts = Receipts(config, folder, *printed_by)
    if (printed := receipts.printed()) is not None:
        printed.print()
        print(_UNCHANGED.format(folder), file=sys.stderr)
        return 0
    progress = Progress()
    check_names(config)  # a wrong name is an error alone
    progress.write("planning: reading the dataset")
    run = run_study(config, folder, progress=progress)
    with receipts.captured_text() as text:
        code = _report(run, report, next_steps)
        _write_report(run, with_html)
    if code == 0:
        printed = Printed(progress.notes, text.getvalue(), run.failures)
        receipts.write(printed, run.manifest)
    return code


def _report(result: StudyRun, report: Callable[[StudyRun], None], next_steps: Sequence[str]) -> int:
    report(result)
    _show_made_up(result)
    for line in same_lines(result.cells):
        say(line)
    bases = result.manifest.get("knowledge_bases", {})
    costs = {label: base.get("taken", {}) for label, base in bases.items()}
    for line in (
        *cost_lines(costs),
        *reader_lines(result.readers),
        *origin_lines(result.manifest),
        *map(plain, spread_lines(result.manifest.get("repeats", []))),
        f"results: {result.path}",
        *next_steps,
    ):
        print(line)
    code = report_failures(result.failures, result.failed)
    if result.missing:
        print(f"error: planned cells are missing: {', '.join(result.missing)}", file=sys.stderr)
        return 1
    return code


def _show_made_up(result: StudyRun) -> None:
    table = made_up_table(result.cells)
    if table is not None:
        print()
        show(terminal_table(table, title=table.caption, caption="\n".join(MEANING)))


def _write_report(run: StudyRun, is_wanted: bool) -> None:
    """Write the run's report, or print the command for it."""
    folder = run.path / "report"
    if not is_wanted:
        print(report_line(folder, run.path))
        return
    from ohr.report.build import build_report
    from ohr.report.options import ReportOptions

    for line in build_report([run], folder, ReportOptions()).lines(folder):
        print(line)
