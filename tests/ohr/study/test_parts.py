"""A study in several processes: the same bytes, whatever becomes of the others."""

from __future__ import annotations

import os
import signal
import sys
from random import Random

import numpy as np
import pytest

import ohr
from ohr.errors import PluginError
from ohr.ocr.progress import Silent
from ohr.scoring.answers import Answering
from ohr.store.artefacts import ArtefactStore
from ohr.study.loading import load_dataset
from ohr.study.plan import make_plan
from ohr.study.run import run_study
from ohr.study.scoring import parts
from ohr.study.scoring.conditions import Scorer
from ohr.types import KnowledgeBase, Outcome
from tests.builders import load_config, write_corpus

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="copies are made on Linux alone")
FILES = ("rows.parquet", "cells.csv", "cases.zip", "problems.csv")
SETTINGS = (
    *("engines=[gt]", "noise=[formatting]", "levels=[severe]", "scope=document"),
    *("stages=[ocr,retrieval,overall]", "readers=[tests.fakes.FactReader]"),
)


@ohr.metric(of="hits")
def broken(case):
    """Fails on the questions of one document."""
    if case.question.doc_id == "law/doc1":
        raise ValueError("no such thing")
    return 1.0


class AtOnce(ohr.Metric):
    name = "at_once"
    of = "hits"

    def measure_many(self, cases, judge=None):
        return [Outcome.ok(1.0) for _ in cases]


@pytest.fixture
def corpus(tmp_path):
    return [*write_corpus(tmp_path), *SETTINGS]


@pytest.fixture(autouse=True)
def three_cores(monkeypatch):
    monkeypatch.setattr("ohr.study.plan.FEWEST_UNITS", 0)
    monkeypatch.setattr(parts, "spare_cores", lambda workers: min(workers, 3) - 1)


def study(settings, out, *more):
    run_study(load_config([*settings, f"cache={out}-cache", *more]), out, progress=Silent())
    return {name: (out / name).read_bytes() for name in FILES}


@pytest.mark.slow
def test_several_processes_write_the_bytes_of_one(corpus, tmp_path):
    retrievers = "retrievers=[bm25,page,{name: hybrid, params: {retrievers: [bm25,bm25]}}]"
    shared = study(corpus, tmp_path / "shared", retrievers, "workers=3")
    assert shared == study(corpus, tmp_path / "alone", retrievers)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_no_order_of_steps_changes_a_byte(seed, corpus, tmp_path, monkeypatch):
    settings = [*corpus, "retrievers=[bm25,page]", "ks=[1,3]"]
    expected = study(settings, tmp_path / "alone")
    in_order = parts.steps

    def shuffled(scorer, variant, kb):
        keyed = list(in_order(scorer, variant, kb))
        Random(seed).shuffle(keyed)
        return iter(keyed)

    monkeypatch.setattr(parts, "steps", shuffled)
    assert study(settings, tmp_path / "shared", "workers=3") == expected


def test_a_step_that_nobody_takes_does_not_end_up_in_the_next_variant(corpus, tmp_path):
    config = load_config([*corpus, "workers=3", f"cache={tmp_path / 'cache'}"])
    plan = make_plan(config, load_dataset(config))
    store = ArtefactStore(config.cache)
    clean, noisy = plan.variants[0], plan.variants[-1]
    pages = plan.dataset.pages.items()
    kb = {
        added: KnowledgeBase({ref: Outcome.of_text(page.text + added) for ref, page in pages})
        for added in ("", " and more")
    }
    shared = parts.make_scorer(plan, store, Answering(store))
    alone = Scorer(plan, store, Answering(store))
    try:
        assert isinstance(shared, parts.SharedScorer)
        shared.ocr(clean, kb[""])  # and no ranking is asked for
        for scores, expected in zip(
            shared.ocr(noisy, kb[" and more"]), alone.ocr(noisy, kb[" and more"]), strict=True
        ):
            assert scores.metric == expected.metric
            assert np.array_equal(scores.values, expected.values, equal_nan=True)
        with pytest.raises(RuntimeError, match="nothing is scored under"):
            shared._scored[0].take(("retrieval", "tokens", "bm25", 9))
    finally:
        shared.close()


def test_every_scope_is_in_one_part(corpus):
    config = load_config(corpus)
    plan = make_plan(config, load_dataset(config))
    split = parts._parts(plan, 3)
    assert len(split) == 3
    assert sorted(ref for part in split for ref in part.reread) == sorted(plan.reread)
    scopes = [scope for part in split for scope in part.units.scopes]
    assert sorted(scopes) == sorted(plan.units.scopes)
    assert sum(len(part.questions) for part in split) == len(plan.questions)


def test_a_retriever_with_a_model_is_not_copied(corpus):
    config = load_config([*corpus, "retrievers=[bm25,tests.ohr.study.test_retrievers.Spy]"])
    plan = make_plan(config, load_dataset(config))
    assert parts._parts(plan, 3) == [plan]


def test_a_metric_that_takes_all_cases_at_once_is_not_copied(corpus):
    config = load_config([*corpus, f"metrics=[default,{__name__}.AtOnce]"])
    plan = make_plan(config, load_dataset(config))
    assert parts._parts(plan, 3) == [plan]


@pytest.mark.slow
def test_a_refused_copy_is_done_without(corpus, tmp_path, monkeypatch):
    def refuse(*args):
        raise OSError("no more processes")

    monkeypatch.setattr(parts, "Copy", refuse)
    shared = study(corpus, tmp_path / "shared", "workers=3")
    assert shared == study(corpus, tmp_path / "alone")


def killed():
    os.kill(os.getpid(), signal.SIGKILL)


@pytest.mark.slow
@pytest.mark.parametrize("method", ["ocr", "retrieve", "retrieval"])
@pytest.mark.parametrize("end", [killed, signal.pause])
def test_a_copy_that_is_lost_changes_nothing(end, method, corpus, tmp_path, monkeypatch):
    expected = study(corpus, tmp_path / "alone")
    here, whole = os.getpid(), getattr(Scorer, method)

    def ended(*args):
        if os.getpid() != here:
            end()
        return whole(*args)

    monkeypatch.setattr(parts, "PATIENCE_S", 0.5)
    monkeypatch.setattr(Scorer, method, ended)
    assert study(corpus, tmp_path / "shared", "workers=3") == expected


def test_an_error_of_a_plug_in_is_told_as_ever(corpus, tmp_path):
    with pytest.raises(PluginError, match=r"metric .*broken.*: ValueError: no such thing"):
        study(corpus, tmp_path / "run", "workers=3", f"metrics=[default,{__name__}.broken]")
