"""Levene, Student or Welch, Cohen's d: against scipy's own formulas and by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from ohr.statistics import compare_samples

NORMAL = np.random.default_rng(0).normal


def test_equal_variances_are_tested_as_student_did() -> None:
    first = NORMAL(0.5, 0.01, 40)
    second = first[::-1] + 0.01
    tested = compare_samples(first, second)
    assert tested.test == "student"
    pooled = math.sqrt((first.var(ddof=1) + second.var(ddof=1)) / 2)
    d = (second.mean() - first.mean()) / pooled
    assert tested.cohens_d == pytest.approx(d)
    assert tested.p == pytest.approx(2 * stats.t.sf(d * math.sqrt(20), 78))
    half = stats.t.isf(0.025, 78) * pooled / math.sqrt(20)
    assert (tested.low, tested.high) == pytest.approx(
        (tested.difference - half, tested.difference + half)
    )
    assert tested.is_significant


def test_unequal_variances_are_tested_as_welch_did() -> None:
    first, second = NORMAL(0.5, 0.001, 40), NORMAL(0.5, 0.05, 40)
    tested = compare_samples(first, second)
    assert (tested.test, tested.levene_p < 0.05) == ("welch", True)
    a, b = first.var(ddof=1) / 40, second.var(ddof=1) / 40
    t = (second.mean() - first.mean()) / math.sqrt(a + b)
    freedom = (a + b) ** 2 / (a**2 / 39 + b**2 / 39)
    assert tested.p == pytest.approx(2 * stats.t.sf(abs(t), freedom))


@pytest.mark.parametrize(("value", "other"), [(0.1, 0.2), (0.7, 0.6), (0.3, 0.3)])
@pytest.mark.parametrize("runs", [(3, 3), (3, 10), (7, 6)])
def test_rounding_of_equal_runs_is_no_variance(
    value: float, other: float, runs: tuple[int, int]
) -> None:
    tested = compare_samples(np.full(runs[0], value), np.full(runs[1], other))
    assert (tested.test, tested.is_significant) == ("none", False)
    assert math.isnan(tested.p)
    assert math.isnan(tested.cohens_d)
    assert tested.difference == (0 if value == other else pytest.approx(other - value))


def test_equal_runs_leave_nothing_to_test() -> None:
    for first, second in (([0.5] * 40, [0.6] * 40), ([0.5], [0.5]), ([0.1, 0.2], [0.3])):
        tested = compare_samples(np.array(first), np.array(second))
        assert tested.test == "none"
        assert math.isnan(tested.p)
        assert not tested.is_significant


@given(
    st.lists(st.floats(0, 1), min_size=3, max_size=20),
    st.lists(st.floats(0, 1), min_size=3, max_size=20),
)
def test_the_order_turns_signs_alone(first: list[float], second: list[float]) -> None:
    one = compare_samples(np.array(first), np.array(second))
    other = compare_samples(np.array(second), np.array(first))
    assert one.test == other.test
    assert one.difference == -other.difference
    if one.test != "none":
        assert one.p == pytest.approx(other.p, abs=1e-9, nan_ok=True)
        assert one.cohens_d == pytest.approx(-other.cohens_d, nan_ok=True)
