from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ohr.statistics import Clusters, NoiseCurve, curve_statistics

N = 20


def curve(points: list[tuple[float, float]], floor: float = 0.0) -> NoiseCurve:
    """Means as given: each level's first questions are damaged, all have its quality."""
    noise = np.array([[i < round(x * N) for i in range(N)] for x, _ in points], dtype=float)
    quality = np.array([[y] * N for _, y in points])
    units = np.arange(N)
    return NoiseCurve(noise, quality, np.full(N, floor), Clusters.from_labels(units, units))


def values(found, *names: str) -> list[float]:
    return [getattr(found, name).value for name in names]


def test_a_straight_line_by_hand():
    found = curve_statistics(curve([(0, 1), (0.5, 0.5), (1, 0)]))
    assert values(found, "area", "mean_retention", "slope") == pytest.approx([0.5, 0.5, -1])
    assert values(found, "breakpoint", "retention", "worst") == pytest.approx([0.1, 0.7, 0])
    assert (found.worst_levels, found.x_from, found.x_to, found.n) == ((2,), 0, 1, N)


def test_height_is_counted_above_the_floor():
    found = curve_statistics(curve([(0, 1), (0.5, 0.5), (1, 0)], floor=0.2))
    # Area .5 - .2; of .8 at every r_noise; a tenth of .8 is lost at .08; (.7 - .2) / .8 at .3.
    assert values(found, "area", "mean_retention") == pytest.approx([0.3, 0.375])
    assert values(found, "breakpoint", "retention") == pytest.approx([0.08, 0.625])
    assert (found.clean, found.floor) == pytest.approx((1, 0.2))


def test_a_bump_is_levelled():
    found = curve_statistics(curve([(0, 1), (0.2, 0.6), (0.4, 0.8), (0.6, 0.4)]))
    # The fit is 1, .7, .7, .4. The loss curve passes a block at its middle, .3: a tenth at .1.
    assert values(found, "breakpoint", "retention") == pytest.approx([0.1, 0.7])
    assert found.area.value == pytest.approx(0.17 + 0.14 + 0.11)
    assert values(found, "worst") == pytest.approx([0.4])


def test_what_was_not_measured_is_not_guessed():
    found = curve_statistics(curve([(0.5, 1), (0.6, 0.95), (0.7, 0.92)]))
    assert found.breakpoint.value == math.inf
    assert math.isnan(found.retention.value)
    assert math.isnan(found.retention.interval.low)
    below_floor = curve_statistics(curve([(0, 0.1), (0.5, 0.1)], floor=0.1))
    assert math.isnan(below_floor.mean_retention.value)
    assert math.isnan(below_floor.breakpoint.value)
    flat = curve_statistics(curve([(0.4, 1), (0.4, 0.5)]))
    assert math.isnan(flat.slope.value)
    assert flat.area.value == 0


def test_the_order_of_the_noisy_levels_does_not_matter():
    points = [(0.1, 0.9), (0.3, 0.5), (0.2, 0.7), (0.6, 0.1)]
    one = curve_statistics(curve(points))
    other = curve_statistics(curve([points[0], *reversed(points[1:])]))
    for name in ("area", "slope", "breakpoint", "retention"):
        assert getattr(one, name).value == pytest.approx(getattr(other, name).value)


def random_curve(rng: np.random.Generator, documents: int, each: int) -> NoiseCurve:
    """Quality falls by .5 for each damaged question; documents differ in both."""
    owner = np.repeat(np.arange(documents), each)
    threshold = rng.random(documents)[owner] * 0.5 + rng.random(len(owner)) * 0.5
    noise = np.array([threshold < level for level in (0.1, 0.4, 0.7)], dtype=float)
    level = 0.7 + 0.1 * rng.normal(size=documents)[owner] + 0.1 * rng.normal(size=len(owner))
    return NoiseCurve(
        noise, level - 0.5 * noise, np.zeros(len(owner)), Clusters.from_labels(owner, owner)
    )


@pytest.mark.slow
def test_the_interval_of_the_slope_covers_it():
    rng = np.random.default_rng(2)
    for _ in range(20):  # quality is a straight line in r_noise, whatever was drawn
        found = curve_statistics(random_curve(rng, 30, 5), resamples=200).slope
        assert found.value == pytest.approx(-0.5)
        assert (found.interval.low, found.interval.high) == pytest.approx((-0.5, -0.5))
    covered = 0
    for _ in range(60):
        found = curve_statistics(random_curve(rng, 30, 5), resamples=200).worst
        covered += found.interval.low <= 0.7 - 0.5 * 0.82 <= found.interval.high
    assert covered >= 48  # P(threshold < .7) = .82


def test_an_interval_of_a_breakpoint_may_reach_never():
    rng = np.random.default_rng(0)
    n = 40
    noise = np.array([np.zeros(n), rng.random(n) < 0.5], dtype=float)
    quality = np.array([np.ones(n), 1 - 0.2 * noise[1]])
    found = curve_statistics(
        NoiseCurve(noise, quality, np.zeros(n), Clusters.from_labels(np.arange(n), np.arange(n)))
    )
    assert found.breakpoint.interval.low < 0.6
    assert found.breakpoint.interval.high == math.inf


def test_the_worst_of_noisy_levels_is_not_the_lowest_by_chance():
    found = curve_statistics(curve([(0, 0.9), (0.3, 0.5), (0.6, 0.7)]))
    assert found.worst.value == pytest.approx(0.6)
    assert found.worst_levels == (1, 2)


def test_the_interval_of_a_breakpoint_is_where_the_band_of_losses_reaches_a_tenth():
    rng = np.random.default_rng(8)
    for _ in range(20):
        found = curve_statistics(random_curve(rng, 4, 3), resamples=100)
        interval = found.breakpoint.interval
        if interval.unit:
            assert 0 < interval.low <= found.breakpoint.value <= interval.high
            assert interval.high <= found.x_to or interval.high == math.inf
        assert 0 <= found.worst.interval.low <= found.worst.interval.high <= 1


def test_areas_are_comparable_over_the_range_that_curves_share():
    """One straight line, measured from 0 to .8 and from .2 to 1."""
    one = curve([(0, 1), (0.4, 0.6), (0.8, 0.2)])
    other = curve([(0.2, 0.8), (0.6, 0.4), (1, 0)])
    areas = [curve_statistics(c, common=(0.2, 0.8)).common_area.value for c in (one, other)]
    assert areas == pytest.approx([0.3, 0.3])
    assert curve_statistics(one).area.value != pytest.approx(curve_statistics(other).area.value)
    assert math.isnan(curve_statistics(one).common_area.value)


levels = st.lists(
    st.tuples(st.integers(0, 6).map(lambda i: i / 6), st.floats(0, 1, allow_subnormal=False)),
    min_size=2,
    max_size=7,
)


@given(levels, st.floats(0, 0.5))
def test_statistics_keep_their_bounds(points, floor):
    found = curve_statistics(curve(points, floor), resamples=100)
    x = [round(p[0] * N) / N for p in points]
    y = [p[1] for p in points]
    assert min(y) - 1e-9 <= found.worst.value <= max(y) + 1e-9
    if math.isfinite(found.breakpoint.value):
        assert 0 < found.breakpoint.value <= max(x) - x[0] + 1e-9
    assert math.isnan(found.retention.value) == (
        not min(x) <= 0.3 <= max(x) or points[0][1] - floor <= 1e-12
    )
