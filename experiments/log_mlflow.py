"""Logs finished runs to MLflow, to be compared there.

``python -m experiments.log_mlflow RUN [RUN ...] --experiment ohr`` makes of each run an MLflow
run with its configuration and files, and below it one run a condition (engine, noise, retriever,
reader …) with the means of ``cells.csv`` as metrics, such as ``retrieval/lcs/all``.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any

import typer

from experiments.conditions import CONDITION_COLUMNS
from experiments.failing import with_errors
from experiments.runs import Run, read_run
from ohr.errors import MissingDependencyError, OhrError

INSTALL = "pip install 'ohr[mlflow]'"
STATISTICS = {"mean": "", "ci_low": ".ci_low", "ci_high": ".ci_high"}
"""Columns of the cells that become metrics, and what their names end with."""
_LONGEST_PARAM = 500

main = typer.Typer(add_completion=False, pretty_exceptions_enable=False)


@main.command(help="Log finished runs to MLflow.")
def command(
    runs: Annotated[list[Path], typer.Argument(help="Folders of finished runs.")],
    experiment: Annotated[str, typer.Option(help="MLflow experiment to log to.")] = "ohr",
    tracking_uri: Annotated[
        str, typer.Option(help="Server, or a database; else what MLflow is set up with.")
    ] = "",
    debug: Annotated[bool, typer.Option("--debug")] = False,
) -> None:
    """Log."""
    with_errors(lambda: _run([read_run(path) for path in runs], experiment, tracking_uri), debug)


def _run(runs: list[Run], experiment: str, tracking_uri: str) -> int:
    mlflow = _mlflow()
    try:
        if tracking_uri:
            mlflow.set_tracking_uri(tracking_uri)
        mlflow.set_experiment(experiment)
        for run in runs:
            count = log_run(mlflow, run)
            print(f"{run.name}: logged with {count} conditions")
    except mlflow.exceptions.MlflowException as error:
        raise OhrError(f"MLflow: {error}") from error
    return 0


def _mlflow() -> Any:
    try:
        return import_module("mlflow")
    except ImportError as error:
        raise MissingDependencyError(f"MLflow is not installed: {INSTALL}") from error


def log_run(mlflow: Any, run: Run) -> int:
    """Log a run and its conditions, into the current experiment; how many conditions."""
    with mlflow.start_run(run_name=run.name):
        mlflow.log_params(dict(_flat(run.manifest.get("config", {}))))
        mlflow.set_tags({"ohr.dataset": run.manifest.get("dataset", {}).get("digest", "")})
        for name in ("manifest.json", "cells.csv"):
            mlflow.log_artifact(str(run.path / name))
        found = list(conditions(run))
        for settings, metrics in found:
            name = ", ".join(value for value in settings.values() if value)
            with mlflow.start_run(run_name=name[:250], nested=True):
                mlflow.log_params(settings)
                mlflow.log_metrics(metrics)
    return len(found)


def conditions(run: Run) -> Iterator[tuple[dict[str, str], dict[str, float]]]:
    """Settings and metrics of each condition; what has no value is left out."""
    columns = [name for name in CONDITION_COLUMNS if name in run.cells]
    for key, cells in run.cells.groupby(columns, sort=False, dropna=False):
        settings = {name: str(value) for name, value in zip(columns, key, strict=True)}
        metrics = {
            _metric_name(f"{stage}/{metric}/{group}{suffix}"): float(value)
            for column, suffix in STATISTICS.items()
            for stage, metric, group, value in zip(
                cells["stage"], cells["metric"], cells["group"], cells[column], strict=True
            )
            if value == value  # not a number where nothing counts
        }
        yield settings, metrics


def _metric_name(name: str) -> str:
    """A name of the characters that every MLflow server takes: ``hit@2`` is ``hit_at_2``."""
    return re.sub(r"[^\w./ -]", "_", name.replace("@", "_at_"), flags=re.ASCII)


def _flat(settings: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, str]]:
    """Settings as ``dataset.kind``; lists as JSON, long values cut visibly."""
    for name, value in settings.items():
        if isinstance(value, Mapping) and value:
            yield from _flat(value, f"{prefix}{name}.")
            continue
        text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        yield (
            _metric_name(prefix + name),
            text if len(text) <= _LONGEST_PARAM else text[: _LONGEST_PARAM - 1] + "…",
        )


if __name__ == "__main__":
    main()
