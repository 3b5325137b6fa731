"""Export in the format of Every Eval Ever: one file per condition, one line per question."""

from __future__ import annotations

import hashlib
import json
import re
from pathlib import Path

import pytest

from experiments import convert_export as export
from ohr.study.run import run_study
from tests.builders import CliRunner, load_config, write_corpus

FACT = "tests.fakes.FactReader"
PATH = re.compile(r"data/ohr/ohr/[A-Za-z0-9_.-]+/[0-9a-f-]{36}(_samples\.jsonl|\.json)")


def give(*arguments: str):
    return CliRunner().invoke(export.main, [*arguments, "--format", "every-eval-ever"])


@pytest.fixture(scope="module")
def exported(benchmark_runs, tmp_path_factory) -> Path:
    out = tmp_path_factory.mktemp("out")
    done = give(str(benchmark_runs[1].path), "--out", str(out))
    assert done.exit_code == 0, done.output
    assert "8 conditions" in done.stdout  # two knowledge bases, readers and stages
    return out


@pytest.fixture(scope="module")
def aggregates(exported) -> dict[str, dict]:
    files = [json.loads(path.read_text("utf-8")) for path in exported.rglob("*.json")]
    return {each["model_info"]["name"]: each for each in files}


@pytest.mark.slow
def test_scores_and_signatures_are_those_of_the_run(aggregates, benchmark_runs):
    run = benchmark_runs[1]
    each = aggregates[f"gt, clean, rag, tokens, bm25, {FACT}, 2"]
    results = {result["evaluation_name"]: result for result in each["evaluation_results"]}
    cells = run.cells[(run.cells["reader"] == FACT) & (run.cells["engine"] == "gt")]
    cells = cells[(cells["stage"] == "overall") & (cells["group"] == "all")].set_index("metric")
    assert set(results) == {f"overall:{metric}" for metric in cells.index[cells["mean"].notna()]}
    f1 = results["overall:f1"]
    assert f1["score_details"]["score"] == cells.loc["f1", "mean"]
    interval = f1["score_details"]["uncertainty"]["confidence_interval"]
    assert (interval["lower"], interval["upper"]) == tuple(cells.loc["f1", ["ci_low", "ci_high"]])
    assert f1["metric_config"]["metric_id"] == run.manifest["signatures"]["overall:f1"]
    assert results["overall:refused"]["metric_config"]["lower_is_better"] in (True, False)


def test_every_question_has_its_answer_and_score(exported, aggregates, benchmark_runs):
    run = benchmark_runs[1]
    each = aggregates[f"gt, clean, rag, tokens, bm25, {FACT}, 2"]
    details = each["detailed_evaluation_results"]
    content = (exported / details["file_path"]).read_bytes()
    assert details["checksum"] == hashlib.sha256(content).hexdigest()
    lines = [json.loads(line) for line in content.decode().splitlines()]
    assert details["total_rows"] == len(lines)
    f1 = [line for line in lines if line["evaluation_name"] == "overall:f1"]
    assert len(f1) == 48
    assert {line["evaluation_id"] for line in lines} == {each["evaluation_id"]}
    first = f1[0]
    assert first["input"]["raw"].startswith("What is fact ")
    rows = run.rows[(run.rows["reader"] == FACT) & (run.rows["engine"] == "gt")]
    rows = rows[(rows["stage"] == "overall") & (rows["metric"] == "f1")].set_index("qid")["value"]
    assert {line["sample_id"]: line["evaluation"]["score"] for line in f1} == rows.to_dict()
    right = [line for line in f1 if line["evaluation"]["is_correct"]]
    assert right
    assert all(line["output"]["raw"] for line in right)
    assert all(line["output"]["raw"][0] in line["input"]["reference"] for line in right)


def test_closed_book_answers_are_lines_too(exported, aggregates):
    each = aggregates[f"gt, clean, gold pages, {FACT}"]
    path = exported / each["detailed_evaluation_results"]["file_path"]
    lines = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    assert {"generation:f1", "generation:f1_no_context"} <= {x["evaluation_name"] for x in lines}


@pytest.mark.slow
def test_each_draw_of_the_noise_has_its_answers(tmp_path):
    settings = [*write_corpus(tmp_path, documents=3, pages=1), "engines=[gt]", "bootstrap=100"]
    noise = "noise=[{name: tests.fakes.HideFacts, label: formatting}]"
    settings += [noise, "intensities=[0.5]", f"readers=[{FACT}]", "seeds=[0,1]"]
    run_study(load_config(settings), tmp_path / "run")
    assert give(str(tmp_path / "run"), "--out", str(tmp_path / "out")).exit_code == 0
    (path,) = tmp_path.glob("out/data/ohr/ohr/gt_formatting_0.5_rag*/*.jsonl")
    lines = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    f1 = [line for line in lines if line["evaluation_name"] == "overall:f1"]
    assert [line["metadata"]["draw"] for line in f1] == ["0"] * 6 + ["1"] * 6
    assert all(line["output"]["raw"] for line in f1 if line["evaluation"]["score"])


def test_paths_are_those_of_the_data_store(exported):
    names = [path.relative_to(exported).as_posix() for path in exported.rglob("*.json*")]
    assert len(names) == 16
    assert all(PATH.fullmatch(name) for name in names)


def test_the_package_accepts_every_file(exported):
    validator = pytest.importorskip("every_eval_ever.validate", reason="needs Python 3.12")
    files = [str(path) for path in exported.rglob("*.json*")]
    assert validator.main(files) in (0, None)


@pytest.mark.parametrize(
    ("source", "message"),
    [("dataset.kind=sample", "every-eval-ever holds results: give the folder of a finished run")],
)
def test_a_dataset_has_no_results(tmp_path, source, message):
    done = give(source, "--out", str(tmp_path))
    assert done.exit_code == 2
    assert message in done.stderr
