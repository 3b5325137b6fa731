"""Prints whether runs are what their studies wrote."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ohr.analysis.verification.rescoring import Rescored, rescore
from ohr.files.safe_text import plain
from ohr.store.csv import csv_text
from ohr.study.faults import CELLS, faults_of, has_receipt
from ohr.study.output.cases import FILE as CASES
from ohr.study.results import StudyRun, check_distinct, open_run, recompute_cells

MOST_LINES = 20
"""Most faults of a run that are printed."""


def verify_runs(paths: Sequence[Path]) -> int:
    """Print what is wrong with runs, and what was checked; returns 1 if anything is wrong.

    Raises OhrError for a folder that is no run's.
    """
    check_distinct(paths)
    wrong = False
    for path in paths:
        run = open_run(path)
        rescored = rescore(run) if (path / CASES).exists() else Rescored()
        faults = faults_of(run) or _other_cells(run)
        faults += rescored.differing
        for fault in faults[:MOST_LINES]:
            print(plain(f"{path}: {fault}"))
        if len(faults) > MOST_LINES:
            print(plain(f"{path}: and {len(faults) - MOST_LINES:,} more"))
        for line in _checked(run, rescored):
            print(plain(f"{path}: {line}"))
        print(plain(f"{path}: {'not what its study wrote' if faults else 'verified'}"))
        wrong |= bool(faults)
    return int(wrong)


def _other_cells(run: StudyRun) -> list[str]:
    """A line if the cells, with their intervals and groups, are not those of the rows."""
    written = (run.path / CELLS).read_text("utf-8")
    if csv_text(recompute_cells(run.path)) == written:
        return []
    return [f"{CELLS} is not what its rows give: ohr analyse cells writes it anew"]


def _checked(run: StudyRun, rescored: Rescored) -> list[str]:
    """What was compared, and what was not."""
    lines = [f"{len(run.cells):,} cells compared with their rows"]
    if (run.path / CASES).exists():
        lines.append(
            f"{rescored.equal + len(rescored.differing):,} values scored again from {CASES}"
        )
        lines += [
            f"{count:,} values not scored again: {why}"
            for why, count in sorted(rescored.left_out.items())
        ]
    else:
        lines.append(f"no {CASES}: no value was scored again")
    if not has_receipt(run.path):
        lines.append("the digests of its files were not noted: they are not compared")
    return lines
