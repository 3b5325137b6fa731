"""What a study will ask and cost is known before it asks, and a limit of the cost holds."""

from __future__ import annotations

import json
import re

import pytest

from experiments import noise_curve
from ohr.display.plan import print_plan
from ohr.errors import ConfigError
from ohr.scoring.budget import Budget
from ohr.store.artefacts import ArtefactStore
from ohr.study.loading import load_dataset
from ohr.study.plan import make_plan
from ohr.study.run import run_study
from ohr.study.scoring.forecast import Forecast, forecast
from tests.builders import CliRunner, load_config, write_corpus
from tests.loopback import said

PRICES = {"prompt_price": 1000.0, "completion_price": 1000.0, "max_tokens": 10}
USAGE = {"prompt_tokens": 100, "completion_tokens": 4}


@pytest.fixture
def study(server, tmp_path):
    """A study of eight questions under two noises, whose reader is a server with prices."""
    server.answer = lambda request: said("answer 1", usage=USAGE)
    params = {"model": "m", "base_url": server.url, "concurrency": 2, **PRICES}
    reader = f"readers=[{json.dumps({'name': 'openai', 'label': 'gpt', 'params': params})}]"
    corpus = write_corpus(tmp_path, documents=2, pages=2)
    return [*corpus, reader, "engines=[gt]", "noise=[formatting]", "levels=[severe]", "seeds=[0]"]


def forecasts(settings: list[str], *more: str) -> list[Forecast]:
    config = load_config([*settings, *more])
    return forecast(make_plan(config, load_dataset(config)), ArtefactStore(config.cache))


def test_a_forecast_counts_what_the_run_asks_and_nothing_afterwards(study, server, tmp_path):
    (before,) = forecasts(study)
    assert server.requests == []
    summary = run_study(load_config(study), tmp_path / "run").readers["gpt"]
    # Rankings were not stored before, so equal hits under both noises were counted twice.
    assert summary["answers"] <= before.to_ask
    assert before.at_once == 2
    assert before.usage["completion_tokens"] == 10 * before.to_ask
    (after,) = forecasts(study)
    assert (after.to_ask, after.stored) == (0, summary["answers"])
    assert after.usage["cost"] == 0


def test_the_estimated_cost_is_that_of_the_prompts_that_are_sent(study, server, tmp_path):
    run_study(load_config(study), tmp_path / "run")
    words = sum(
        len(re.findall(r"\w+|[^\w\s]", turn["content"]))
        for request in server.requests
        for turn in request["messages"]
    )
    config = load_config([*study, f"cache={tmp_path / 'other'}"])
    (expected,) = forecast(make_plan(config, load_dataset(config)), ArtefactStore(config.cache))
    assert expected.usage["prompt_tokens"] == pytest.approx(words, rel=0.35)
    tokens = expected.usage["prompt_tokens"] + expected.usage["completion_tokens"]
    assert expected.usage["cost"] == pytest.approx(tokens * 1000 / 1e6)


def test_a_judge_is_forecast_at_most(study, server):
    judge = {"name": "openai", "params": {"model": "j", "base_url": server.url, **PRICES}}
    reader, judged = forecasts(study, f"judge={json.dumps(judge)}", "metrics=[f1,judged]")
    assert judged.label == "(judge)"
    # Closed-book answers are not judged; those of two stages under two noises are.
    assert judged.to_ask == 4 * (reader.to_ask // 5)
    assert server.requests == []


def test_too_high_a_cost_stops_the_run_before_it_asks(study, server, tmp_path):
    with pytest.raises(ConfigError, match=r"would cost up to [\d.]+, more than 0.01: nothing was"):
        run_study(load_config([*study, "max_cost=0.01"]), tmp_path / "run")
    assert server.requests == []
    (most,) = forecasts(study)
    run = run_study(load_config([*study, f"max_cost={most.usage['cost'] + 1}"]), tmp_path / "run")
    assert run.readers["gpt"]["asked_in_this_run"] > 0
    assert "max_cost" not in run.config.identity()


def test_answers_that_cost_more_than_expected_stop_at_the_limit(study, server, tmp_path):
    dear = {"prompt_tokens": 2000, "completion_tokens": 4}
    server.answer = lambda request: said("answer 1", usage=dear)
    (most,) = forecasts(study)
    limit = most.usage["cost"] + 1
    assert 2.004 * most.to_ask > limit
    settings = [*study, f"max_cost={limit}"]
    with pytest.raises(ConfigError, match="run the same command again, which continues"):
        run_study(load_config(settings), tmp_path / "run")
    n_requests = len(server.requests)
    assert 2.004 * n_requests <= limit + 2.004
    with pytest.raises(ConfigError, match="is spent"):
        run_study(load_config(settings), tmp_path / "run")
    # Nothing is sent twice: what was under way when the run stopped was stored, too.
    sent = [json.dumps(request["messages"]) for request in server.requests]
    assert n_requests < len(sent) == len(set(sent))


def test_a_limit_needs_prices(study, server, tmp_path):
    params = {"model": "m", "base_url": server.url}
    free = f"readers=[{json.dumps({'name': 'openai', 'params': params})}]"
    with pytest.raises(ConfigError, match="prices of 'openai' are not known: set prompt_price"):
        run_study(load_config([*study, free, "max_cost=1"]), tmp_path / "run")
    local = run_study(load_config([*study, "readers=[extractive]", "max_cost=0"]), tmp_path / "run")
    assert local.missing == []


def test_a_dry_run_prints_answers_tokens_and_cost(study, server, tmp_path):
    options = [*study, "--out", str(tmp_path / "run"), "--dry-run"]
    done = CliRunner().invoke(noise_curve.main, options)
    assert done.exit_code == 0, done.output
    (line,) = [line for line in done.stdout.splitlines() if line.startswith("gpt: ")]
    assert re.fullmatch(
        r"gpt: 40 answers, 40 of them new; about [\d,]+ tokens to read; at most 400 to write; "
        r"cost at most [\d.]+; 20 s if an answer takes 1 s, 2 at once",
        line,
    )
    assert server.requests == []


def test_a_system_that_asks_a_server_is_refused_beside_a_limit(study, server, tmp_path):
    reader = {"name": "openai", "params": {"model": "m", "base_url": server.url}}
    systems = f"systems=[{json.dumps({'name': 'chunks', 'params': {'reader': reader}})}]"
    with pytest.raises(ConfigError, match="cannot limit system 'chunks', which asks openai"):
        run_study(load_config([*study, systems, "max_cost=5"]), tmp_path / "run")
    assert server.requests == []


def test_a_dry_run_ends_with_what_the_run_would_refuse(study, server, tmp_path):
    options = [*study, "max_cost=0.01", "--out", str(tmp_path / "run"), "--dry-run"]
    done = CliRunner().invoke(noise_curve.main, options)
    assert done.exit_code == 2
    assert "gpt: 40 answers" in done.stdout
    assert "more than 0.01: nothing was asked" in done.stderr


@pytest.mark.parametrize(("cost", "allowed"), [(1.0, 10), (2.0, 5), (3.0, 3), (11.0, 1)])
def test_a_budget_reserves_the_next_answer(cost, allowed):
    budget, given = Budget(10.0), 0
    while given < 20:
        given += 1
        if budget.add("reader", {"cost": cost}, remaining=20 - given):
            break
    assert given == allowed


@pytest.mark.parametrize(
    ("setting", "named"),
    [
        ("readers=[extractive,{name: transformers, params: {model: /no}}]", "reader transformers"),
        ("retrievers=[bm25,{name: rerank, params: {model: /no}}]", "retriever rerank"),
        ("judge={name: transformers, params: {model: /no}}", "judge"),
        ("engines=[{name: got, params: {model: /no}}]", "engine got"),
    ],
)
def test_a_dry_run_names_what_is_missing_and_goes_on(study, server, tmp_path, setting, named):
    options = [
        *study,
        setting,
        *(["noise=[]"] if named.startswith("engine") else []),
        "--out",
        str(tmp_path / "run"),
        "--dry-run",
    ]
    done = CliRunner().invoke(noise_curve.main, options)
    assert done.exit_code == 2
    assert f"missing, and left out below: {named}: " in done.stdout
    assert "questions of" in done.stdout.splitlines()[-1]
    assert f"the run would stop, since this is missing: {named}" in done.stderr
    if not setting.startswith("readers"):
        assert "gpt: 40 answers" in done.stdout or setting.startswith("engines")


def test_a_plan_counts_the_documents_that_are_asked_about(tmp_path, capsys):
    corpus = write_corpus(tmp_path, documents=3, pages=1)
    print_plan(load_config([*corpus, "engines=[gt]"]))
    assert "questions of 3 documents; " in capsys.readouterr().out
    [first, *_] = load_dataset(load_config(corpus)).documents
    print_plan(load_config([*corpus, "engines=[gt]", f"dataset.documents=[{first}]"]))
    assert "questions of 1 document (of 3 that are searched); " in capsys.readouterr().out
