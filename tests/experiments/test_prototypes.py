"""``python -m experiments.prototypes``: tables, tests and figures of the prototypes."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pandas as pd
import pytest

from experiments.papers.prototypes.report import step_table
from experiments.papers.prototypes.table import (
    FLAGS,
    costs,
    flag_rates,
    paired_steps,
    run_means,
    steps,
)
from experiments.prototypes import main
from ohr.study.output.cases import read_cases, read_questions
from ohr.study.results import open_run
from tests.builders import CliRunner, qa, write_kb, write_questions
from tests.loopback import Server, said

TEXTS = [
    "# Rules\n\n## Fees\n\nFact 0 is answer 0. Fact 1 is answer 1.",
    "## Notice\n\nFact 2 is answer 2.",
]
MISREAD = [TEXTS[0].replace("answer 1", "answcr 1"), TEXTS[1].replace("Notice", "N0tice")]


@pytest.fixture
def arguments(tmp_path: Path) -> list[str]:
    documents = {f"port/{name}": TEXTS for name in "abc"}
    write_kb(tmp_path / "kb" / "gt", documents)
    write_kb(tmp_path / "kb" / "engine", dict.fromkeys(documents, MISREAD))
    entries = [
        qa(number + 3 * place, f"port/{name}", number // 2)
        | {"questions": f"What is fact {number}?", "answers": f"answer {number}"}
        | {"evidence_context": f"Fact {number} is answer {number}."}
        | ({} if number else {"headers": ["Rules", "Fees"]})
        for place, name in enumerate("abc")
        for number in range(3)
    ]
    questions = write_questions(tmp_path / "qas.json", entries)
    return [
        *("dataset.kind=ohrbench", f"dataset.path={tmp_path / 'kb'}"),
        *(f"dataset.questions={questions}", f"cache={tmp_path / 'cache'}"),
        *("engines=[gt,precomputed:engine]", "--out", str(tmp_path / "run")),
    ]


@pytest.mark.slow
def test_deterministic_prototypes_run_once_and_leave_nothing_to_test(arguments, tmp_path) -> None:
    done = CliRunner().invoke(main, [*arguments, "--repeats", "5"])
    assert done.exit_code == 0, done.output
    assert "there is no t-test" in done.stdout
    assert f"interactive report: ohr report {tmp_path / 'run'} --out" in done.stdout
    run = open_run(tmp_path / "run")
    means = run_means(run)
    assert set(means["run"]) == {1}
    assert set(means["prototype"]) == {"p0", "p1", "p2", "p3", "p4"}
    assert set(steps(means)["test"]) == {"none"}
    clean = means[(means["knowledge_base"] == "gt, clean") & (means["prototype"] == "p3")]
    clean = clean.set_index("metric")["mean"]
    assert clean["location_score"] == clean["quote_rouge_l"] == 1
    assert not clean[list(FLAGS)].any()
    paired = paired_steps(run)
    assert set(paired["n"]) == {9}
    for name in ("means", "table2", "paired", "flags", "costs"):
        assert (tmp_path / "run" / "tables" / f"{name}.md").exists()
    for name in ("figure1_answers", "figure2_attribution", "figure3_hallucination"):
        assert (tmp_path / "run" / "figures" / f"{name}.svg").exists()
    [answer] = [
        row
        for row in read_cases(run.path, "answers").to_pylist()
        if (row["system"], row["qid"], row["knowledge_base"]) == ("p3", "q2", "gt, clean")
    ]
    assert answer["headers"] == ["Rules", "Notice"]
    headers = {one.qid: one.headers for one in read_questions(run.path)}
    assert (headers["q0"], headers["q1"]) == (("Rules", "Fees"), ())
    again = [*arguments[:-1], str(tmp_path / "again")]
    assert CliRunner().invoke(main, again).exit_code == 0
    assert open_run(tmp_path / "again").manifest["systems"]["p3"]["asked_in_this_run"] == 0
    for name in ("cases.zip", "rows.parquet", "cells.csv"):
        assert (tmp_path / "again" / name).read_bytes() == (run.path / name).read_bytes()


@pytest.mark.slow
def test_noise_alone_raises_flags(arguments, tmp_path) -> None:
    assert CliRunner().invoke(main, arguments).exit_code == 0
    flags = flag_rates(open_run(tmp_path / "run")).set_index(
        ["knowledge_base", "prototype", "flag"]
    )
    gold = flags.loc[("precomputed:engine, clean", "gold quote", "quote_flag")]
    assert (gold["read"], gold["truth"]) == (pytest.approx(1 / 3), 0)
    headers = flags.loc[("precomputed:engine, clean", "gold quote", "headers_flag")]
    assert (headers["read"], headers["truth"]) == (pytest.approx(1 / 3), 0)
    p3 = flags.loc[("precomputed:engine, clean", "p3", "quote_flag")]
    assert (p3["read"], p3["truth"]) == (0, pytest.approx(1 / 3))


@pytest.mark.slow
def test_a_model_runs_as_often_as_it_is_told_to(arguments, tmp_path, server: Server) -> None:
    def answer(request):
        right = (request["seed"] + len(request["messages"][1]["content"])) % 3
        written = {
            "short_answer": "answer 0" if right else "none",
            "quote": "Fact 0 is answer 0." if right else "Made up.",
            "document": 1,
            "page": 1 if right else 2,
            "headers": ["Rules", "Fees"] if right else [],
        }
        return said(json.dumps(written), usage={"prompt_tokens": 3, "completion_tokens": 1})

    server.answer = answer
    reader = {"name": "openai", "params": {"model": "m", "base_url": server.url}}
    more = ["--reader", json.dumps(reader), "--repeats", "3", "systems=[p1,p3]", "engines=[gt]"]
    done = CliRunner().invoke(main, [*arguments, *more])
    assert done.exit_code == 0, done.output
    assert "independent data points" in done.stdout
    assert {request["temperature"] for request in server.requests} == {0.7}
    assert {request["seed"] for request in server.requests} == {0, 1, 2}
    assert len(server.requests) == 2 * 3 * 9
    means = run_means(open_run(tmp_path / "run"))
    assert set(means["run"]) == {1, 2, 3}
    table = pd.read_csv(tmp_path / "run" / "tables" / "table2.csv")
    assert set(table["runs"]) == {"3, 3"}
    costs = pd.read_csv(tmp_path / "run" / "tables" / "costs.csv").set_index("prototype")
    assert costs.loc["p1", "prompt_tokens"] == 3
    again = CliRunner().invoke(main, [*arguments, *more])
    assert again.exit_code == 0
    assert len(server.requests) == 2 * 3 * 9, "answers are kept"


def test_a_plan_is_printed_and_a_reader_that_is_none_refused(arguments) -> None:
    assert (
        "9 questions of 3 documents" in CliRunner().invoke(main, [*arguments, "--dry-run"]).stdout
    )
    wrong = CliRunner().invoke(main, [*arguments, "--reader", "{a: ["])
    assert wrong.exit_code == 2
    assert "is no YAML" in wrong.stderr


def _means(values: dict[str, list[float]]) -> pd.DataFrame:
    records = [
        {"knowledge_base": "gt", "prototype": name, "run": number, "metric": metric}
        | {"title": metric, "higher_is_better": True, "mean": value, "n": 9}
        for metric in ("short_answer", "f1", "em")
        for name, runs in values.items()
        for number, value in enumerate(runs, 1)
    ]
    return pd.DataFrame(records)


def test_steps_are_corrected_over_the_steps_printed() -> None:
    runs = {"p0": [0.50, 0.52, 0.51], "p1": [0.55, 0.54, 0.53], "p2": [0.54, 0.55, 0.535]}
    tests = steps(_means(runs | {"p3": [0.6] * 3, "p4": [0.6] * 3}))
    tested = tests[tests["test"] != "none"]
    assert len(tested) == 9, "three metrics, and p3 to p4 has there is no t-test"
    assert tests["p_adjusted"].isna().sum() == 3
    assert set(tests["family"]) == {"p after Holm over 9 steps"}
    assert (tested["p_adjusted"] >= tested["p"]).all()
    first = tested.iloc[0]
    assert first["p"] < 0.05 < first["p_adjusted"], "alone it would be shown"
    assert first["ci_low"] < first["difference"] < first["ci_high"]
    table = step_table(tests)
    assert "p after Holm over 9 steps" in table.caption
    row = table.rows[0]
    assert row[2].startswith("+0.030 [+0.007, +0.053], not shown (no difference larger than 0.06)")
    assert row[-1] == "equal runs"


def test_a_step_that_is_shown_has_its_difference_first() -> None:
    tests = steps(_means({"p0": [0.1, 0.11, 0.12], "p1": [0.8, 0.81, 0.83]}))
    assert step_table(tests).rows[0][2].startswith("+0.703 [+0.6")
    assert "(+), p <0.001, d" in step_table(tests).rows[0][2]


@pytest.mark.slow
def test_paired_steps_name_their_family(arguments, tmp_path) -> None:
    done = CliRunner().invoke(main, arguments)
    assert done.exit_code == 0, done.output
    table = pd.read_csv(tmp_path / "run" / "tables" / "paired.csv")
    tested = int(table["p"].notna().sum())
    assert set(table["family"]) == {
        f"p and intervals: the {tested} comparisons of this table together"
    }
    assert f"p and intervals: the {tested} comparisons of this table together" in done.stdout
    assert {"short_answer", "f1", "em"} <= set(table["metric"]), "F1 and EM stand beside it"
    is_known = table[table["p"].notna()]
    assert (is_known["p_adjusted"] >= is_known["p"]).all()


def test_fixed_replies_of_an_earlier_manifest_are_counted():
    usage = {"replies_mended": 2.0}
    older: Any = SimpleNamespace(manifest={"systems": {"p0": {"answers": 4, "usage": usage}}})
    assert costs(older)["replies_fixed"].tolist() == [2.0]
