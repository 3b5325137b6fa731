"""The tested changes of the runs of a report, as the commands print them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from ohr.analysis.comparison.differences import run_differences
from ohr.report.rows import MAIN, SETTING, Rows
from ohr.study.results import StudyRun, run_names

Place = tuple[int, int]
"""Numbers of condition and setting in the rows."""
Changes = Mapping[tuple[Place, str], Mapping[str, Any]]
"""A row of the differences of its run, by place and group of questions."""


def changes_of(runs: Sequence[StudyRun], rows: Rows) -> Changes:
    """The changes of the main metrics: each condition less its baseline, with its family's test."""
    conditions = {(each["run"], each["name"]): n for n, each in enumerate(rows.conditions)}
    settings = {
        tuple(each[name] for name in ("stage", *SETTING)): n for n, each in enumerate(rows.settings)
    }
    changes: dict[tuple[Place, str], Mapping[str, Any]] = {}
    for run, name in zip(runs, run_names(runs), strict=True):
        differences = run_differences(run, groups=True)
        for row in differences.to_dict("records"):
            if MAIN.get(row["stage"]) != row["metric"]:
                continue
            texts = ("" if pd.isna(row[part]) else str(row[part]) for part in SETTING)
            place = conditions[name, row["other"]], settings.get((row["stage"], *texts), -1)
            changes[place, str(row["group"])] = {str(key): value for key, value in row.items()}
    return changes
