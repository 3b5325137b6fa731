"""Opens finished runs whose results are to be compared."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from ohr.errors import OhrError
from ohr.study.faults import faults_of, has_receipt
from ohr.study.results import StudyRun, check_distinct, open_run


def open_runs(paths: Sequence[Path]) -> list[StudyRun]:
    """Read the folders of several runs.

    Raises OhrError, also if a run was given twice, or is no longer what its study wrote.
    """
    check_distinct(paths)
    runs = [open_run(path) for path in paths]
    for run in runs:
        if line := fault_line(run):
            raise OhrError(line)
    return runs


def unverified_lines(runs: Iterable[StudyRun]) -> list[str]:
    """A line for each run of which no command noted what it wrote."""
    return [
        f"{run.path} is not verified: the digests of its files were not noted; ohr verify "
        f"{run.path} scores its cases again"
        for run in runs
        if not has_receipt(run.path)
    ]


def fault_line(run: StudyRun) -> str:
    """A sentence with the first fault of a run's files; empty without one."""
    faults = faults_of(run)
    if not faults:
        return ""
    more = f", and {len(faults) - 1} more" if len(faults) > 1 else ""
    return (
        f"{run.path} is not what its study wrote: {faults[0]}{more}; ohr verify {run.path} says all"
    )
