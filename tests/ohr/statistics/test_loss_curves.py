"""The fitted curve of the loss to noise, its band, and where a tenth is lost."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ohr.statistics.clusters import Clusters
from ohr.statistics.loss_curves import LossCurve, loss_curve, rising_line


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
    assert curve.low[0] == curve.high[0] == 0
    assert curve.x[0] == pytest.approx(0.1)
    assert curve.added[0] == 0


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


@pytest.mark.slow
def test_the_band_covers_the_true_curve_in_nine_of_ten_studies():
    truth = curve_of(0, documents=3000, resamples=2)
    covered = 0
    for seed in range(1, 41):
        curve = curve_of(seed)
        position = np.interp(curve.x, truth.x, truth.fit)
        inside = curve.x <= truth.x[-1]
        covered += bool(
            ((curve.low <= position + 1e-9) & (position <= curve.high + 1e-9))[inside].all()
        )
    assert covered >= 36


def test_where_a_tenth_is_lost_has_limits_from_the_band():
    curve = curve_of(3, documents=40)
    value, low, high = curve.noise_at_loss()
    assert 0 < low < value < high
    assert value == pytest.approx(0.6 * 0.1 / 0.4, abs=0.1)
    assert np.interp(value, curve.added, curve.fit) == pytest.approx(0.1 * curve.clean)


@settings(deadline=None)
@given(st.integers(0, 10_000), st.floats(0, 0.2))
def test_only_the_noise_above_the_clean_pages_counts(seed, more):
    noise, quality, clusters = study(seed)
    floor = np.zeros(noise.shape[1])
    one = loss_curve(noise, quality, floor, clusters, resamples=20)
    other = loss_curve(noise + more, quality, floor, clusters, resamples=20)
    np.testing.assert_allclose(one.added, other.added, atol=1e-9)
    np.testing.assert_allclose(one.high, other.high, atol=1e-6)
    np.testing.assert_allclose(one.noise_at_loss(), other.noise_at_loss(), atol=1e-6)
    np.testing.assert_allclose(one.x + more, other.x, atol=1e-9)


def equal_documents(losses: list[float], documents: int, questions: int) -> LossCurve:
    """Every document loses the same at noise .1, .2, .3 and so on."""
    n = documents * questions
    noise = np.array([np.full(n, 0.1 * step) for step in range(len(losses) + 1)])
    quality = np.array([np.full(n, 1 - loss) for loss in (0.0, *losses)])
    clusters = Clusters(np.repeat(np.arange(documents), questions), documents, "document")
    return loss_curve(noise, quality, np.zeros(n), clusters, resamples=200)


@pytest.mark.parametrize("documents", [5, 20, 80])
@pytest.mark.parametrize("losses", [[0, 0, 0.9], [0, 0.02, 0.4], [0.3, 0.3, 0.3]])
def test_an_interval_does_not_start_at_the_clean_pages_by_construction(losses, documents):
    few, many = (equal_documents(losses, documents, questions) for questions in (2, 40))
    assert few.low[0] == few.high[0] == 0
    value, low, high = few.noise_at_loss()
    assert 0 < low < value < high
    # How many questions a document has says nothing if all lose the same.
    np.testing.assert_allclose(few.noise_at_loss(), many.noise_at_loss(), atol=1e-5)


@pytest.mark.parametrize("documents", [5, 8, 20, 60])
def test_where_nothing_was_lost_documents_that_were_not_drawn_may_lose(documents):
    curve = equal_documents([0, 0, 0], documents, 3)
    assert (curve.fit == 0).all()
    unseen = 1 - 0.025 ** (1 / documents)
    assert unseen < 1.3 * curve.high[-1] < 2.2 * unseen


def test_the_band_covers_the_curve_where_whole_documents_are_lost():
    covered = 0
    for seed in range(60):
        rng = np.random.default_rng(seed)
        index = np.repeat(np.arange(14), rng.integers(1, 30, 14))
        fails = rng.random(14)
        noise, quality = [np.zeros(len(index))], [np.ones(len(index))]
        for intensity in (0.3, 0.7, 1.0):
            noise.append(np.full(len(index), intensity))
            quality.append(1.0 - (fails < 0.12 * intensity)[index])
        clusters = Clusters(index, 14, "document")
        floor = np.zeros(len(index))
        curve = loss_curve(np.array(noise), np.array(quality), floor, clusters, resamples=100)
        truth = 0.12 * curve.added
        covered += bool(((curve.low <= truth + 1e-9) & (truth <= curve.high + 1e-9)).all())
    assert covered >= 56


@settings(deadline=None)
@given(st.integers(0, 10_000))
def test_draws_of_a_level_count_as_their_mean(seed):
    noise, quality, clusters = study(seed)
    floor = np.zeros(noise.shape[1])
    levels = ["clean", *(step for step in range(4) for _ in range(3))]
    of_draws = loss_curve(noise, quality, floor, clusters, levels=levels, resamples=20)
    means = [np.vstack([v[:1], v[1:].reshape(4, 3, -1).mean(axis=1)]) for v in (noise, quality)]
    of_means = loss_curve(*means, floor, clusters, resamples=20)
    assert len(of_draws.points_x) == 12
    for name in ("x", "fit", "low", "high"):
        np.testing.assert_allclose(getattr(of_draws, name), getattr(of_means, name), atol=1e-6)


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


@pytest.mark.parametrize("start", [0.0, 0.2])
def test_a_line_alone_begins_where_its_noise_begins(start):
    noise = start + np.array([0.0, 0.25, 0.5])
    grid = start + np.array([0.0, 0.125, 0.25, 0.5])
    line = rising_line(noise, np.array([0.1, 0.3]), grid)
    np.testing.assert_allclose(line, [0.0, 0.05, 0.1, 0.3], atol=1e-12)
