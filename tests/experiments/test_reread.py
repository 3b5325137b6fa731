"""Which pages to read again first."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

import ohr
from experiments import analyse_reread
from ohr.analysis.reread.report import routes_of, sentence
from ohr.analysis.reread.table import (
    ANSWERS,
    ORACLE,
    RANDOM,
    RULES,
    WORST,
    _Data,
    _expected,
    _orders,
    reread,
)
from ohr.errors import ConfigError
from ohr.ocr.routes import read_routes
from ohr.study.results import clusters_of
from ohr.types import PageRef


def simulated(documents: int = 40, seed: int = 0) -> _Data:
    """Ten pages a document, of which two are asked about; damaged pages lose answers."""
    rng = np.random.default_rng(seed)
    refs = [PageRef(f"law/{d}", n) for d in range(documents) for n in range(10)]
    damage = rng.random(len(refs))
    rows = []
    for d in range(documents):
        for page in (10 * d, 10 * d + 1):
            for number in range(4):
                lost = float(rng.random() < 0.8 * (damage[page] > 0.5))
                unit = {"qid": f"{page}-{number}", "doc_id": f"law/{d}", "page_no": page % 10}
                rows.append(unit | {"loss": lost, "pages": [page], "hits": [page]})
    questions = pd.DataFrame(rows)
    return _Data(questions, refs, damage, clusters_of(questions), "tesseract")


def test_asked_and_damaged_pages_come_first_and_win_the_most():
    orders = _orders(simulated(), seed=0).set_index(["order", "pages_read"])["won_back"]
    assert orders[ANSWERS, 0.2] > 0.9
    assert orders[ANSWERS, 0.1] > 1.5 * orders[WORST, 0.1]
    assert orders[RANDOM, 0.2] == pytest.approx(0.2)
    for share in (0.05, 0.1, 0.2, 0.4):
        assert max(orders[name, share] for name in RULES) <= orders[ORACLE, share] + 1e-9


def test_what_damage_costs_is_fitted_on_other_documents():
    data = simulated()
    everyone = np.ones(len(data.questions), bool)
    before = _expected(data, everyone, 0)
    mine = data.questions["doc_id"] == "law/0"
    changed = data.questions.assign(loss=data.questions["loss"].where(~mine, 1.0))
    after = _expected(replace(data, questions=changed), everyone, 0)
    own = np.array([ref.doc_id == "law/0" for ref in data.pages])
    assert (after[own] == before[own]).all()
    assert (after[~own] != before[~own]).any()


def test_few_documents_say_nothing():
    orders = _orders(simulated(documents=9), seed=0)
    assert orders["won_back"].isna().all()
    assert "cannot be said with 72 questions on 9 documents" in sentence(orders)


@pytest.mark.parametrize(("share", "again"), [(0.0, 0), (0.25, 1), (0.3, 2), (1.0, 4)])
def test_the_first_pages_are_routed_to_the_slow_engine(share, again):
    pages = pd.DataFrame(
        {"doc_id": ["a/x"] * 4, "page_no": [3, 0, 2, 1], "expected": [2.0, 1.0, 0.5, 0.0]}
    )
    routes = routes_of(pages, "fast", "slow", share)
    assert routes["route"].tolist() == ["slow"] * again + ["fast"] * (4 - again)
    assert routes["page"].tolist() == [4, 1, 3, 2]
    assert routes["reason"].iloc[0] == "expected answers 2.000"


@pytest.mark.slow
def test_the_command_writes_routes_that_read_takes(benchmark_runs, tmp_path):
    run = benchmark_runs[1]
    command = [str(run.path), "--out", str(tmp_path), "--slow", "{name: tesseract, label: again}"]
    done = CliRunner().invoke(analyse_reread.main, [*command, "--share", "0.25"])
    assert done.exit_code == 0, done.output
    assert "again reads 6 of 24 pages, precomputed:theirs the others" in " ".join(
        done.output.split()
    )
    routes = read_routes(tmp_path / "routes.csv")
    assert routes.counts() == {"again": 6, "precomputed:theirs": 18}
    assert routes.engines["again"].name == "tesseract"
    first = pd.read_csv(tmp_path / "reread.csv").iloc[0]
    assert routes.by_page[PageRef(first["doc_id"], int(first["page_no"]))] == "again"
    alone = CliRunner().invoke(
        analyse_reread.main, [str(run.path), "--out", str(tmp_path), "--share", "0.5"]
    )
    assert alone.exit_code
    assert "name an engine with --slow" in str(alone.output) + str(alone.exception)
    same = [str(run.path), "--out", str(tmp_path), "--slow", str(run.config.engines[-1].label)]
    assert CliRunner().invoke(analyse_reread.main, same).exit_code
    other = [str(run.path), "--out", str(tmp_path), "--slow", "{name: tesseract, label: gt}"]
    refused = CliRunner().invoke(analyse_reread.main, other)
    assert refused.exit_code
    assert "'gt' is another engine of the run" in str(refused.output) + str(refused.exception)


@pytest.mark.slow
def test_the_command_writes_pages_and_orders(benchmark_runs, tmp_path):
    run = benchmark_runs[1]
    command = [str(run.path), "--out", str(tmp_path), "--damage", "garbage"]
    done = CliRunner().invoke(analyse_reread.main, command)
    assert done.exit_code == 0, done.output
    pages = pd.read_csv(tmp_path / "reread.csv")
    assert len(pages) == 24
    assert pages["expected"].is_monotonic_decreasing
    assert set(pd.read_csv(tmp_path / "reread_orders.csv")["order"]) == set(RULES)
    assert ohr.open_run(run.path).reread()["damage"].between(0, 1).all()


@pytest.mark.slow
def test_an_engine_or_damage_that_the_run_does_not_have_is_refused(benchmark_runs):
    run = benchmark_runs[1]
    with pytest.raises(ConfigError, match="two of gt, precomputed:theirs"):
        reread(run, engine="tesseract")
    with pytest.raises(ConfigError, match=r"--damage 'nothing': this run has garbage, .*cer"):
        reread(run, damage="nothing")
