"""The interval of a ratio of two means."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ohr.statistics import Clusters
from ohr.statistics.intervals import mean_interval
from ohr.statistics.ratios import ratio_interval


def losses(
    seed: int, documents: int = 12, below: float = 0.2
) -> tuple[np.ndarray, np.ndarray, Clusters]:
    rng = np.random.default_rng(seed)
    owner = np.repeat(np.arange(documents), rng.integers(1, 9, documents))
    shared = rng.normal(below, 0.1, documents)[owner]
    above, under = (shared + rng.normal(0, 0.3, len(owner)) for _ in range(2))
    return above, under, Clusters(owner, documents, "document")


@given(st.integers(0, 10_000), st.floats(-3, 3))
def test_it_holds_the_ratios_at_which_the_difference_may_be_0(seed, ratio):
    above, below, clusters = losses(seed)
    interval = ratio_interval(above, below, clusters)
    difference = mean_interval(above - ratio * below, clusters, bounded=False)
    may_be_0 = difference.low <= 0 <= difference.high
    if np.isfinite(interval.low):
        near = min(abs(ratio - interval.low), abs(ratio - interval.high)) < 1e-6
        assert near or (interval.low <= ratio <= interval.high) == may_be_0
    elif may_be_0:
        assert interval.low <= ratio <= interval.high


@given(st.integers(0, 10_000), st.floats(0.01, 100))
def test_it_scales_with_the_numerator(seed, factor):
    above, below, clusters = losses(seed, below=0.5)
    one, other = (ratio_interval(f * above, below, clusters) for f in (1.0, factor))
    assert other.low == pytest.approx(factor * one.low)
    assert other.high == pytest.approx(factor * one.high)


@pytest.mark.parametrize("below", [0.2, 0.0])
def test_it_is_bounded_if_the_denominator_is_not_0(below):
    for seed in range(20):
        above, under, clusters = losses(seed, below=below)
        own = mean_interval(under, clusters, bounded=False)
        interval = ratio_interval(above, under, clusters)
        assert np.isfinite(interval.low) == (own.low > 0 or own.high < 0)
        assert interval.unit == "document"


def test_equal_losses_have_the_ratio_1_exactly_and_few_documents_no_interval():
    _, below, clusters = losses(1, below=0.5)
    interval = ratio_interval(below, below, clusters)
    assert (interval.low, interval.high) == pytest.approx((1, 1))
    none = Clusters(np.zeros(len(below), int), 1, "")
    assert ratio_interval(below, below, none).unit == ""
