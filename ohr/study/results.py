"""Finished runs: just made, or read from their folders."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from pydantic import ValidationError

from ohr.collection import GROUND_TRUTH, Dataset
from ohr.errors import ConfigError, DatasetError, OhrError
from ohr.ocr.noise import noise_name
from ohr.plugins.trust import named_by_run, trusting
from ohr.statistics import Clusters
from ohr.store.csv import unescape_table
from ohr.study.conditions import CONDITION_COLUMNS
from ohr.study.config import StudyConfig
from ohr.study.loading import check_names, read_dataset
from ohr.study.metrics import NOISE_COLUMNS, MetricInfo, metric_info, read_metric_infos
from ohr.study.notices.assessed import unassessed_stages
from ohr.study.notices.failures import empty_lines, failed_in_rows, failure_lines
from ohr.study.notices.left_out import left_out_lines, nothing_found
from ohr.study.notices.truth import declare, is_case_folded, metric_infos_of
from ohr.study.notices.ungraded import bound_lines
from ohr.study.output.cells import CELL_COLUMNS, LABEL_COLUMNS, aggregate
from ohr.study.output.rows import CONFIDENCE, FILE, UNIT_COLUMNS, add_system, read_rows
from ohr.study.plan import Plan, make_plan
from ohr.types import Status

if TYPE_CHECKING:
    import pandas as pd


KNOWLEDGE_BASE = ("noise", "perturbation", "level", "intensity", "engine")
_SEVERITY = {str(status): status.severity for status in Status}
_NUMBERS = ("top_k", "mean", "ci_low", "ci_high", "n", "draws", "draw_sd", *NOISE_COLUMNS)
"""Columns of the cells that are numbers, or empty."""


@dataclass(frozen=True, eq=False)
class StudyRun:
    """A finished run, either just made or read from its folder: both are the same."""

    path: Path
    """Its folder."""
    manifest: dict[str, Any]
    """The record of the run: configuration, data, versions, counts and costs."""
    cells: pd.DataFrame
    """One row per condition, stage, metric and group, with mean and interval."""
    missing: Sequence[str] = ()
    """Planned cells that are missing; empty if the study is complete."""
    trust_code: bool = False
    """Whether code that the run names is loaded, also if it is not installed."""

    def __repr__(self) -> str:
        engines = ", ".join(dict.fromkeys(self.cells["engine"]))
        return f"Run({str(self.path)!r}: {len(self.cells)} cells; {engines})"

    @cached_property
    def drawn(self) -> pd.DataFrame:
        """The rows that enter the means, one per draw of the noise; texts are strings."""
        return _drawn(self.path, self.metric_infos)

    @cached_property
    def rows(self) -> pd.DataFrame:
        """One row per unit, condition, stage and metric: the mean over the draws."""
        return mean_over_draws(self.drawn)

    @property
    def metric_infos(self) -> list[MetricInfo]:
        """The metrics, stage by stage: titles, directions, worst and best values."""
        return metric_infos_of(self.cells)

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
        """Number of resamples, for intervals that need them."""
        return int(self.manifest.get("config", {}).get("bootstrap", 1000))

    @property
    def config(self) -> StudyConfig:
        """The study's configuration. Raises ConfigError for a run of another version."""
        try:
            return StudyConfig.model_validate(self.manifest["config"])
        except (KeyError, ValidationError) as error:
            raise ConfigError(f"{self.path} was not made by a study of this version") from error

    @cached_property
    def dataset(self) -> Dataset:
        """Its data, read again for a run that was opened.

        Raises DatasetError if the data is missing or has changed, and UntrustedCodeError if code
        that only the run names would read it.
        """
        with self.loading():
            dataset = read_dataset(self.config)
        if dataset.digest() != self.manifest["dataset"]["digest"]:
            raise DatasetError(f"the data of {self.path} has changed since: run the study again")
        return dataset

    @cached_property
    def plan(self) -> Plan:
        """The plan, with the dataset; made again for a run that was opened.

        It makes every plug-in: to read results, take :attr:`dataset`. Raises the errors of
        :attr:`dataset`.
        """
        with self.loading():
            check_names(self.config)
            return make_plan(self.config, self.dataset)

    @contextmanager
    def loading(self) -> Iterator[None]:
        """Inside, plug-ins are those that the run names: code only as the run allows it."""
        with trusting(self.trust_code), named_by_run(self.path, self.manifest.get("sources")):
            yield

    @property
    def readers(self) -> dict[str, dict[str, Any]]:
        """Counts and costs of each reader and system, and of the judge."""
        readers: dict[str, dict[str, Any]] = self.manifest.get("readers", {})
        return readers | dict(self.manifest.get("systems", {}))

    @property
    def failures(self) -> list[str]:
        """A line for each knowledge base and reader with failures: how many, and why.

        There is also a line for each retriever that could not look at all pages of a knowledge
        base, and for answers that the judge did not grade, with the bounds of their mean.
        """
        bases: dict[str, dict[str, Any]] = self.manifest.get("knowledge_bases", {})
        bases = bases | {
            f"{name}, images for {retriever}": entry
            for name, base in bases.items()
            for retriever, entry in base.get("unseen_pages", {}).items()
        }
        protocol = self.manifest.get("config", {}).get("scoring", "default")
        lines = failure_lines(bases | self.readers, protocol) + left_out_lines(bases)
        return lines + bound_lines(self.manifest.get("ungraded", []))

    @cached_property
    def failed(self) -> list[str]:
        """A line for each condition whose pages or answers all failed in every draw, each reader
        or system that answered nothing, each retriever that found nothing because of what it left
        out, and each stage in which nothing could be assessed.
        """
        bases = self.manifest.get("knowledge_bases", {})
        stages = self.manifest.get("config", {}).get("stages", ())
        lines = [*empty_lines(self.readers), *nothing_found(bases)]
        lines += unassessed_stages(self.cells, stages)
        return [*failed_in_rows(read_rows(self.path)), *lines]

    def name_in_cases(
        self, engine: str, perturbation: str, level: str, intensity: float, draw: int
    ) -> str:
        """The name of a knowledge base in ``cases.zip``: ``tesseract, semantic mild, seed 1``."""
        several = len(self.manifest.get("draws", ())) > 1 and intensity > 0
        seed = f", seed {draw}" if several else ""
        return f"{engine}, {noise_name(perturbation, level, intensity)}{seed}"

    def cache_values(self, **values: Any) -> Self:
        """This run with values of cached properties."""
        run = replace(self)
        vars(run).update(values)
        return run


def open_run(path: Path | str, *, trust_code: bool = False) -> StudyRun:
    """Read a run's folder. Raises OhrError if it is not the folder of a finished run."""
    import pandas as pd

    path = Path(path)
    manifest = _manifest(path)
    try:
        # A label may consist of digits; it stays a text.
        labels = dict.fromkeys(LABEL_COLUMNS, str)
        table = pd.read_csv(path / "cells.csv", keep_default_na=False, na_values={}, dtype=labels)
        cells = unescape_table(table)
        if "draws" not in cells:
            cells = cells.assign(draws=1, draw_sd="")
        cells = add_system(cells)
    except (OSError, ValueError) as error:
        raise OhrError(f"cannot read {path}: is it the folder of a finished run? ({error})") from (
            error
        )
    if missing := set(CELL_COLUMNS) - set(cells.columns):
        raise OhrError(f"{path / 'cells.csv'} has no column {min(missing)!r}: run it again")
    metric_infos = read_metric_infos(manifest) or []
    drawn = _drawn(path, metric_infos)
    try:
        for column in _NUMBERS:
            numbers = pd.to_numeric(cells[column])
            cells[column] = numbers.astype("Int64") if column == "top_k" else numbers
    except (ValueError, TypeError) as error:
        raise OhrError(f"{path / 'cells.csv'}: {column}: {error}: run it again") from error
    truth = manifest.get("dataset", {}).get("truth", GROUND_TRUTH)
    floor = manifest.get("dataset", {}).get("truth_r_noise", {})
    same = manifest.get("same_as_truth", ())
    declare(cells, truth, same, metric_infos, floor, case_folded=is_case_folded(manifest))
    n_missing = manifest.get("cells", {}).get("missing", 0)
    missing_cells = [f"{n_missing} planned cells"] if n_missing else []
    run = StudyRun(path, manifest, cells, missing_cells, trust_code)
    return run.cache_values(drawn=drawn)


def check_distinct(paths: Iterable[Path]) -> None:
    """Raise OhrError if two paths are the same folder, however they are written."""
    written: dict[Path, Path] = {}
    for path in paths:
        folder = path.resolve()
        if folder in written:
            also = "" if path == written[folder] else f" and {path}"
            raise OhrError(f"the same run was given twice: {written[folder]}{also}")
        written[folder] = path


def recompute_cells(path: Path) -> pd.DataFrame:
    """Recompute ``cells.csv`` of a run's folder from its rows and manifest. Raises OhrError."""
    manifest = _manifest(path)
    groups = manifest.get("groups")
    return aggregate(
        path / FILE, read_metric_infos(manifest), groups if isinstance(groups, list) else None
    )


def _manifest(path: Path) -> dict[str, Any]:
    """A run's manifest. Raises OhrError if there is none."""
    try:
        manifest = json.loads((path / "manifest.json").read_text("utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise OhrError(f"cannot read {path}: is it the folder of a finished run? ({error})") from (
            error
        )
    sections = (
        *("config", "dataset", "engines", "versions", "imported", "readers", "systems"),
        *("counts", "cells", "metrics", "knowledge_bases"),
    )
    if not isinstance(manifest, dict) or not all(
        isinstance(manifest.get(name, {}), dict) for name in sections
    ):
        raise OhrError(f"{path / 'manifest.json'} is not the manifest of a run: run it again")
    return manifest


def _drawn(path: Path, metric_infos: Iterable[MetricInfo]) -> pd.DataFrame:
    rows = read_rows(path)
    of_rows = {*CONDITION_COLUMNS, *UNIT_COLUMNS, "stage", "metric", "value", "status"}
    if missing := of_rows - set(rows.columns):
        raise OhrError(f"{path / 'rows.parquet'} has no column {min(missing)!r}: run it again")
    if "draw" not in rows:  # of a version that drew the noise once
        rows["draw"] = rows["seed"]
    for column in rows.columns[rows.dtypes == "category"]:
        rows[column] = rows[column].astype(str)
    _check_types(path / FILE, rows)
    return counted_rows(rows, metric_infos)


def _check_types(file: Path, rows: pd.DataFrame) -> None:
    """Raise OhrError for rows that no study wrote: text for numbers, nothing or another word for a
    name."""
    from pandas.api.types import is_numeric_dtype

    for column in ("value", "page_no", "draw", "seed", "intensity"):
        if column in rows and not is_numeric_dtype(rows[column]):
            raise OhrError(f"{file}: {column} is not a number everywhere: run it again")
    for column in ("qid", "doc_id", "page_no", "stage", "metric", "status"):
        if rows[column].isna().any():
            raise OhrError(f"{file}: {column} is not stated everywhere: run it again")
    if unknown := sorted(set(rows["status"]) - set(_SEVERITY)):
        raise OhrError(f"{file}: the status {unknown[0]!r} is none of a study: run it again")


def counted_rows(rows: pd.DataFrame, metric_infos: Iterable[MetricInfo] = ()) -> pd.DataFrame:
    """The rows that enter the means: the metric applies to them, and the protocol counts them.

    ``metric_infos`` describe the run's metrics; those of built-in metrics are known.
    """
    declared = {(info.stage, info.metric): info for info in metric_infos}
    keep = rows["value"].notna()
    keys = ["protocol", "stage", "metric"]
    for key, group in rows.groupby(keys, sort=False, observed=True):
        protocol, stage, metric = map(str, key)
        info = declared.get((stage, metric)) or metric_info(stage, metric)  # type: ignore[arg-type]
        excluded = [str(status) for status in info.left_out(protocol)]
        keep[group.index] &= ~group["status"].isin(excluded)
    return rows[keep].reset_index(drop=True)


def mean_over_draws(rows: pd.DataFrame) -> pd.DataFrame:
    """Each unit's mean over the draws of the noise, with the worst status of its draws."""
    if "draw" not in rows:
        return rows
    keys = [name for name in rows if name not in ("draw", "value", "status", CONFIDENCE)]
    rows = rows.drop(columns="draw")
    if not rows.duplicated(keys).any():
        return rows
    by_unit = rows.assign(severity=rows["status"].map(_SEVERITY).astype(int)).groupby(
        keys, sort=False, observed=True, dropna=False
    )
    columns = {"value": ("value", "mean"), "severity": ("severity", "max")}
    if CONFIDENCE in rows:
        columns[CONFIDENCE] = (CONFIDENCE, "mean")
    means = by_unit.agg(**columns).reset_index()
    means["status"] = means.pop("severity").map({v: k for k, v in _SEVERITY.items()})
    return means


def uncounted_conditions(run: StudyRun, metrics: Sequence[tuple[str, str]]) -> list[str]:
    """A description of each condition, of some stages and metrics, without a score in its mean."""
    cells = run.cells[(run.cells["group"] == "all") & (run.cells["n"].astype(float) == 0)]
    return [
        ", ".join(
            part for part in (knowledge_base_name(cell), cell["retriever"], cell["reader"]) if part
        )
        + f" ({stage} {metric})"
        for stage, metric in metrics
        for _, cell in cells[(cells["stage"] == stage) & (cells["metric"] == metric)].iterrows()
    ]


def rows_of(rows: pd.DataFrame, stage: str, metric: str) -> pd.DataFrame:
    """Rows of one stage and metric."""
    return rows[(rows["stage"] == stage) & (rows["metric"] == metric)]


def clusters_of(units: pd.DataFrame) -> Clusters:
    """The clusters of units with the columns ``doc_id`` and ``page_no``."""
    import pandas as pd

    documents, names = pd.factorize(units["doc_id"])
    pages = units["page_no"].to_numpy() * len(names) + documents
    return Clusters.from_labels(documents, pages)


def knowledge_base_name(condition: pd.Series) -> str:
    """``tesseract, semantic mild``; ``gt, clean``."""
    noise = noise_name(*(condition[name] for name in ("perturbation", "level", "intensity")))
    return f"{condition['engine']}, {noise}"


def run_names(runs: Sequence[StudyRun]) -> list[str]:
    """Folder names, or whole paths if two folders have the same name."""
    names = [run.name for run in runs]
    return names if len(set(names)) == len(names) else [str(run.path) for run in runs]
