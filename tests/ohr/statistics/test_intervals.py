from __future__ import annotations

import math

import numpy as np
from scipy import stats

from ohr.statistics import NO_INTERVAL, Interval, bootstrap_interval


def test_agrees_with_scipy_when_every_value_is_a_document():
    values = np.random.default_rng(1).normal(size=200)
    units = np.arange(200)
    ours = bootstrap_interval(values, units, units, resamples=4000)
    theirs = stats.bootstrap((values,), np.mean, method="percentile", n_resamples=4000, rng=2)
    assert ours.unit == "document"
    assert math.isclose(ours.low, theirs.confidence_interval.low, abs_tol=0.02)
    assert math.isclose(ours.high, theirs.confidence_interval.high, abs_tol=0.02)


def test_clusters_widen_the_interval():
    rng = np.random.default_rng(0)
    documents = np.repeat(np.arange(20), 30)
    values = rng.normal(size=20)[documents] + 0.1 * rng.normal(size=600)
    clustered = bootstrap_interval(values, documents, np.arange(600))
    pretended = bootstrap_interval(values, np.arange(600), np.arange(600))
    assert clustered.high - clustered.low > 3 * (pretended.high - pretended.low)


def test_the_unit_falls_back_from_documents_to_pages_to_none():
    values = np.arange(12.0)
    assert bootstrap_interval(values, np.zeros(12), np.arange(12)).unit == "page"
    assert bootstrap_interval(values, np.arange(12), np.arange(12)).unit == "document"
    nothing = bootstrap_interval(values, np.zeros(12), np.zeros(12))
    assert nothing.unit == ""
    assert math.isnan(nothing.low)


def test_repeats_to_the_bit_and_holds_constants():
    values = np.full(30, 0.25)
    first = bootstrap_interval(values, np.arange(30), np.arange(30), seed=7)
    assert first == bootstrap_interval(values, np.arange(30), np.arange(30), seed=7)
    assert math.isclose(first.low, 0.25)
    assert math.isclose(first.high, 0.25)


def test_draws_may_be_infinite_and_few_may_be_undefined():
    draws = np.array([*np.linspace(0, 1, 60), *[np.inf] * 40])
    interval = Interval.of_draws(draws, "page")
    assert 0 <= interval.low < 0.1
    assert interval.high == math.inf
    few = np.array([1.0] * 96 + [np.nan] * 4)
    assert Interval.of_draws(few, "page") == Interval(1.0, 1.0, "page")
    assert Interval.of_draws(np.array([1.0] * 90 + [np.nan] * 10), "page") is NO_INTERVAL


def test_covers_the_mean_of_clustered_values_about_as_often_as_it_says():
    rng = np.random.default_rng(3)
    covered = 0
    for _ in range(200):
        sizes = rng.integers(1, 12, size=40)
        documents = np.repeat(np.arange(40), sizes)
        values = rng.normal(size=40)[documents] + rng.normal(size=len(documents))
        interval = bootstrap_interval(values, documents, documents, resamples=400)
        covered += interval.low <= 0 <= interval.high
    assert 0.88 <= covered / 200 <= 0.99
