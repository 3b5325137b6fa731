from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import isotonic_regression

from ohr.statistics.isotonic import falling_fits, rising_fit, rising_means

SHARE = st.floats(0, 1)
TIED = st.lists(st.tuples(st.integers(0, 6).map(lambda i: i / 6), SHARE), min_size=1, max_size=8)
APART = st.lists(st.tuples(SHARE, SHARE), min_size=1, max_size=8, unique_by=lambda point: point[0])


@given(TIED)
def test_falling_fits_are_scipys(points):
    x, y = np.array(points).T
    position, fit = falling_fits(np.array([x, x]), np.array([y, y / 2]))
    _, where, counts = np.unique(x, return_inverse=True, return_counts=True)
    means = np.bincount(where, weights=y) / counts
    theirs = isotonic_regression(means, weights=counts, increasing=False).x
    assert position.tolist() == [sorted(x)] * 2
    assert fit[0] == pytest.approx(np.repeat(theirs, counts))
    assert fit[1] == pytest.approx(fit[0] / 2)
    assert fit[0].mean() == pytest.approx(y.mean())
    assert (np.diff(fit) <= 0).all()


@given(APART)
def test_a_rising_fit_is_a_falling_one_upside_down(points):
    x, y = np.array(points).T
    position, fit = rising_fit(x, y)
    turned, fell = falling_fits(x[None], -y[None])
    assert position.tolist() == turned[0].tolist() == sorted(x)
    assert fit == pytest.approx(-fell[0])
    assert (np.diff(fit) >= 0).all()


@given(APART)
def test_points_that_rise_are_their_own_fit_to_the_last_digit(points):
    x, y = np.sort(np.array(points), axis=0).T
    assert rising_fit(x[::-1], y[::-1])[1].tolist() == y.tolist()


def test_points_at_one_place_count_as_their_mean():
    x, fit = rising_means(np.array([1.0, 0.0, 1.0, 2.0]), np.array([1.0, 0.0, 0.0, 0.2]))
    assert x.tolist() == [0.0, 1.0, 2.0]
    assert fit.tolist() == pytest.approx([0.0, 0.4, 0.4])  # .5 twice and .2 once
