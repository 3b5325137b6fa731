"""Logs finished runs to MLflow, to be compared there.

``python -m experiments.log_mlflow RUN [RUN ...] --experiment ohr`` makes of each run an MLflow
run with its configuration and files, and below it one run a condition (engine, noise, retriever,
reader …) with the means of ``cells.csv`` as metrics, such as ``retrieval/lcs/all``.
"""

from __future__ import annotations

import os
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any

import typer

from experiments._command import command
from experiments.interchange.mlflow import (
    INSTALL,
    log_run,
)
from ohr.errors import MissingDependencyError, OhrError
from ohr.study.results import Run, open_run


@command("Log finished runs to MLflow.")
def main(
    runs: Annotated[list[Path], typer.Argument(help="Folders of finished runs.")],
    experiment: Annotated[str, typer.Option(help="MLflow experiment to log to.")] = "ohr",
    tracking_uri: Annotated[
        str, typer.Option(help="Server, or a database; else what MLflow is set up with.")
    ] = "",
) -> int:
    """Log."""
    return _run([open_run(path) for path in runs], experiment, tracking_uri)


def _run(runs: list[Run], experiment: str, tracking_uri: str) -> int:
    mlflow = _mlflow()
    os.environ.setdefault("MLFLOW_SUPPRESS_PRINTING_URL_TO_STDOUT", "true")  # two lines a condition
    try:
        client = mlflow.MlflowClient(tracking_uri=tracking_uri or None)
        known = client.get_experiment_by_name(experiment)
        place = known.experiment_id if known else client.create_experiment(experiment)
        for run in runs:
            count = log_run(mlflow, client, place, run)
            print(f"{run.name}: logged with {count} conditions")
    except mlflow.exceptions.MlflowException as error:
        raise OhrError(f"MLflow: {error}") from error
    return 0


def _mlflow() -> Any:
    try:
        return import_module("mlflow")
    except ImportError as error:
        raise MissingDependencyError(f"MLflow is not installed: {INSTALL}") from error


if __name__ == "__main__":
    main()
