"""What shows that the files of a finished run are no longer what its study wrote.

These checks are quick: they read the rows and cells once, and compute no interval.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ohr.store.identity import file_digest
from ohr.study.conditions import CONDITION_COLUMNS
from ohr.study.metrics import metric_info
from ohr.study.output.rows import FILE as ROWS
from ohr.study.output.rows import UNIT_COLUMNS, read_rows
from ohr.study.results import StudyRun

if TYPE_CHECKING:
    import pandas as pd


RECEIPT = ".receipt.json"
"""The digests of a run's files, which a command writes at its end."""
CELLS, MANIFEST = "cells.csv", "manifest.json"
_ROUNDING = 1e-9
_DECIMALS = 1.01e-6
"""Largest difference of a mean and its six decimals in the cells."""
_SCORE = [*CONDITION_COLUMNS, "stage", "metric"]


def faults_of(run: StudyRun) -> list[str]:
    """A line for each fault of a run's files; empty if there is none. Raises OhrError."""
    rows = read_rows(run.path)
    for column in rows.columns[rows.dtypes == "category"]:
        rows[column] = rows[column].astype(str)
    return [
        *_doubles(rows),
        *_impossible_values(run, rows),
        *_lost(run, rows),
        *_other_means(run),
        *_edited(run.path),
    ]


def _doubles(rows: pd.DataFrame) -> Iterator[str]:
    keys = [name for name in (*_SCORE, "draw", *UNIT_COLUMNS) if name in rows]
    if twice := int(rows.duplicated(keys).sum()):
        yield f"{ROWS} has {twice:,} rows twice"


def _impossible_values(run: StudyRun, rows: pd.DataFrame) -> Iterator[str]:
    """Values that a metric cannot have."""
    declared = {(info.stage, info.metric): info for info in run.metric_infos}
    for key, values in rows.groupby(["stage", "metric"], sort=False)["value"]:
        stage, metric = map(str, key)
        info = declared.get((stage, metric)) or metric_info(stage, metric)  # type: ignore[arg-type]
        low, high = sorted((info.worst, info.best))
        outside = values[(values < low - _ROUNDING) | (values > high + _ROUNDING)]
        if len(outside):
            yield (
                f"{len(outside):,} values of {stage}:{metric} are not between {low:g} and "
                f"{high:g}, such as {outside.iloc[0]:g}"
            )


def _lost(run: StudyRun, rows: pd.DataFrame) -> Iterator[str]:
    """Stages and statuses of which there are more or fewer rows than the study counted."""
    stated = run.manifest.get("counts")
    if not isinstance(stated, dict):
        return
    present = Counter(zip(rows["stage"], rows["status"], strict=True))
    counted = {
        (stage, status): count
        for stage, by_status in stated.items()
        for status, count in by_status.items()
    }
    for stage, status in dict.fromkeys([*counted, *present]):
        n_rows, count = present[stage, status], counted.get((stage, status), 0)
        if n_rows != count:
            yield (
                f"{ROWS} has {n_rows:,} rows of the stage {stage} with the status {status}, "
                f"the study wrote {count:,}"
            )


def _other_means(run: StudyRun) -> Iterator[str]:
    """Cells over all units that are not the mean of their rows."""
    cells = run.cells[run.cells["group"] == "all"]
    means = run.rows.groupby(_SCORE, dropna=False, sort=False)["value"].agg(
        mean_of_rows="mean", n_of_rows="size"
    )
    joined = cells.set_index(_SCORE)[["mean", "n"]].join(means, how="left")
    joined["n_of_rows"] = joined["n_of_rows"].fillna(0)
    close = np.isclose(
        joined["mean"].astype(float), joined["mean_of_rows"], rtol=0, atol=_DECIMALS, equal_nan=True
    )
    for key, row in joined[~close | (joined["n"] != joined["n_of_rows"])].iterrows():
        stage, metric = key[-2:]  # type: ignore[index]
        yield (
            f"{CELLS} has a mean of {row['mean']:g} over {row['n']:g} for {stage}:{metric}, the "
            f"rows have {row['mean_of_rows']:g} over {row['n_of_rows']:g}"
        )


def has_receipt(path: Path) -> bool:
    """Whether a command noted the digests of the files of this run."""
    return bool(_digests(path))


def _edited(path: Path) -> Iterator[str]:
    """Files whose digest is not the one that the command noted at its end."""
    from ohr.study.output.cases import FILE as CASES

    digests = _digests(path)
    for name in (ROWS, CELLS, CASES):
        if name in digests and (path / name).exists() and file_digest(path / name) != digests[name]:
            yield f"{name} was changed after the command had ended"


def _digests(path: Path) -> dict[str, str]:
    """The noted digests by file; empty without any, or if they are of another run in the folder."""
    try:
        files = json.loads((path / RECEIPT).read_text("utf-8"))["files"]
        noted = {str(name): str(value) for name, value in files.items()}
        return noted if noted[MANIFEST] == file_digest(path / MANIFEST) else {}
    except (OSError, ValueError, LookupError, TypeError, AttributeError):
        return {}
