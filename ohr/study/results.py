"""Finished runs, read back from their folders."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa

from ohr.dataset import GROUND_TRUTH
from ohr.errors import OhrError
from ohr.statistics import Clusters
from ohr.study.cells import CELL_COLUMNS, NOISE_COLUMNS, left_out
from ohr.study.conditions import CONDITION_COLUMNS
from ohr.study.csv import from_csv
from ohr.study.noise import noise_name
from ohr.study.truth import declare
from ohr.types import Status

UNIT_COLUMNS = ("qid", "doc_id", "page_no")
"""What identifies a question, or (with an empty ``qid``) a page."""
KNOWLEDGE_BASE = ("noise", "perturbation", "level", "intensity", "engine")
_SEVERITY = {str(status): status.severity for status in Status}


@dataclass(frozen=True)
class Run:
    """A finished run.

    ``drawn`` are its rows, only those that count in the means, text columns as strings; ``rows``
    are their means over the draws of the noise.
    """

    path: Path
    manifest: dict[str, Any]
    drawn: pd.DataFrame
    cells: pd.DataFrame

    @cached_property
    def rows(self) -> pd.DataFrame:
        """A row for each unit, condition, stage and metric."""
        return mean_over_draws(self.drawn)

    @property
    def name(self) -> str:
        """The folder's name."""
        return self.path.name or str(self.path.resolve().name)

    @property
    def seed(self) -> int:
        """The study's seed."""
        return int(self.manifest.get("config", {}).get("seed", 0))

    @property
    def resamples(self) -> int:
        """Resamples of intervals that need them."""
        return int(self.manifest.get("config", {}).get("bootstrap", 1000))


def read_run(path: Path) -> Run:
    """Read a run's folder. Raises OhrError if it is not one, or not a finished one."""
    try:
        manifest = json.loads((path / "manifest.json").read_text("utf-8"))
        rows = read_rows(path)
        cells = from_csv(pd.read_csv(path / "cells.csv", keep_default_na=False, na_values={}))
        if "draws" not in cells:
            cells = cells.assign(draws=1, draw_sd="")
    except (OSError, ValueError) as error:
        raise OhrError(f"cannot read {path}: is it the folder of a finished run? ({error})") from (
            error
        )
    sections = ("config", "dataset", "engines", "versions", "imported")
    if not isinstance(manifest, dict) or not all(
        isinstance(manifest.get(name, {}), dict) for name in sections
    ):
        raise OhrError(f"{path / 'manifest.json'} is no manifest of a run: run it again")
    of_rows = {*CONDITION_COLUMNS, *UNIT_COLUMNS, "stage", "metric", "value", "status"}
    for file, table, needed in (
        ("rows.parquet", rows, of_rows),
        ("cells.csv", cells, CELL_COLUMNS),
    ):
        if missing := set(needed) - set(table.columns):
            raise OhrError(f"{path / file} has no column {min(missing)!r}: run it again")
    if "draw" not in rows:  # of a version that drew the noise once
        rows["draw"] = rows["seed"]
    for column in rows.columns[rows.dtypes == "category"]:
        rows[column] = rows[column].astype(str)
    try:
        for column in ("mean", "ci_low", "ci_high", "n", "draws", "draw_sd", *NOISE_COLUMNS):
            cells[column] = pd.to_numeric(cells[column])
    except ValueError as error:
        raise OhrError(f"{path / 'cells.csv'}: {column}: {error}: run it again") from error
    truth = manifest.get("dataset", {}).get("truth", GROUND_TRUTH)
    declare(cells, truth, manifest.get("same_as_truth", ()))
    return Run(path, manifest, counted(rows), cells)


def read_rows(path: Path) -> pd.DataFrame:
    """The rows of a run's folder, as they were written. Raises OhrError."""
    file = path / "rows.parquet"
    try:
        return pd.read_parquet(file, page_checksum_verification=True)
    except FileNotFoundError as error:
        raise OhrError(f"cannot read {file}: is {path} the folder of a finished run?") from error
    except (OSError, ValueError, LookupError, pa.ArrowException) as error:
        raise OhrError(f"{file} is damaged ({error}): delete it and run again") from error


def counted(rows: pd.DataFrame) -> pd.DataFrame:
    """Rows that enter the means: where the metric applies, and the protocol counts them."""
    kept = rows["value"].notna()
    keys = ["protocol", "stage", "metric"]
    for key, group in rows.groupby(keys, sort=False):
        protocol, stage, metric = map(str, key)
        excluded = [str(status) for status in left_out(protocol, stage, metric)]
        kept[group.index] &= ~group["status"].isin(excluded)
    return rows[kept].reset_index(drop=True)


def mean_over_draws(rows: pd.DataFrame) -> pd.DataFrame:
    """Each unit's mean over the draws of the noise, with the status of the worst of them."""
    if "draw" not in rows:
        return rows
    keys = [name for name in rows if name not in ("draw", "value", "status")]
    rows = rows.drop(columns="draw")
    if not rows.duplicated(keys).any():
        return rows
    by_unit = rows.assign(severity=rows["status"].map(_SEVERITY).astype(int)).groupby(
        keys, sort=False, observed=True, dropna=False
    )
    means = by_unit.agg(value=("value", "mean"), severity=("severity", "max")).reset_index()
    means["status"] = means.pop("severity").map({v: k for k, v in _SEVERITY.items()})
    return means


def uncounted(run: Run, metrics: Sequence[tuple[str, str]]) -> list[str]:
    """Conditions of some stages and metrics none of whose scores enters the mean, described."""
    cells = run.cells[(run.cells["group"] == "all") & (run.cells["n"].astype(float) == 0)]
    return [
        ", ".join(
            part for part in (knowledge_base_name(cell), cell["retriever"], cell["reader"]) if part
        )
        + f" ({stage} {metric})"
        for stage, metric in metrics
        for _, cell in cells[(cells["stage"] == stage) & (cells["metric"] == metric)].iterrows()
    ]


def measured(rows: pd.DataFrame, stage: str, metric: str) -> pd.DataFrame:
    """Rows of one stage and metric."""
    return rows[(rows["stage"] == stage) & (rows["metric"] == metric)]


def clusters_of(units: pd.DataFrame) -> Clusters:
    """The clusters of units with the columns ``doc_id`` and ``page_no``."""
    documents, names = pd.factorize(units["doc_id"])
    pages = units["page_no"].to_numpy() * len(names) + documents
    return Clusters.of(documents, pages)


def knowledge_base_name(condition: pd.Series) -> str:
    """``tesseract, semantic mild``; ``gt, clean``."""
    noise = noise_name(*(condition[name] for name in ("perturbation", "level", "intensity")))
    return f"{condition['engine']}, {noise}"
