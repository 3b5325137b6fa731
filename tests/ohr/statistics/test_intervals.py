from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from ohr.statistics import (
    DOCUMENT,
    NO_INTERVAL,
    PAGE,
    Clusters,
    Interval,
    jackknife_interval,
    mean_interval,
    percentile_interval,
)


def alone(n: int) -> Clusters:
    """Every value is a document."""
    return Clusters.from_labels(np.arange(n), np.arange(n))


def test_students_interval_when_every_value_is_a_document():
    values = np.random.default_rng(1).normal(size=7)
    ours = mean_interval(values, alone(7), bounded=False)
    theirs = stats.ttest_1samp(values, 0).confidence_interval()
    assert (ours.low, ours.high) == pytest.approx((theirs.low, theirs.high))
    assert ours.unit == DOCUMENT


def test_wilsons_interval_when_every_value_is_a_document_and_they_are_many():
    values = np.array([1.0] * 300 + [0.0] * 700)
    ours = mean_interval(values, alone(1000), bounded=True)
    theirs = stats.binomtest(300, 1000).proportion_ci(method="wilson")
    assert (ours.low, ours.high) == pytest.approx((theirs.low, theirs.high), abs=2e-4)


@pytest.mark.parametrize("value", [0.0, 1.0])
def test_all_or_nothing_has_a_width(value):
    clusters = Clusters.from_labels(np.repeat(np.arange(5), 20), np.arange(100))
    found = mean_interval(np.full(100, value), clusters, bounded=True)
    q = stats.t.ppf(0.975, 4) ** 2  # Wilson's end for 0 of 5, with Student's t for 5 documents
    expected = (0, q / (5 + q)) if value == 0 else (5 / (5 + q), 1)
    assert (found.low, found.high) == pytest.approx(expected)


@pytest.mark.parametrize("scores", [[0.1], [1 / 3], [0.7], [0.1, 0.2, 0.6], [0.5]])
def test_documents_of_one_mean_have_a_width_whatever_rounding_leaves_of_it(scores):
    size = len(scores)
    clusters = Clusters.from_labels(np.repeat(np.arange(10), size), np.arange(10 * size))
    found = mean_interval(np.tile(scores, 10), clusters, bounded=True)
    p, t = sum(scores) / size, stats.t.ppf(0.975, 9)
    middle = (p + t**2 / 20) / (1 + t**2 / 10)
    half = t * math.sqrt(p * (1 - p) / 10 + t**2 / 400) / (1 + t**2 / 10)
    assert (found.low, found.high) == pytest.approx((middle - half, middle + half))


def test_clusters_widen_the_interval():
    rng = np.random.default_rng(0)
    documents = np.repeat(np.arange(20), 30)
    values = rng.normal(size=20)[documents] + 0.1 * rng.normal(size=600)
    clustered = mean_interval(
        values, Clusters.from_labels(documents, np.arange(600)), bounded=False
    )
    pretended = mean_interval(values, alone(600), bounded=False)
    assert clustered.high - clustered.low > 3 * (pretended.high - pretended.low)


def test_a_large_document_leaves_fewer_degrees_of_freedom():
    equal = Clusters.from_labels(np.repeat(np.arange(6), 10), np.arange(60))
    assert equal.degrees_of_freedom() == pytest.approx(5)
    uneven = Clusters.from_labels(np.repeat(np.arange(6), [200, 2, 2, 2, 2, 2]), np.arange(210))
    assert 1 <= uneven.degrees_of_freedom() < 2.5


def test_the_unit_falls_back_from_documents_to_pages_to_none():
    values = np.arange(12.0)
    for documents, pages, unit in (
        (np.arange(12) % 3, np.arange(12), DOCUMENT),
        (np.arange(12) % 2, np.arange(12), PAGE),
        (np.zeros(12), np.arange(12) % 2, ""),
        (np.zeros(12), np.zeros(12), ""),
    ):
        found = mean_interval(values, Clusters.from_labels(documents, pages), bounded=False)
        assert found.unit == unit
        assert math.isnan(found.low) == (unit == "")


def test_the_jackknife_of_a_mean_is_the_interval_of_the_mean():
    rng = np.random.default_rng(5)
    values, owners = rng.random(40), rng.integers(0, 6, size=40)
    clusters = Clusters.from_labels(owners, owners)
    direct = mean_interval(values, clusters, bounded=False)
    through = jackknife_interval(values.mean(), clusters.means_without(values), clusters)
    assert (through.low, through.high) == pytest.approx((direct.low, direct.high))
    assert jackknife_interval(np.nan, clusters.means_without(values), clusters) is NO_INTERVAL


def test_means_without_each_cluster():
    values, owners = np.array([1.0, 2.0, 3.0, 10.0]), np.array([0, 0, 1, 2])
    clusters = Clusters.from_labels(owners, owners)
    assert clusters.means_without(values) == pytest.approx([6.5, 13 / 3, 2])
    both = clusters.means_without(np.stack([values, -values]))
    assert np.allclose(both, np.stack([clusters.means_without(values)] * 2, axis=1) * [1, -1])


scores = st.lists(st.tuples(st.integers(0, 5), st.floats(0, 1)), min_size=1, max_size=40)


@given(scores)
def test_a_mean_of_scores_has_an_interval_of_scores(found):
    owners, values = np.array([owner for owner, _ in found]), np.array([v for _, v in found])
    clusters = Clusters.from_labels(owners, owners)
    interval = mean_interval(values, clusters, bounded=True)
    if not clusters.unit:
        assert interval is NO_INTERVAL
        return
    assert 0 <= interval.low <= values.mean() <= interval.high <= 1
    if set(values) in ({0.0}, {1.0}):
        assert interval.high - interval.low > 0.1


def test_draws_may_be_infinite_and_few_may_be_undefined():
    many = alone(1000)
    draws = np.array([*np.linspace(0, 1, 60), *[np.inf] * 40])
    interval = percentile_interval(draws, many)
    assert 0 <= interval.low < 0.1
    assert interval.high == math.inf
    few = np.array([1.0] * 96 + [np.nan] * 4)
    assert percentile_interval(few, many) == Interval(1.0, 1.0, DOCUMENT)
    assert percentile_interval(np.array([1.0] * 90 + [np.nan] * 10), many) is NO_INTERVAL


def test_the_tails_of_few_clusters_are_farther_out():
    draws = np.random.default_rng(0).normal(size=4000)
    few, many = percentile_interval(draws, alone(6)), percentile_interval(draws, alone(600))
    assert few.high - few.low > 1.3 * (many.high - many.low)


@pytest.mark.parametrize("documents", [3, 6, 40])
def test_covers_the_mean_of_clustered_values_about_as_often_as_it_says(documents):
    rng = np.random.default_rng(3)
    covered = 0
    for _ in range(200):
        sizes = rng.integers(1, 12, size=documents)
        owners = np.repeat(np.arange(documents), sizes)
        values = rng.normal(size=documents)[owners] + rng.normal(size=len(owners))
        interval = mean_interval(values, Clusters.from_labels(owners, owners), bounded=False)
        covered += interval.low <= 0 <= interval.high
    assert 0.9 <= covered / 200 <= 0.99


def test_draws_of_the_noise_are_in_the_interval_over_documents():
    """A document's mean over draws differs from document to document for both reasons."""
    rng = np.random.default_rng(4)
    covered = 0
    for _ in range(300):
        owners = np.repeat(np.arange(8), 10)
        document = rng.normal(size=8)[owners]
        draws = document + 2 * rng.normal(size=(3, 8))[:, owners]
        interval = mean_interval(
            draws.mean(axis=0), Clusters.from_labels(owners, owners), bounded=False
        )
        covered += interval.low <= 0 <= interval.high
    assert 0.92 <= covered / 300 <= 0.98
