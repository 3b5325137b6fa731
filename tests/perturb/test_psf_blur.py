"""Blur: a hundred kernels that keep the light, differ, and fade out smoothly."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from perturb.image.psf_blur import KERNELS, SEVERE_RADIUS, PsfBlur, PsfBlurParams, psf
from tests.examples import examples

kernel_numbers = st.integers(0, KERNELS - 1)


def text_page():
    page = np.full((160, 120), 250, np.uint8)
    page[20:140:10, 15:105] = 15
    page[:, 60] = 90
    return page


def blurred(page, kernel, intensity):
    applied = PsfBlur().apply(page, intensity=intensity, rng=np.random.default_rng(0))
    return PsfBlur().replay(page, applied.record | {"kernel": kernel})


@pytest.mark.parametrize("radius", [0.0, 0.1, 1.0, SEVERE_RADIUS, 6.0])
def test_kernels_are_light_spread_about_their_centre(radius):
    for index in range(KERNELS):
        kernel = psf(index, radius)
        side = kernel.shape[0]
        assert kernel.shape == (side, side)
        assert side % 2 == 1
        assert kernel.dtype == np.float32
        assert kernel.min() >= 0
        assert kernel.sum(dtype=np.float64) == pytest.approx(1, abs=1e-6)
        assert np.allclose(kernel, kernel[::-1, ::-1], atol=1e-6)


def test_a_hundred_kernels_are_all_distinct():
    radius = 2 * SEVERE_RADIUS
    side = max(psf(index, radius).shape[0] for index in range(KERNELS))
    padded = [np.pad(k, (side - len(k)) // 2) for k in (psf(i, radius) for i in range(KERNELS))]
    flat = np.array(padded).reshape(KERNELS, -1)
    distance = np.abs(flat[:, None] - flat[None]).sum(2) + 2 * np.eye(KERNELS)
    assert distance.min() > 0.01


def test_every_kernel_is_drawn():
    page = text_page()
    records = (
        PsfBlur().apply(page, intensity=0, rng=np.random.default_rng(seed)).record["kernel"]
        for seed in range(1500)
    )
    assert set(records) == set(range(KERNELS))


def test_the_width_of_a_kernel_is_the_one_asked_for():
    widths = []
    for index in range(KERNELS):
        kernel = psf(index, 4.0).astype(float)
        half = len(kernel) // 2
        y, x = np.indices(kernel.shape) - half
        widths.append(np.sqrt((kernel * (x**2 + y**2)).sum()))
    assert np.mean(widths) == pytest.approx(4.0, rel=0.05)
    assert min(widths) > 2.9
    assert max(widths) < 5.2


@examples(40)
@given(index=kernel_numbers, radius=st.floats(0, 6), step=st.floats(0, 0.01))
def test_kernels_are_continuous_in_the_radius(index, radius, step):
    narrow, wide = psf(index, radius), psf(index, radius + step)
    narrow = np.pad(narrow, (len(wide) - len(narrow)) // 2)
    assert np.abs(wide - narrow).sum() <= 8 * step + 1e-5


@examples(20)
@given(index=kernel_numbers)
def test_a_point_stays_a_point_at_radius_zero(index):
    kernel = psf(index, 0.0)
    assert kernel[len(kernel) // 2, len(kernel) // 2] == 1
    assert kernel.sum() == 1


@pytest.mark.parametrize("kernel", [0, 1, 2, 3, 97])
def test_the_blur_grows_from_nothing(kernel):
    page = text_page()
    change = [
        np.abs(blurred(page, kernel, level).astype(int) - page).mean()
        for level in (0.0, 0.001, 0.01, 0.25, 0.5, 1.0)
    ]
    assert change[0] == 0
    assert change[1] <= 1
    assert change[2] <= 2
    assert change == sorted(change)
    assert change[-1] > 2


@pytest.mark.parametrize("kernel", [0, 1, 2, 3, 50, 99])
def test_mean_brightness_is_kept(kernel):
    page = text_page()
    assert blurred(page, kernel, 1.0).mean() == pytest.approx(page.mean(), abs=1.0)
    blank = np.full((64, 64, 3), 255, np.uint8)
    assert np.array_equal(blurred(blank, kernel, 1.0), blank)


def test_the_radius_follows_the_resolution():
    page = text_page()
    position = {
        dpi: PsfBlur(PsfBlurParams(dpi=dpi)).apply(page, intensity=1, rng=np.random.default_rng(3))
        for dpi in (75, 150, 300)
    }
    radii = {dpi: applied.record["radius"] for dpi, applied in position.items()}
    assert radii == {75: SEVERE_RADIUS / 2, 150: SEVERE_RADIUS, 300: SEVERE_RADIUS * 2}
