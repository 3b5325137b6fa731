"""The fitted curve of the loss to noise, its band, and where a tenth is lost."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ohr.statistics.clusters import Clusters
from ohr.statistics.loss_curves import LossCurve, loss_curve


def study(seed: int, documents: int = 12, intensities: int = 4, draws: int = 3, cost: float = 0.4):
    """Noise and quality of four questions in each document; the mean loss is cost times noise."""
    rng = np.random.default_rng(seed)
    n = 4 * documents
    index = np.repeat(np.arange(documents), 4)
    clean = (rng.random(n) < 0.8).astype(float)
    noise, quality = [np.full(n, 0.1)], [clean]
    for step in range(1, intensities + 1):
        for _ in range(draws):
            amount = step / intensities * rng.gamma(8, 1 / 8, documents)[index]
            noise.append(np.clip(0.1 + 0.6 * amount, 0, 1))
            quality.append(np.where(rng.random(n) < np.clip(cost * amount, 0, 1), 0, clean))
    return np.array(noise), np.array(quality), Clusters(index, documents, "document")


def curve_of(seed: int, resamples: int = 200, **given: float) -> LossCurve:
    noise, quality, clusters = study(seed, **given)
    floor = np.zeros(noise.shape[1])
    return loss_curve(noise, quality, floor, clusters, resamples=resamples)


@settings(deadline=None)  # SciPy is imported at the first call
@given(st.integers(0, 10_000))
def test_a_curve_starts_at_no_loss_rises_and_lies_in_its_band(seed):
    curve = curve_of(seed, resamples=40)
    assert curve.fit[0] == 0
    for line in (curve.fit, curve.low, curve.high):
        assert (np.diff(line) >= -1e-12).all()
    assert (curve.low <= curve.fit + 1e-12).all()
    assert (curve.fit <= curve.high + 1e-12).all()
    assert curve.x[0] == pytest.approx(0.1)
    assert curve.x[-1] == pytest.approx(curve.points_x.max())


@settings(deadline=None)
@given(st.integers(0, 10_000), st.permutations(range(1, 13)))
def test_the_order_of_draws_does_not_matter(seed, order):
    noise, quality, clusters = study(seed)
    floor = np.zeros(noise.shape[1])
    rows = [0, *order]
    one = loss_curve(noise, quality, floor, clusters, resamples=20)
    other = loss_curve(noise[rows], quality[rows], floor, clusters, resamples=20)
    np.testing.assert_allclose(one.fit, other.fit, atol=1e-9)
    np.testing.assert_allclose(one.low, other.low, atol=1e-5)


def test_the_band_covers_the_true_curve_in_nine_of_ten_studies():
    truth = curve_of(0, documents=3000, resamples=2)
    covered = 0
    for seed in range(1, 41):
        curve = curve_of(seed)
        at = np.interp(curve.x, truth.x, truth.fit)
        inside = curve.x <= truth.x[-1]
        covered += bool(((curve.low <= at + 1e-9) & (at <= curve.high + 1e-9))[inside].all())
    assert covered >= 36


def test_where_a_tenth_is_lost_has_limits_from_the_band():
    curve = curve_of(3, documents=40)
    value, low, high = curve.noise_at_loss()
    assert 0.1 < low < value < high
    assert value == pytest.approx(0.1 + 0.6 * 0.1 / 0.4, abs=0.1)
    assert np.interp(value, curve.x, curve.fit) == pytest.approx(0.1 * curve.clean)


def test_what_is_never_lost_is_not_reached():
    curve = curve_of(3, documents=40, cost=0.0)
    assert curve.noise_at_loss()[0] == np.inf
    assert curve.noise_at_loss()[2] == np.inf
    assert (curve.fit == 0).all()
    assert curve.high[-1] > 0


def test_without_clusters_there_is_no_band():
    noise, quality, clusters = study(1)
    none = Clusters(np.zeros_like(clusters.index), 1, "")
    curve = loss_curve(noise, quality, np.zeros(noise.shape[1]), none)
    assert np.isnan(curve.low).all()
    assert np.isnan(curve.noise_at_loss()[1:]).all()


def test_an_axis_that_does_not_see_the_noise_has_no_curve_and_no_break():
    noise, quality, clusters = study(1)
    noise[1:] = 0.05
    curve = loss_curve(noise, quality, np.zeros(noise.shape[1]), clusters, resamples=20)
    assert curve.left_out == len(noise) - 1
    assert np.isnan([*curve.fit, *curve.low, *curve.high]).all()
    assert np.isnan(curve.noise_at_loss()).all()


def test_draws_with_no_more_noise_than_clean_are_counted_and_left_out():
    noise, quality, clusters = study(1)
    floor = np.zeros(noise.shape[1])
    more_noise = np.vstack([noise, np.full((2, noise.shape[1]), 0.05)])
    more_quality = np.vstack([quality, np.zeros((2, noise.shape[1]))])
    one = loss_curve(noise, quality, floor, clusters, resamples=20)
    other = loss_curve(more_noise, more_quality, floor, clusters, resamples=20)
    assert (one.left_out, other.left_out) == (0, 2)
    np.testing.assert_allclose(one.fit, other.fit, atol=1e-9)


def test_a_clean_row_alone_is_refused():
    noise, quality, clusters = study(1)
    with pytest.raises(ValueError, match="at least one draw"):
        loss_curve(noise[:1], quality[:1], np.zeros(noise.shape[1]), clusters)
