"""Logs finished runs to MLflow.

``ohr convert mlflow RUN [RUN ...] --experiment ohr`` makes each run an MLflow run with its
configuration and files. Each condition (engine, noise, retriever, reader …) becomes a child run,
with the means of ``cells.csv`` as metrics, such as ``retrieval/lcs/all``.
"""

from __future__ import annotations

from typing import Annotated

import typer

from experiments._command import results_command
from experiments._parameters import FinishedRuns


@results_command
def main(
    runs: FinishedRuns,
    experiment: Annotated[str, typer.Option(help="MLflow experiment to log to.")] = "ohr",
    tracking_uri: Annotated[
        str,
        typer.Option(
            help="Server or database (pip install mlflow); default: MLflow's own settings."
        ),
    ] = "",
) -> int:
    """Log finished runs to MLflow."""
    from experiments.convert.mlflow import log_runs
    from ohr.study.opening import open_runs

    return log_runs(open_runs(runs), experiment, tracking_uri)


if __name__ == "__main__":
    main()
