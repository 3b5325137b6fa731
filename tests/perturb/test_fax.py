"""Fax: dots of the standard's size, black or white; lines are lost; boxes follow the ink."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from perturb.image.fax import Fax, FaxParams, scene_of
from tests.examples import examples

seeds = st.integers(0, 2**32)


def faxed(page, intensity=1.0, seed=0, **params):
    operator = Fax(FaxParams(**params))
    return operator.apply(page, intensity=intensity, rng=np.random.default_rng(seed))


def scene(intensity=1.0, seed=0, shape=(1754, 1240), **params):
    return scene_of(Fax().parse(faxed(np.zeros(shape, np.uint8), intensity, seed, **params).record))


@examples(40)
@given(
    at=st.tuples(st.floats(0.1, 0.7), st.floats(0.1, 0.7)),
    size=st.tuples(st.integers(20, 80), st.integers(20, 200)),
    intensity=st.floats(0.25, 1),
    seed=seeds,
)
def test_a_painted_box_ends_inside_its_moved_box_which_is_tight(at, size, intensity, seed):
    page = np.full((900, 700), 255, np.uint8)
    y, x = round(at[0] * 900), round(at[1] * 700)
    box = np.array([[x, y, x + size[1], y + size[0]]])
    # Dithering, in the other mode, differs all over the page.
    blank = faxed(page, intensity, seed, mode="text").value
    page[y : y + size[0], x : x + size[1]] = 0
    applied = faxed(page, intensity, seed, mode="text")
    inked = blank.astype(int) - applied.value > 120
    # Lost lines displace ink: most of a side counts.
    columns = np.nonzero(inked.sum(axis=0) > 0.4 * size[0])[0]
    rows = np.nonzero(inked.sum(axis=1) > 0.4 * size[1])[0]
    seen = [columns[0], rows[0], columns[-1] + 1, rows[-1] + 1]
    assert Fax().move(box, applied.record)[0] == pytest.approx(seen, abs=7)


@pytest.mark.parametrize(
    ("resolution", "intensity", "dots"),
    [
        ("standard", 1.0, (1686, 1146)),  # 204 x 98 per inch of a page at 150 dpi
        ("fine", 1.0, (1686, 2292)),
        ("standard", 0.5, (1860, 2292)),  # across, 1.5 dots per pixel
        ("fine", 0.25, (1860, 2631)),
    ],
)
def test_the_dots_have_the_size_of_the_standard(resolution, intensity, dots):
    assert scene(intensity, resolution=resolution).size == dots


@pytest.mark.parametrize("mode", ["text", "photo"])
def test_a_dot_is_black_or_white(mode):
    page = np.tile(np.linspace(0, 255, 408).astype(np.uint8), (392, 1))
    # At 204 dpi a pixel is a dot across; at 98 lines per inch, about two pixels down.
    value = faxed(page, mode=mode, dpi=204).value
    assert np.mean((value > 0) & (value < 255)) < 0.15
    shares = [(part > 127).mean() for part in np.array_split(value, 4, axis=1)]
    assert shares == sorted(shares)
    if mode == "photo":
        assert 0.02 < shares[2] < 0.98 or 0.02 < shares[1] < 0.98


def test_pages_are_sent_as_text_more_often_than_as_photographs():
    page = np.zeros((40, 40), np.uint8)
    modes = [faxed(page, 0.0, seed).record["mode"] for seed in range(200)]
    assert modes.count("text") / 200 == pytest.approx(0.7, abs=0.1)


@examples(30)
@given(low=st.floats(0, 1), high=st.floats(0, 1), seed=seeds)
def test_what_is_lost_at_less_intensity_is_lost_at_more(low, high, seed):
    few, many = (scene(i, seed) for i in sorted((low, high)))
    assert set(few.disturbances) <= set(many.disturbances)
    assert set(few.streaks) <= set(many.streaks)
    assert few.noise <= many.noise


@pytest.mark.slow
def test_a_lost_line_repeats_the_one_above_or_is_white_or_displaced():
    kinds = {lost.kind for seed in range(12) for lost in scene(seed=seed).disturbances}
    assert kinds == {"repeated", "white", "displaced"}
    worst = max(range(12), key=lambda seed: len(scene(seed=seed).disturbances))
    stripes = np.tile(np.array([0, 255], np.uint8).repeat(20), (1754, 31))
    value = faxed(stripes, seed=worst, mode="text").value
    rows = np.abs(np.diff(value.astype(int), axis=0)).mean(axis=1)
    assert (rows > 20).sum() >= 4


@pytest.mark.parametrize("params", [{"mode": "colour"}, {"resolution": "superb"}])
def test_other_modes_and_resolutions_are_refused(params):
    with pytest.raises(ValueError, match=next(iter(params))):
        FaxParams(**params)
