"""Runs logged to MLflow."""

from __future__ import annotations

from dataclasses import replace
from importlib.util import find_spec

import pandas as pd
import pytest

from experiments import convert_mlflow as log_mlflow
from experiments.convert.mlflow import conditions
from ohr.study.results import rows_of
from tests.builders import CliRunner


@pytest.fixture
def store(tmp_path, monkeypatch):
    """An empty MLflow store of files, and the module."""
    mlflow = pytest.importorskip("mlflow", reason="no MLflow: pip install 'ohr[mlflow]'")
    monkeypatch.setenv("MLFLOW_ALLOW_FILE_STORE", "true")
    monkeypatch.setenv("MLFLOW_DISABLE_TELEMETRY", "true")
    return mlflow, (tmp_path / "mlruns").as_uri()


@pytest.mark.slow
def test_a_run_its_conditions_and_their_means(benchmark_runs, store):
    mlflow, uri = store
    run = benchmark_runs[0]
    done = CliRunner().invoke(
        log_mlflow.main, [str(run.path), "--experiment", "x", "--tracking-uri", uri]
    )
    assert done.exit_code == 0, done.output
    client = mlflow.MlflowClient(tracking_uri=uri)
    experiment = client.get_experiment_by_name("x").experiment_id
    logged = client.search_runs([experiment])
    assert {one.info.status for one in logged} == {"FINISHED"}
    [parent] = [one for one in logged if one.info.run_name == run.name]
    assert done.output == f"{run.name}: logged with {len(logged) - 1} conditions\n"
    children = [
        one for one in logged if one.data.tags.get("mlflow.parentRunId") == parent.info.run_id
    ]
    assert len(children) == len(logged) - 1 > 4
    retrieval = {
        one.data.params["engine"]: one
        for one in children
        if (one.data.params["retriever"], one.data.params["reader"]) == ("bm25", "")
    }
    rows = rows_of(run.rows, "retrieval", "lcs").groupby("engine")["value"].mean()
    assert len(rows) == 2
    for engine, mean in rows.items():
        child = retrieval[engine]
        assert child.info.run_name == f"{engine}, clean, tokens, bm25"
        metrics = child.data.metrics
        assert metrics["retrieval/lcs/all"] == pytest.approx(mean, abs=1e-6)
        low, high = (metrics[f"retrieval/lcs/all.ci_{end}"] for end in ("low", "high"))
        assert low <= mean <= high
    files = {one.path for one in client.list_artifacts(parent.info.run_id)}
    assert files == {"manifest.json", "cells.csv"}
    assert parent.data.params["dataset.kind"] == "ohrbench"
    assert parent.data.params["scoring"] == "default"


GROUPS = ("law", "法律", "金融", "a_b", "a:b", "a&b", "a+b", "हिन्दी")


def test_no_two_groups_become_one(benchmark_runs, store):
    mlflow, uri = store
    run = benchmark_runs[0]
    cells = run.cells[run.cells["group"] == "all"].head(1)
    cells = pd.concat([cells.assign(group=f"domain:{group}") for group in GROUPS])
    [(_, _, metrics)] = conditions(replace(run, cells=cells))
    means = [name for name in metrics if ".ci_" not in name]
    assert len(means) == len(GROUPS)
    assert means[0].endswith("/domain_law")
    assert means[1].endswith("/domain_法律")
    client = mlflow.MlflowClient(tracking_uri=uri)
    logged = client.create_run(client.create_experiment("names")).info.run_id
    client.log_batch(
        logged, metrics=[mlflow.entities.Metric(*one, 0, 0) for one in metrics.items()]
    )
    assert client.get_run(logged).data.metrics == metrics


def test_a_server_that_is_not_there(benchmark_runs, store, monkeypatch):
    monkeypatch.setenv("MLFLOW_HTTP_REQUEST_MAX_RETRIES", "0")
    run = str(benchmark_runs[0].path)
    done = CliRunner().invoke(log_mlflow.main, [run, "--tracking-uri", "http://127.0.0.1:9"])
    assert done.exit_code == 2
    assert done.stderr.startswith("error: MLflow: ")
    assert len(done.stderr.splitlines()) == 1


def test_a_database_that_takes_all_of_mlflow_says_so(benchmark_runs, store, tmp_path):
    if find_spec("sqlalchemy"):
        pytest.skip("all of MLflow is installed")
    run = str(benchmark_runs[0].path)
    uri = f"sqlite:///{tmp_path / 'mlflow.db'}"
    done = CliRunner().invoke(log_mlflow.main, [run, "--tracking-uri", uri])
    assert done.exit_code == 2
    assert done.stderr.endswith("a database takes all of MLflow: pip install mlflow)\n")


def test_without_mlflow_the_install_command_is_named(benchmark_runs, monkeypatch):
    def absent(name):
        raise ImportError(name)

    monkeypatch.setattr("experiments.convert.mlflow.import_module", absent)
    done = CliRunner().invoke(log_mlflow.main, [str(benchmark_runs[0].path)])
    assert done.exit_code == 2
    assert "pip install 'ohr[mlflow]'" in done.stderr


def test_whole_systems_are_told_apart_by_name(formatting_run):
    cells = formatting_run.cells
    answers = cells[cells["stage"] == "overall"]
    nothing = {"chunker": "", "retriever": "", "reader": ""}
    whole = [answers.assign(system=name, **nothing) for name in ("p0", "p1")]
    run = replace(formatting_run, cells=pd.concat(whole, ignore_index=True))
    assert {name for name, *_ in conditions(run)} >= {"gt, clean, p0", "gt, clean, p1"}
