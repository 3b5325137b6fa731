"""What shows that the files of a finished run are no longer what its study wrote.

These checks are quick: they read the rows and cells once, and compute no interval.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ohr.store.identity import file_digest
from ohr.study.conditions import CONDITION_COLUMNS
from ohr.study.metrics import metric_info, read_metric_infos
from ohr.study.output.cells import KEY_COLUMNS
from ohr.study.output.rows import FILE as ROWS
from ohr.study.output.rows import UNIT_COLUMNS, read_rows
from ohr.study.results import StudyRun

if TYPE_CHECKING:
    import pandas as pd


RECEIPT = ".receipt.json"
"""The digests of a run's files, which a command writes at its end."""
CELLS, MANIFEST, CASES = "cells.csv", "manifest.json", "cases.zip"
RESULTS = (ROWS, CELLS, CASES, MANIFEST)
"""The files that results are read from."""
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
        *_lost_units(run, rows),
        *_other_cells(run, rows),
        *_other_means(run),
        *edited_files(run.path, RESULTS),
    ]


def _doubles(rows: pd.DataFrame) -> Iterator[str]:
    score = [name for name in (*_SCORE, "draw") if name in rows]
    is_page = rows["qid"] == ""
    twice = int(rows[is_page].duplicated([*score, *UNIT_COLUMNS]).sum())
    # A question has one row, whatever document and page that names.
    if twice := twice + int(rows[~is_page].duplicated([*score, "qid"]).sum()):
        yield f"{ROWS} has {twice:,} rows twice"


def _impossible_values(run: StudyRun, rows: pd.DataFrame) -> Iterator[str]:
    """Values that a metric cannot have."""
    declared = {(info.stage, info.metric): info for info in run.metric_infos}
    for key, values in rows.groupby(["stage", "metric"], sort=False)["value"]:
        stage, metric = map(str, key)
        info = declared.get((stage, metric)) or metric_info(stage, metric)  # type: ignore[arg-type]
        # No metric leaves 0 to 1, whatever a manifest says.
        low, high = np.clip(sorted((info.worst, info.best)), 0, 1)
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
        if isinstance(by_status, dict)
        for status, count in by_status.items()
    }
    for stage, status in dict.fromkeys([*counted, *present]):
        n_rows, count = present[stage, status], counted.get((stage, status), 0)
        if n_rows != count:
            yield (
                f"{ROWS} has {n_rows:,} rows of the stage {stage} with the status {status}, "
                f"the study wrote {_number(count)}"
            )


def _number(count: object) -> str:
    return f"{count:,}" if isinstance(count, int | float) else repr(count)


def _lost_units(run: StudyRun, rows: pd.DataFrame) -> Iterator[str]:
    """Scores of fewer or more questions or pages than the study had, and metrics without rows."""
    facts = run.manifest.get("dataset", {})
    questions, reread = facts.get("asked"), facts.get("reread_pages")
    if not (isinstance(questions, int) and isinstance(reread, int)) or "imported" in run.manifest:
        return
    is_page = (rows["qid"] == "").rename("is_page")
    keys = [rows[name] for name in (*_SCORE, "draw") if name in rows]
    sizes = rows.groupby([*keys, is_page], sort=False, dropna=False, observed=True).size()
    for part in sizes.reset_index(name="size").itertuples(index=False):
        planned = reread if part.is_page else questions
        if part.size != planned:
            unit = "pages" if part.is_page else "questions"
            yield f"{ROWS} has {part.size:,} of {planned:,} {unit} for {part.stage}:{part.metric}"
    present = set(zip(rows["stage"], rows["metric"], strict=True))
    for info in read_metric_infos(run.manifest) or []:
        if (info.stage, info.metric) not in present:
            yield f"{ROWS} has no row of {info.stage}:{info.metric}, which the study measured"


def _other_cells(run: StudyRun, rows: pd.DataFrame) -> Iterator[str]:
    """Cells that are there twice, or of which the study planned more."""
    keys = [name for name in KEY_COLUMNS if name in run.cells]
    if twice := int(run.cells.duplicated(keys).sum()):
        yield f"{CELLS} has {twice:,} cells twice"
    counts = run.manifest.get("cells", {})
    planned, missing = counts.get("planned"), counts.get("missing", 0)
    if isinstance(planned, int) and isinstance(missing, int):
        n_cells = len(run.cells) - int(run.cells.duplicated(keys).sum())
        if n_cells < planned - missing:
            yield f"{CELLS} has {n_cells:,} cells, the study wrote {planned - missing:,}"


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
    return {ROWS, CELLS, MANIFEST} <= set(_digests(path))


def noted_files(path: Path) -> list[str]:
    """The files whose digests a command noted at its end."""
    return list(_digests(path))


def edited_files(path: Path, names: Iterable[str]) -> Iterator[str]:
    """Which of some files have another digest than the one that the command noted at its end."""
    digests = _digests(path)
    for name in names:
        file = path / name
        if name in digests and file.exists() and file_digest(file) != digests[name]:
            yield f"{name} was changed after the command had ended"


def lost_files(path: Path) -> Iterator[str]:
    """Files that the command noted at its end and that are gone."""
    for name in _digests(path):
        if not (path / name).exists():
            yield f"{name} is missing"


def _digests(path: Path) -> dict[str, str]:
    """The noted digests by file; empty without any.

    A study takes an earlier note away before it writes, so the note is always of this run.
    """
    try:
        files = json.loads((path / RECEIPT).read_text("utf-8"))["files"]
        return {
            str(name): str(value)
            for name, value in files.items()
            if not Path(name).is_absolute() and ".." not in Path(name).parts
        }
    except (OSError, ValueError, LookupError, TypeError, AttributeError, RecursionError):
        return {}
