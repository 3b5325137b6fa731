"""Runs logged to MLflow."""

from __future__ import annotations

import pytest
from typer.testing import CliRunner

from experiments import log_mlflow
from experiments.runs import measured


@pytest.fixture
def store(tmp_path, monkeypatch):
    """An empty MLflow store of files, and the module."""
    mlflow = pytest.importorskip("mlflow")
    monkeypatch.setenv("MLFLOW_ALLOW_FILE_STORE", "true")
    monkeypatch.setenv("MLFLOW_DISABLE_TELEMETRY", "true")
    uri = (tmp_path / "mlruns").as_uri()
    yield mlflow, uri
    mlflow.set_tracking_uri(None)


def test_a_run_its_conditions_and_their_means(benchmark_runs, store):
    mlflow, uri = store
    run = benchmark_runs[0]
    done = CliRunner().invoke(
        log_mlflow.main, [str(run.path), "--experiment", "x", "--tracking-uri", uri]
    )
    assert done.exit_code == 0, done.output
    logged = mlflow.search_runs(experiment_names=["x"])
    [parent] = logged[logged["tags.mlflow.runName"] == run.name].itertuples(index=False)
    assert f"logged with {len(logged) - 1} conditions" in done.output
    children = logged[logged["tags.mlflow.parentRunId"] == parent.run_id]
    assert len(children) == len(logged) - 1 > 4
    retrieval = children[
        (children["params.retriever"] == "bm25") & (children["params.reader"] == "")
    ]
    rows = measured(run.rows, "retrieval", "lcs").groupby("engine")["value"].mean()
    assert len(rows) == 2
    for engine, mean in rows.items():
        [child] = retrieval[retrieval["params.engine"] == engine].to_dict("records")
        assert child["metrics.retrieval/lcs/all"] == pytest.approx(mean, abs=1e-6)
        low, high = (child[f"metrics.retrieval/lcs/all.ci_{end}"] for end in ("low", "high"))
        assert low <= mean <= high
    files = {one.path for one in mlflow.artifacts.list_artifacts(run_id=parent.run_id)}
    assert files == {"manifest.json", "cells.csv"}
    config = mlflow.get_run(parent.run_id).data.params
    assert config["dataset.kind"] == "ohrbench"
    assert config["scoring"] == "default"


def test_a_server_that_is_not_there(benchmark_runs, store, monkeypatch):
    monkeypatch.setenv("MLFLOW_HTTP_REQUEST_MAX_RETRIES", "0")
    run = str(benchmark_runs[0].path)
    done = CliRunner().invoke(log_mlflow.main, [run, "--tracking-uri", "http://127.0.0.1:9"])
    assert done.exit_code == 2
    assert done.stderr.startswith("error: MLflow: ")
    assert len(done.stderr.splitlines()) == 1


def test_without_mlflow_the_install_command_is_named(benchmark_runs, monkeypatch):
    def absent(name):
        raise ImportError(name)

    monkeypatch.setattr(log_mlflow, "import_module", absent)
    done = CliRunner().invoke(log_mlflow.main, [str(benchmark_runs[0].path)])
    assert done.exit_code == 2
    assert "pip install 'ohr[mlflow]'" in done.stderr
