"""The share of a whole loss that each group of questions has."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ohr.analysis.attribution.loss_shares import group_losses, loss_shares
from ohr.analysis.attribution.loss_shares_report import losses_table, report_losses
from ohr.analysis.predictiveness.damage import damages
from ohr.statistics import Clusters

SOURCES = ("source:text", "source:table", "source:formula")


def shares_of(losses, sources, documents):
    clusters = Clusters.from_labels(documents, documents)
    groups = {"all": np.arange(len(losses))}
    groups |= {name: np.flatnonzero(sources == index) for index, name in enumerate(SOURCES)}
    return loss_shares(np.asarray(losses, dtype=float), groups, clusters)


@settings(deadline=None)
@given(st.integers(6, 40), st.integers(0, 10_000))
def test_shares_of_one_kind_add_up_and_are_those_of_the_sums(n, seed):
    rng = np.random.default_rng(seed)
    losses, sources = rng.normal(0.2, 0.5, n), rng.integers(0, 3, n)
    shares = shares_of(losses, sources, rng.integers(0, 5, n).astype(str))
    assert shares["all"].value == pytest.approx(1)
    assert sum(shares[name].value for name in SOURCES) == pytest.approx(1)
    for index, name in enumerate(SOURCES):
        whole = losses.sum()
        assert shares[name].value == pytest.approx(losses[sources == index].sum() / whole)
        interval = shares[name].interval
        assert not interval.unit or interval.low <= shares[name].value <= interval.high


def test_few_questions_that_lose_much_are_a_small_share_of_the_whole():
    losses = np.r_[np.full(90, 0.1), np.full(10, 0.5)]
    sources = np.r_[np.zeros(90), np.ones(10)]
    shares = shares_of(losses, sources, np.array([f"d{i % 10}" for i in range(100)]))
    assert shares["source:table"].value == pytest.approx(5 / 14)
    assert shares["source:text"].value == pytest.approx(9 / 14)
    assert shares["source:table"].interval.unit == "document"
    assert not shares["all"].interval.unit


def test_a_group_that_gained_has_a_negative_share():
    losses = np.r_[np.full(30, 0.2), np.full(30, -0.1)]
    sources = np.r_[np.zeros(30), np.ones(30)]
    shares = shares_of(losses, sources, np.array([f"d{i % 6}" for i in range(60)]))
    assert shares["source:text"].value == pytest.approx(2)
    assert shares["source:table"].value == pytest.approx(-1)


def test_no_share_of_nothing_and_no_interval_of_what_may_be_nothing():
    documents = np.array([f"d{i % 6}" for i in range(60)])
    sources = np.repeat([0, 1], 30)
    nothing = shares_of(np.zeros(60), sources, documents)
    assert all(np.isnan(nothing[name].value) for name in ("all", "source:text", "source:table"))
    open_sign = np.where(documents < "d3", 1.0, -0.9)
    unsure = shares_of(open_sign, sources, documents)
    assert np.isfinite(unsure["source:text"].value)
    assert not unsure["source:text"].interval.unit


@pytest.mark.slow
def test_an_engine_s_losses_by_kind_of_evidence(benchmark_runs, tmp_path, capsys):
    run = benchmark_runs[1]
    losses = group_losses(run)
    assert losses["condition"].nunique() == 1
    for _, rows in losses.groupby(["title", "chunker", "retriever", "reader"]):
        of_source = rows[rows["group"].str.startswith("source:")]
        whole = rows[rows["group"] == "all"].iloc[0]
        assert of_source["n"].sum() == whole["n"]
        assert (of_source["loss"] * of_source["n"]).sum() == pytest.approx(
            whole["loss"] * whole["n"]
        )
        if whole["loss"]:
            assert of_source["share"].sum() == pytest.approx(1)
    assert report_losses(run, tmp_path / "losses.csv")
    said = capsys.readouterr().out
    assert "loss per question" in said
    assert "add up to 100 %" in said
    assert len(pd.read_csv(tmp_path / "losses.csv")) == len(losses)
    assert losses_table("theirs", losses).row_count == losses["group"].str.startswith(
        ("all", "source:")
    ).sum()  # fmt: skip


@pytest.mark.slow
def test_losses_are_the_same_with_and_without_metrics_of_ocr(benchmark_runs):
    run = benchmark_runs[1]
    outcomes = [("retrieval", "lcs"), ("retrieval", "hit@2")]
    both = zip(damages([run], outcomes), damages([run], outcomes, with_metrics=False), strict=True)
    for whole, alone in both:
        names = [info.metric for info in whole.metrics]
        assert names
        assert alone.metrics == ()
        pd.testing.assert_frame_equal(whole.frame[list(alone.frame)], alone.frame)
        assert set(names).isdisjoint(alone.frame)


def test_nothing_is_said_where_there_is_nothing_to_compare(formatting_run, tmp_path):
    clean = formatting_run.rows[formatting_run.rows["noise"] == "none"]
    alone = type(formatting_run)(formatting_run.path, formatting_run.manifest, clean)
    assert not report_losses(alone.cache_values(drawn=clean), tmp_path / "losses.csv")
    assert not (tmp_path / "losses.csv").exists()
