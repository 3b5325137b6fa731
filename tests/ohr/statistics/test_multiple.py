from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import false_discovery_control

from ohr.statistics import benjamini_hochberg, holm


def test_by_hand():
    p = np.array([0.01, 0.04, 0.03])
    # Holm: 3 x .01; then 2 x .03; then 1 x .04, which may not fall below .06.
    assert np.allclose(holm(p), [0.03, 0.06, 0.06])
    # Benjamini-Hochberg: 3/1 x .01; min(3/2 x .03, 3/3 x .04); 3/3 x .04.
    assert np.allclose(benjamini_hochberg(p), [0.03, 0.04, 0.04])
    assert np.allclose(holm(np.array([0.5, 0.6])), [1.0, 1.0])


def test_what_was_not_tested_stays_out_of_the_count():
    p = np.array([np.nan, 0.01, 0.04])
    assert np.allclose(holm(p), [np.nan, 0.02, 0.04], equal_nan=True)
    assert np.allclose(benjamini_hochberg(p), [np.nan, 0.02, 0.04], equal_nan=True)
    assert np.isnan(holm(np.array([np.nan]))).all()
    assert len(benjamini_hochberg(np.array([]))) == 0


@given(st.lists(st.floats(0, 1), min_size=1, max_size=20))
def test_corrections_only_raise_keep_the_order_and_holm_is_the_stricter(values):
    p = np.array(values)
    strict, mild = holm(p), benjamini_hochberg(p)
    assert (strict >= mild - 1e-12).all()
    assert (mild >= p - 1e-12).all()
    assert (strict <= 1).all()
    order = np.argsort(p, kind="stable")
    assert (np.diff(strict[order]) >= 0).all()
    assert (np.diff(mild[order]) >= -1e-12).all()


@given(st.lists(st.floats(0, 1), min_size=1, max_size=20))
def test_benjamini_hochberg_is_scipys_to_the_last_bit(values):
    p = np.array(values)
    assert np.array_equal(benjamini_hochberg(p), false_discovery_control(p))
