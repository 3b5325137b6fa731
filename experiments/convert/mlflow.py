"""Logs runs to MLflow: settings and means of each condition."""

from __future__ import annotations

import json
import os
import re
import time
from collections.abc import Iterator, Mapping, Sequence
from importlib import import_module
from typing import Any

from ohr.errors import MissingDependencyError, OhrError
from ohr.study.conditions import CONDITION_COLUMNS
from ohr.study.config import BUILT_IN
from ohr.study.results import StudyRun, knowledge_base_name

INSTALL = "pip install 'ohr[mlflow]'"
WHOLE = " (a database takes all of MLflow: pip install mlflow)"
"""The fix for databases: ``mlflow-skinny``, from the extra, has only servers and folders."""
STATISTICS = {"mean": "", "ci_low": ".ci_low", "ci_high": ".ci_high"}
"""Columns of the cells that become metrics, and the suffixes of their names."""
_ESCAPED = re.compile(r"[^\w./ -]")
_LONGEST_PARAM = 500
_MOST_AT_ONCE = 1000


def log_runs(runs: Sequence[StudyRun], experiment: str, tracking_uri: str) -> int:
    """Log runs to an experiment, which is created if missing. Raises OhrError."""
    mlflow = _mlflow()
    os.environ.setdefault(
        "MLFLOW_SUPPRESS_PRINTING_URL_TO_STDOUT", "true"
    )  # it prints two lines per condition
    try:
        client = mlflow.MlflowClient(tracking_uri=tracking_uri or None)
        existing = client.get_experiment_by_name(experiment)
        experiment_id = existing.experiment_id if existing else client.create_experiment(experiment)
        for run in runs:
            count = log_run(mlflow, client, experiment_id, run)
            print(f"{run.name}: logged with {count} conditions")
    except mlflow.exceptions.MlflowException as error:
        raise OhrError(f"MLflow: {error}{WHOLE * ('unsupported URI' in str(error))}") from error
    return 0


def _mlflow() -> Any:
    try:
        return import_module("mlflow")
    except ImportError as error:
        raise MissingDependencyError(f"MLflow is not installed: {INSTALL}") from error


def log_run(mlflow: Any, client: Any, experiment_id: str, run: StudyRun) -> int:
    """Log a run and its conditions to an experiment; returns the number of conditions."""

    def log(
        name: str, tags: dict[str, str], settings: dict[str, str], metrics: dict[str, float]
    ) -> str:
        mlflow_run = client.create_run(experiment_id, run_name=name[:250], tags=tags)
        now = int(time.time() * 1000)
        client.log_batch(
            mlflow_run.info.run_id,
            params=[mlflow.entities.Param(*setting) for setting in settings.items()],
        )
        values = [mlflow.entities.Metric(*metric, now, 0) for metric in metrics.items()]
        for start in range(0, len(values), _MOST_AT_ONCE):
            client.log_batch(mlflow_run.info.run_id, metrics=values[start : start + _MOST_AT_ONCE])
        return str(mlflow_run.info.run_id)

    dataset = run.manifest.get("dataset", {})
    config = dict(_flat(run.manifest.get("config", {})))
    run_id = log(run.name, {"ohr.dataset": str(dataset.get("digest", ""))}, config, {})
    listed = list(conditions(run))
    for name, settings, metrics in listed:
        client.set_terminated(log(name, {"mlflow.parentRunId": run_id}, settings, metrics))
    for file in ("manifest.json", "cells.csv"):
        client.log_artifact(run_id, str(run.path / file))
    client.set_terminated(run_id)  # until then it shows as running
    return len(listed)


def conditions(run: StudyRun) -> Iterator[tuple[str, dict[str, str], dict[str, float]]]:
    """Name, settings and metrics of each condition, without missing values."""
    columns = [name for name in CONDITION_COLUMNS if name in run.cells]
    for key, cells in run.cells.groupby(columns, sort=False, dropna=False):
        settings = {name: str(value) for name, value in zip(columns, key, strict=True)}
        whole = "" if settings["system"] == BUILT_IN else settings["system"]
        parts = [knowledge_base_name(cells.iloc[0]), whole]
        parts += [settings[name] for name in ("chunker", "retriever", "reader")]
        metrics = {
            _name(f"{stage}/{metric}/{group}{suffix}"): float(value)
            for column, suffix in STATISTICS.items()
            for stage, metric, group, value in zip(
                cells["stage"], cells["metric"], cells["group"], cells[column], strict=True
            )
            if value == value  # NaN if no question counts
        }
        yield ", ".join(part for part in parts if part), settings, metrics


def _name(name: str) -> str:
    """A name that MLflow accepts: ``hit@2`` becomes ``hit_at_2``.

    ``domain:law`` becomes ``domain_law``; other characters become their code, so that different
    names stay different: ``R&D`` becomes ``R_U0026_D``.
    """
    kind, colon, rest = name.replace("@", "_at_").partition(":")
    return _ESCAPED.sub(_numbered, kind) + "_" * len(colon) + _ESCAPED.sub(_numbered, rest)


def _numbered(character: re.Match[str]) -> str:
    return f"_U{ord(character[0]):04X}_"


def _flat(settings: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, str]]:
    """Settings with dotted names, such as ``dataset.kind``; lists as JSON, long values cut."""
    for name, value in settings.items():
        if isinstance(value, Mapping) and value:
            yield from _flat(value, f"{prefix}{name}.")
            continue
        text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        yield (
            _name(prefix + name),
            text if len(text) <= _LONGEST_PARAM else text[: _LONGEST_PARAM - 1] + "…",
        )
