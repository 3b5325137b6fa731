"""A submission to a suite as the Hub's files of evaluation results."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import yaml

from experiments.convert.hub_eval import FRAMEWORK_NOTE
from experiments.convert_export import main
from ohr.suites.submission import read_submission
from ohr.suites.suite import FOLDER
from ohr.suites.table import suite_table
from tests.builders import CliRunner

SUBMISSION = FOLDER / "ohr-c-1" / "baseline-quick.json"


def export(source: Path, out: Path, *options: str):
    return CliRunner().invoke(
        main, [str(source), "--format", "hub-eval", "--out", str(out), *options]
    )


def test_the_scores_are_those_of_the_board(tmp_path):
    done = export(SUBMISSION, tmp_path, "--hub-dataset", "an-org/ohr-c-1")
    assert done.exit_code == 0, done.output
    results = yaml.safe_load((tmp_path / ".eval_results" / "ohr-c-1-quick.yaml").read_text())
    values = {entry["dataset"]["task_id"]: entry["value"] for entry in results}
    [row] = suite_table([read_submission(SUBMISSION)]).to_dict("records")
    assert values["evidence_noisy"] == pytest.approx(row["noisy"], abs=1e-4)
    assert values["changed_numbers"] == pytest.approx(row["changed_numbers"], abs=1e-4)
    assert FRAMEWORK_NOTE in done.output.replace("\n", " ")
    benchmark = yaml.safe_load((tmp_path / "eval.yaml").read_text())
    assert {task["id"] for task in benchmark["tasks"]} >= values.keys()


def test_the_hubs_own_library_reads_it(tmp_path):
    hub = pytest.importorskip("huggingface_hub")
    export(SUBMISSION, tmp_path, "--hub-dataset", "an-org/ohr-c-1")
    results = yaml.safe_load((tmp_path / ".eval_results" / "ohr-c-1-quick.yaml").read_text())
    entries = hub.parse_eval_result_entries(results)
    assert len(entries) == len(results) == 6
    assert {entry.dataset_id for entry in entries} == {"an-org/ohr-c-1"}
    assert hub.eval_result_entries_to_yaml(entries) == results


@pytest.mark.parametrize("name", ["no-slash", "a/b/c", "https://x/y"])
def test_a_benchmark_must_be_named(tmp_path, name):
    done = export(SUBMISSION, tmp_path / "out", "--hub-dataset", name)
    assert done.exit_code == 2
    assert "--hub-dataset" in done.stderr
    assert "--hub-dataset" in export(SUBMISSION, tmp_path / "out").stderr
    assert not (tmp_path / "out").exists()


def test_an_edited_submission_is_not_exported(tmp_path):
    content = json.loads(SUBMISSION.read_text())
    content["cpu_seconds"] = 0.1
    edited = tmp_path / "edited.json"
    edited.write_text(json.dumps(content))
    done = export(edited, tmp_path / "out", "--hub-dataset", "a/b")
    assert done.exit_code == 2
    assert "ohr board check" in done.stderr
    assert not (tmp_path / "out").exists()
