"""Readers and judges that are asked several times."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

from ohr.analysis.verification.rescoring import rescore
from ohr.models.ends import finish_reason
from ohr.statistics import Clusters
from ohr.statistics.intervals import mean_interval
from ohr.statistics.repeats import repeat_spread, same_pairs
from ohr.store.artefacts import ArtefactStore
from ohr.study.loading import load_dataset
from ohr.study.output.cases import read_cases
from ohr.study.plan import make_plan
from ohr.study.results import open_run
from ohr.study.scoring.forecast import forecast
from ohr.study.scoring.repeats import spread_lines
from ohr.types import Status
from tests.builders import load_config
from tests.loopback import Reply, Server, said
from tests.ohr.study.test_readers import cell, openai, run, write_small

OVERALL = "stages=[overall]"


def by_seed(answers: dict[int, str]):
    """Another answer for each seed."""

    def answer(request) -> Reply:
        status, data, headers = said(answers[request["seed"]], usage={"prompt_tokens": 9})
        reply = json.loads(data) | {"model": "m-2026", "system_fingerprint": "fp1"}
        return status, json.dumps(reply).encode(), headers

    return answer


def test_scores_are_means_over_repeats_and_the_first_answers_stay_as_they_were(server, tmp_path):
    settings = write_small(tmp_path)
    server.answer = by_seed({0: "answer 1", 1: "nothing", 2: "nothing"})
    once = run(settings, tmp_path / "once", openai(server), OVERALL)
    n = len(server.requests)
    assert {request["seed"] for request in server.requests} == {0}
    thrice = run(settings, tmp_path / "thrice", openai(server), OVERALL, "repeats=3")
    # The first repeat is stored; the others are asked for.
    assert [request["seed"] for request in server.requests[n:]].count(0) == 0
    assert len(server.requests) == 3 * n
    one, mean = (cell(each.cells, "overall", "f1") for each in (once, thrice))
    assert mean["mean"] == pytest.approx(one["mean"] / 3)
    assert mean["n"] == one["n"]
    run(settings, tmp_path / "thrice", openai(server), OVERALL, "repeats=3")
    assert len(server.requests) == 3 * n


def test_the_spread_is_in_the_run(server, tmp_path):
    settings = write_small(tmp_path)
    server.answer = by_seed({0: "answer 1", 1: "nothing", 2: "nothing"})
    result = run(settings, tmp_path / "run", openai(server), OVERALL, "repeats=3")
    table = pd.read_csv(tmp_path / "run" / "repeats.csv")
    [f1] = table[table["metric"] == "f1"].to_dict("records")
    assert (f1["repeats"], f1["lowest_mean"]) == (3, 0)
    assert f1["mean"] == pytest.approx(cell(result.cells, "overall", "f1")["mean"], abs=1e-6)
    assert f1["same_answers"] == pytest.approx(1 / 3)
    entry = next(e for e in open_run(tmp_path / "run").manifest["repeats"] if e["metric"] == "f1")
    assert entry["sd_within"] > 0
    assert any("of 3 repeats" in line for line in spread_lines([entry]))


def test_calls_have_the_model_and_the_end_of_each_answer(server, tmp_path):
    settings = write_small(tmp_path)
    server.answer = by_seed({0: "answer 1", 1: "nothing"})
    run(settings, tmp_path / "run", openai(server), OVERALL, "repeats=2")
    calls = read_cases(tmp_path / "run", "calls").to_pylist()
    answers = read_cases(tmp_path / "run", "answers").to_pylist()
    assert len(calls) == 2 * len(answers)
    assert {row["repeat"] for row in calls} == {0, 1}
    [(model, fingerprint, end)] = {
        (row["model"], row["fingerprint"], row["finish_reason"]) for row in calls
    }
    assert (model, fingerprint, end) == ("m-2026", "fp1", "stop")
    prompts = read_cases(tmp_path / "run", "prompts").to_pylist()
    assert {row["digest"] for row in prompts} == {row["prompt"] for row in calls}
    assert any("{question}" in row["text"] for row in prompts)


def test_repeats_are_scored_again_from_their_cases(server, tmp_path):
    settings = write_small(tmp_path)
    server.answer = by_seed({0: "answer 1", 1: "nothing"})
    result = run(settings, tmp_path / "run", openai(server), OVERALL, "repeats=2")
    rescored = rescore(result)
    assert rescored.differing == []
    assert rescored.equal > 0


def test_a_reader_that_always_answers_alike_is_asked_once(tmp_path):
    settings = write_small(tmp_path)
    reader = "readers=[extractive]"
    run(settings, tmp_path / "once", reader, OVERALL)
    run(settings, tmp_path / "twice", reader, OVERALL, "repeats=2")
    files = [tmp_path / name / "rows.parquet" for name in ("once", "twice")]
    assert files[0].read_bytes() == files[1].read_bytes()
    assert not (tmp_path / "twice" / "repeats.csv").exists()
    assert read_cases(tmp_path / "twice", "calls").num_rows == 0


def judging(server: Server) -> str:
    params = {"model": "judge", "base_url": server.url, "retries": 0}
    return f"judge={json.dumps({'name': 'openai', 'params': params})}"


def test_a_judge_is_repeated_over_the_answers_of_a_reader_that_is_not(server, tmp_path):
    settings = write_small(tmp_path)
    server.answer = by_seed({0: "correct", 1: "incorrect"})
    result = run(
        settings, tmp_path / "run", "readers=[extractive]", OVERALL, judging(server), "repeats=2"
    )
    assert cell(result.cells, "overall", "judged")["mean"] == pytest.approx(0.5)
    [judged] = [e for e in result.manifest["repeats"] if e["metric"] == "judged"]
    assert (judged["lowest_mean"], judged["highest_mean"]) == (0, 1)
    assert "same_answers" not in judged


def test_the_forecast_counts_repeats(server, tmp_path):
    settings = write_small(tmp_path)
    server.answer = by_seed({0: "answer 1", 1: "no", 2: "no"})
    run(settings, tmp_path / "run", openai(server), OVERALL)

    def to_ask(*more: str) -> tuple[int, int]:
        config = load_config([*settings, openai(server), OVERALL, *more])
        [each] = forecast(make_plan(config, load_dataset(config)), ArtefactStore(config.cache))
        return each.to_ask, each.stored

    left, stored = to_ask()
    assert left == 0
    assert to_ask("repeats=3") == (2 * stored, stored)


def test_prompts_are_a_factor_and_name_the_curves(server, tmp_path):
    settings = write_small(tmp_path)
    for name in ("short", "long"):
        text = f"Say it {name}.\n---\n{{question}}\n\n{{context}}\n"
        (tmp_path / f"{name}.txt").write_text(text)
    server.answer = lambda request: said(
        "answer 1" if "short" in request["messages"][0]["content"] else "no"
    )
    prompts = [str(tmp_path / "short.txt"), str(tmp_path / "long.txt")]
    result = run(settings, tmp_path / "run", openai(server, prompt=prompts), OVERALL)
    assert set(result.readers) == {"openai, short", "openai, long"}
    f1 = result.cells[(result.cells["metric"] == "f1") & (result.cells["group"] == "all")]
    by_reader = f1.set_index("reader")["mean"].astype(float)
    assert by_reader["openai, short"] > by_reader["openai, long"] == 0
    assert open_run(tmp_path / "run").config.identity() == result.config.identity()


def test_a_label_of_ones_own_is_kept_before_the_prompt():
    first, second = load_config(
        ["readers=[{name: openai, label: gpt, params: {model: m, prompt: [answer, few_shot]}}]"]
    ).readers
    assert (first.label, second.label) == ("gpt, answer", "gpt, few_shot")
    [single] = load_config(
        ["readers=[{name: openai, params: {model: m, prompt: [answer]}}]"]
    ).readers
    assert (single.label, single.params["prompt"]) == ("openai", "answer")


# Statistics


def test_the_spread_of_drawn_answers_has_its_parts():
    rng = np.random.default_rng(0)
    n, k = 4000, 3
    scores = rng.normal(0, 0.3, n) + rng.normal(0, 0.4, (k, n))
    labels = np.arange(n)
    spread = repeat_spread(scores, Clusters.from_labels(labels, labels))
    assert spread.sd_within == pytest.approx(0.4, rel=0.05)
    assert spread.share_of_variance == pytest.approx(0.16 / 0.25, rel=0.05)
    assert spread.share_of_interval == pytest.approx((0.16 / 3) / (0.16 / 3 + 0.09), rel=0.08)


@pytest.mark.parametrize("k", [2, 5])
def test_an_interval_over_documents_covers_the_mean_of_a_model_that_varies(k):
    """The share right of each question is random, and each answer too."""
    rng = np.random.default_rng(k)
    documents, each, true = 30, 4, 0.6
    labels = np.repeat(np.arange(documents), each)
    covered = 0
    for _ in range(400):
        of_document = rng.beta(6, 4, documents)
        scores = rng.random((k, documents * each)) < np.repeat(of_document, each)
        clusters = Clusters.from_labels(labels, labels)
        interval = mean_interval(scores.mean(axis=0), clusters, bounded=True)
        covered += interval.low <= true <= interval.high
    assert 0.92 <= covered / 400 <= 0.98


def test_equal_answers_are_those_that_differ_in_case_and_spaces_alone():
    assert same_pairs([["A  b", "c"], ["a b", "d"]]) == 0.5
    assert np.isnan(same_pairs([["a"]]))


@pytest.mark.parametrize(
    ("status", "detail", "usage", "end"),
    [(Status.OK, "", {}, "stop"), (Status.OK, "cut at 9 tokens", {"answers_cut": 1.0}, "length"),
     (Status.EMPTY, "finish_reason content_filter", {}, "content_filter"),
     (Status.OK, "context cut to 1 of 2 tokens; filtered", {}, "content_filter"),
     (Status.ERROR, "broken", {}, "")],
)  # fmt: skip
def test_the_end_of_a_stored_answer(status, detail, usage, end):
    assert finish_reason(status, detail, usage) == end
