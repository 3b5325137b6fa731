"""Shadow: light is only taken, smoothly, from one field a page."""

import tracemalloc

import cv2
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from perturb.image.shadow import Shadow, ShadowParams, ShadowRecord, darkness
from tests.examples import examples

seeds = st.integers(0, 2**32)


def shaded(page, intensity=1.0, seed=0, **params):
    operator = Shadow(ShadowParams(**params))
    return operator.apply(page, intensity=intensity, rng=np.random.default_rng(seed))


def field(shape, seed, scale=1.0):
    record = ShadowRecord(
        name="shadow", version="1", intensity=1.0, shape=shape, seed=seed, opacity=1.0, scale=scale
    )
    return darkness(record)


@examples(60)
@given(levels=st.tuples(st.floats(0, 1), st.floats(0, 1)).map(sorted), seed=seeds)
def test_a_stronger_shadow_is_darker_everywhere(levels, seed):
    page = np.random.default_rng(seed).integers(0, 256, (300, 220, 3), dtype=np.uint8)
    weak, strong = (shaded(page, level, seed).value for level in levels)
    assert (weak <= page).all()
    assert (strong <= weak).all()


@pytest.mark.parametrize("intensity", [0.25, 1.0])
@pytest.mark.parametrize("seed", range(8))
def test_the_opacity_is_the_one_field_scaled(seed, intensity):
    page = np.full((400, 300), 255, np.uint8)
    applied = shaded(page, intensity, seed)
    record = ShadowRecord.model_validate(applied.record)
    dark = darkness(record)[0][1:-1, 1:-1]  # the outer ring of nodes is not on the page
    lost = 1 - applied.value / 255
    assert lost.max() == pytest.approx(record.opacity * dark.max(), abs=0.03)
    assert lost.min() == pytest.approx(record.opacity * dark.min(), abs=0.03)
    assert record.opacity == pytest.approx(0.75 * intensity)


@examples(60)
@given(
    seed=st.integers(0, 2**53 - 1),
    shape=st.tuples(st.integers(32, 2500), st.integers(32, 2500)),
    scale=st.floats(0.2, 8),
)
def test_every_field_is_finite_within_bounds_and_soft(seed, shape, scale):
    dark, tint = field(shape, seed, scale)
    assert dark.dtype == np.float32
    assert np.isfinite(dark).all()
    assert dark.min() >= -1e-6
    assert dark.max() <= 1
    assert abs(tint) <= 0.05
    # No step between nodes is a hard edge.
    for axis in (0, 1):
        assert np.abs(np.diff(dark, axis=axis)).max() < 0.95


def test_edges_are_soft_at_the_usual_size():
    for seed in range(100):
        dark, _ = field((1754, 1240), seed)
        steepest = max(np.abs(np.diff(dark, axis=axis)).max() for axis in (0, 1))
        # Eight pixels between nodes; the sharpest edge takes 25 pixels, as 3t² - 2t³ rises.
        assert steepest < 8 / 25 * 1.5 + 0.02


@pytest.mark.slow
def test_pages_differ_in_kind():
    page = np.full((877, 620), 255, np.uint8)
    values = [shaded(page, seed=seed).value / 255 for seed in range(60)]
    shares = np.array([(value < value.max() * 0.6).mean() for value in values])
    assert np.mean(shares < 0.35) > 0.2  # a hand or a phone
    assert np.mean(shares > 0.4) > 0.1  # half the page
    assert 0.2 < np.min(values) < 0.35
    assert np.mean([value.max() for value in values]) > 0.9


def test_a_shadow_may_be_tinted_and_grey_pages_stay_grey():
    page = np.full((300, 220, 3), 255, np.uint8)
    bluer = redder = 0
    for seed in range(30):
        red, green, blue = shaded(page, seed=seed).value.reshape(-1, 3).astype(int).mean(0)
        assert abs(red - blue) < 20
        assert min(red, blue) <= green + 1 <= max(red, blue) + 2
        bluer, redder = bluer + (blue > red + 1), redder + (red > blue + 1)
    assert bluer > 5
    assert redder > 5
    grey = np.full((300, 220), 255, np.uint8)
    difference = shaded(grey, seed=4).value.astype(int) - shaded(page, seed=4).value[..., 1]
    assert not difference.any()


def test_a_shadow_looks_alike_at_any_resolution():
    small = shaded(np.full((300, 220), 255, np.uint8), seed=3, dpi=150).value
    large = shaded(np.full((1200, 880), 255, np.uint8), seed=3, dpi=600).value
    reduced = cv2.resize(large, (220, 300), interpolation=cv2.INTER_AREA)
    assert np.abs(reduced.astype(int) - small).max() <= 12


@pytest.mark.parametrize("threads", [1, 2, 7])
def test_the_bytes_do_not_depend_on_opencv_threads(threads):
    page = np.random.default_rng(0).integers(0, 256, (700, 500, 3), dtype=np.uint8)
    before = cv2.getNumThreads()
    expected = shaded(page, seed=1).value
    try:
        cv2.setNumThreads(threads)
        assert np.array_equal(shaded(page, seed=1).value, expected)
    finally:
        cv2.setNumThreads(before)


@pytest.mark.slow
def test_a_large_page_needs_little_memory_beside_the_result():
    page = np.full((6000, 5000, 3), 200, np.uint8)
    tracemalloc.start()
    shaded(page, seed=2, dpi=600)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 1.5 * page.nbytes


def test_ink_keeps_its_contrast_to_the_paper_around_it():
    page = np.full((600, 450), 250, np.uint8)
    page[::20] = 10
    for seed in range(20):
        out = shaded(page, seed=seed).value.astype(int)
        paper, ink = out[10::20], out[::20]
        assert (ink <= paper * 0.06 + 1).all()
        assert paper.min() > 50
