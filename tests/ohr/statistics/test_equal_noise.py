"""The loss at a given amount of noise."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ohr.statistics.clusters import Clusters
from ohr.statistics.equal_noise import AnchoredCurve
from ohr.statistics.inference import Paired
from ohr.statistics.paired import compare_family


def curve_of(noise: np.ndarray, loss: np.ndarray, documents: np.ndarray) -> AnchoredCurve:
    pages = np.zeros(len(documents), dtype=int)
    return AnchoredCurve(noise, loss, Clusters.from_labels(documents, pages))


def drawn(seed: int, points: int = 3, documents: int = 20, slope: float = 0.5) -> AnchoredCurve:
    """Questions whose evidence is damaged or not; each damage costs ``slope`` on average."""
    rng = np.random.default_rng(seed)
    of = np.repeat(np.arange(documents), 3)
    frailty = np.repeat(rng.beta(2, 2, documents), 3)
    noise, loss = [np.zeros(len(of))], [np.zeros(len(of))]
    for place in range(1, points + 1):
        damaged = rng.uniform(size=len(of)) < frailty * place / points
        noise.append(damaged.astype(float))
        loss.append(damaged * (rng.uniform(size=len(of)) < slope))
    return curve_of(np.array(noise), np.array(loss), of)


@given(st.integers(0, 10_000), st.floats(0, 1))
def test_the_mean_of_the_values_is_the_curve_between_its_points(seed: int, share: float) -> None:
    curve = drawn(seed)
    start, end = curve.reach
    at = start + share * (end - start)
    values = curve.loss_at(at)
    assert values is not None
    means = curve.noise.mean(axis=1)
    order = np.argsort(means, kind="stable")
    x, first = np.unique(means[order], return_index=True)  # of equal noise the first point counts
    assert values.mean() == pytest.approx(np.interp(at, x, curve.loss.mean(axis=1)[order][first]))


def test_a_measured_point_has_its_own_loss() -> None:
    curve = drawn(3)
    for noise, loss in zip(curve.noise, curve.loss, strict=True):
        values = curve.loss_at(float(noise.mean()))
        assert values is not None
        assert values.mean() == pytest.approx(loss.mean())


def test_the_gap_is_the_distance_of_the_points_around() -> None:
    curve = drawn(3)
    means = np.sort(curve.noise.mean(axis=1))
    assert curve.gap_at(float(means[1:3].mean())) == pytest.approx(means[2] - means[1])
    assert curve.gap_at(float(means[1])) == 0
    assert curve.gap_at(float(means[-1]) + 0.1) == 0


@pytest.mark.parametrize("at", [-0.1, 0.99])
def test_nothing_is_said_beyond_what_was_measured(at: float) -> None:
    assert drawn(1).loss_at(at) is None


@pytest.mark.slow
def test_the_intervals_hold_the_true_loss() -> None:
    """The amount of noise is an estimate too; 95 % intervals hold in .95 of 400 draws, give or
    take two standard errors."""
    at, held = 0.3, 0
    for seed in range(400):
        curve = drawn(seed, documents=40)
        values = curve.loss_at(at)
        assert values is not None
        [tested] = compare_family([Paired(values, curve.clusters)])
        held += tested.interval.low <= 0.5 * at <= tested.interval.high
    assert held >= 0.93 * 400


@pytest.mark.slow
def test_equal_costs_are_seldom_called_different() -> None:
    """Two kinds of noise of other strengths, of the same questions, that cost the same."""
    shown = 0
    for seed in range(300):
        first, second = drawn(seed, 3, 40), drawn(seed + 1000, 5, 40)
        own, other = first.loss_at(0.3), second.loss_at(0.3)
        assert own is not None
        assert other is not None
        [tested] = compare_family([Paired(own - other, first.clusters)])
        shown += tested.p <= 0.05
    assert shown <= 0.08 * 300
