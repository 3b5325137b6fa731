"""Prints whether runs are what their studies wrote."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ohr.analysis.verification.rescoring import Rescored, rescore
from ohr.analysis.verification.units import unit_faults
from ohr.errors import OhrError
from ohr.files.safe_text import plain
from ohr.store.csv import csv_text
from ohr.study.faults import (
    CASES,
    CELLS,
    RESULTS,
    edited_files,
    faults_of,
    has_receipt,
    lost_files,
    noted_files,
)
from ohr.study.results import StudyRun, check_distinct, open_run, recompute_cells

NOT_NOTED = "the digests of its files were not noted: they are not compared"
NO_CASES = f"no {CASES}: no value was scored again"
_IN_PART = (NOT_NOTED, NO_CASES)
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
        faults, checked = _verify(run)
        for fault in faults[:MOST_LINES]:
            print(plain(f"{path}: {fault}"))
        if len(faults) > MOST_LINES:
            print(plain(f"{path}: and {len(faults) - MOST_LINES:,} more"))
        for line in checked:
            print(plain(f"{path}: {line}"))
        whole = not any("not scored again: " in line or line in _IN_PART for line in checked)
        verdict = "verified" if whole else "no fault, but not all of it could be verified"
        print(plain(f"{path}: {'not what its study wrote' if faults else verdict}"))
        wrong |= bool(faults)
    return int(wrong)


def _verify(run: StudyRun) -> tuple[list[str], list[str]]:
    """The faults of a run, and what was compared and what was not."""
    path = run.path
    faults = faults_of(run) or _other_cells(run)
    further_files = [name for name in noted_files(path) if name not in RESULTS]
    faults += [*lost_files(path), *edited_files(path, further_files)]
    checked = [f"{len(run.cells):,} cells compared with their rows"]
    if (path / CASES).exists():
        try:
            faults += unit_faults(run)
            rescored = rescore(run)
        except OhrError as error:
            faults.append(str(error))
        else:
            faults += rescored.differing
            checked += _rescored_lines(rescored)
    else:
        checked.append(NO_CASES)
    if not has_receipt(path):
        checked.append(NOT_NOTED)
    return faults, checked


def _other_cells(run: StudyRun) -> list[str]:
    """A line if the cells, with their intervals and groups, are not those of the rows."""
    written = (run.path / CELLS).read_text("utf-8")
    if csv_text(recompute_cells(run.path)) == written:
        return []
    return [f"{CELLS} is not what its rows give: ohr analyse cells writes it anew"]


def _rescored_lines(rescored: Rescored) -> list[str]:
    """What was scored again, and what was not."""
    return [
        f"{rescored.equal + len(rescored.differing):,} values scored again from {CASES}",
        *(
            f"{count:,} values not scored again: {why}"
            for why, count in sorted(rescored.left_out.items())
        ),
    ]
