"""A limit of the cost holds for engines and embeddings, too: it stops before they are paid."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from ohr.errors import ConfigError
from ohr.models.spending import limited_spending
from ohr.plugins import OcrBackend, Params
from ohr.scoring.budget import Budget
from ohr.study.run import run_study
from tests.builders import load_config, write_corpus
from tests.loopback import Server

PAGES = 8
ENGINE = "tests.ohr.study.test_paid_pages.PaidEngine"


class PaidParams(Params):
    """``page_price``: of one page, as it is declared. ``takes``: what a page does cost."""

    page_price: float = 0.0
    takes: float = 1.0


class PaidEngine(OcrBackend[PaidParams]):
    """Reads one sentence, for money."""

    name = "paid"

    def read(self, image: np.ndarray) -> str:
        return "Fact 0 is answer 0."

    def page_cost(self) -> float | None:
        return self.params.page_price or None

    def usage(self) -> dict[str, float]:
        return {"cost": self.params.takes}


@pytest.fixture
def corpus(tmp_path):
    return [*write_corpus(tmp_path, documents=2, pages=4), "stages=[ocr]"]


def engine(**params: float) -> str:
    return f"engines=[{json.dumps({'name': ENGINE, 'label': 'paid', 'params': params})}]"


def test_a_declared_price_stops_before_the_first_page(corpus, tmp_path):
    settings = [*corpus, engine(page_price=1.0), "max_cost=7.5"]
    with pytest.raises(ConfigError, match=r"would cost about 8\.00, more than 7\.5: nothing was"):
        run_study(load_config(settings), tmp_path / "run")
    run = run_study(load_config([*settings[:-1], "max_cost=8"]), tmp_path / "run")
    assert run.missing == []


def test_pages_that_cost_more_than_declared_stop_at_the_limit(corpus, tmp_path):
    settings = [*corpus, engine(page_price=1.0, takes=3.0), "max_cost=10"]
    with pytest.raises(ConfigError, match=r"9\.0000 of 10 is spent, and the next pages of 'paid'"):
        run_study(load_config(settings), tmp_path / "run")
    # Read pages stay: the next run pays for three more, and a higher limit finishes.
    with pytest.raises(ConfigError, match=r"more than 10: nothing was asked|9\.0000 of 10"):
        run_study(load_config(settings), tmp_path / "run")
    assert run_study(load_config([*settings[:-1], "max_cost=24"]), tmp_path / "run").missing == []


def test_an_engine_without_a_price_is_refused_beside_a_limit(corpus, tmp_path):
    with pytest.raises(ConfigError, match=r"'paid' are not known: set page_price.* \(0 if it is"):
        run_study(load_config([*corpus, engine(), "max_cost=1"]), tmp_path / "run")
    free = [*corpus, engine(page_price=0.0, takes=0.0), "max_cost=0"]
    assert run_study(load_config(free), tmp_path / "run").missing == []


def embeddings(server: Server, **params: Any) -> list[str]:
    server.answer = lambda request: (
        200,
        json.dumps(
            {
                "data": [
                    {"index": n, "embedding": [len(text), 1.0]}
                    for n, text in enumerate(request["input"])
                ],
                "usage": {"prompt_tokens": 100, "total_tokens": 100},
            }
        ).encode(),
        {},
    )
    params = {"model": "m", "base_url": server.url, "batch_size": 2, **params}
    retriever = {"name": "openai_embeddings", "params": params}
    return ["engines=[gt]", "stages=[retrieval]", f"retrievers=[{json.dumps(retriever)}]"]


def test_embeddings_stop_at_the_limit_and_go_on_from_there(server, tmp_path):
    corpus = write_corpus(tmp_path, documents=2, pages=4)
    settings = [*corpus, *embeddings(server, prompt_price=1e4)]  # 1 for each request
    with pytest.raises(ConfigError, match="the next requests of 'openai_embeddings' may cost more"):
        run_study(load_config([*settings, "max_cost=3"]), tmp_path / "run")
    sent = [text for request in server.requests for text in request["input"]]
    assert sent
    run = run_study(load_config([*settings, "max_cost=100"]), tmp_path / "run")
    assert run.missing == []
    sent = [text for request in server.requests for text in request["input"]]
    assert len(sent) == len(set(sent))  # nothing is paid twice


def test_embeddings_without_a_price_are_refused_beside_a_limit(server, tmp_path):
    corpus = write_corpus(tmp_path, documents=2, pages=2)
    with pytest.raises(ConfigError, match=r"set prompt_price, .* \(0 if it is free"):
        run_study(load_config([*corpus, *embeddings(server), "max_cost=1"]), tmp_path / "run")
    assert server.requests == []
    free = [*corpus, *embeddings(server, prompt_price=0), "max_cost=1"]
    assert run_study(load_config(free), tmp_path / "run").missing == []


def test_nothing_is_limited_outside_of_a_run(server):
    from ohr.models.spending import check_affordable, note_spending

    budget = Budget(1.0)
    check_affordable("any", 5.0)
    with limited_spending(budget):
        note_spending("any", 0.5)
        with pytest.raises(ConfigError, match=r"0\.5000 of 1 is spent"):
            check_affordable("any", 0.6)
    check_affordable("any", 5.0)
    assert budget.spent == 0.5
