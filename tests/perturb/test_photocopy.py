"""Photocopy: black and white, worse with each copy, boxes follow the ink."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from perturb.image.photocopy import Photocopy, PhotocopyParams, scene_of
from tests.examples import examples

seeds = st.integers(0, 2**32)


def lines(shape=(600, 450)):
    page = np.full(shape, 250, np.uint8)
    page[60:540:14, 40:410] = 30
    return page


def copied(page, intensity=1.0, seed=0, **params):
    operator = Photocopy(PhotocopyParams(**params))
    return operator.apply(page, intensity=intensity, rng=np.random.default_rng(seed))


def scene(intensity, seed=0, generations=3):
    applied = copied(lines((40, 40)), intensity, seed, generations=generations)
    return scene_of(Photocopy().parse(applied.record))


@examples(40)
@given(
    at=st.tuples(st.floats(0.1, 0.7), st.floats(0.1, 0.7)),
    size=st.tuples(st.integers(20, 80), st.integers(20, 200)),
    intensity=st.floats(0.05, 1),
    seed=seeds,
)
def test_a_painted_box_ends_inside_its_moved_box_which_is_tight(at, size, intensity, seed):
    page = np.full((900, 700), 255, np.uint8)
    y, x = round(at[0] * 900), round(at[1] * 700)
    box = np.array([[x, y, x + size[1], y + size[0]]])
    blank = copied(page, intensity, seed).value
    page[y : y + size[0], x : x + size[1]] = 0
    applied = copied(page, intensity, seed)
    inked = blank.astype(int) - applied.value > 90
    columns = np.nonzero(inked.sum(axis=0) > 5)[0]
    rows = np.nonzero(inked.sum(axis=1) > 5)[0]
    seen = [columns[0], rows[0], columns[-1] + 1, rows[-1] + 1]
    assert Photocopy().move(box, applied.record)[0] == pytest.approx(seen, abs=6)


def test_a_copy_is_black_and_white():
    ramp = np.tile(np.linspace(0, 255, 450).astype(np.uint8), (600, 1))
    page = np.stack([ramp, ramp // 2, ramp], axis=2)
    assert all(
        (value == value[..., :1]).all() for i in (0.25, 1) for value in [copied(page, i).value]
    )
    greys = [
        np.mean((value > 90) & (value < 240))
        for value in (copied(ramp, i, seed=1).value for i in (0.2, 0.5, 1))
    ]
    assert greys == sorted(greys, reverse=True)
    assert greys[2] < 0.5 * greys[0]


def test_each_further_copy_adds_to_those_before_it():
    one, three = scene(1.0, generations=1), scene(1.0, generations=3)
    assert len(three.copies) == 3
    first, again = one.copies[0], three.copies[0]
    assert (first.contrast, first.threshold, first.grain, first.line) == (
        (again.contrast, again.threshold, again.grain, again.line)
    )
    assert np.array_equal(first.specks, again.specks)


def test_copies_lose_text_with_each_generation():
    page = lines()
    values = [
        [copied(page, seed=seed, generations=count).value for seed in range(6)] for count in (1, 8)
    ]
    # Lines break: the darkness along a line varies more on the eighth copy.
    uneven = [np.mean([value[200:400, 150:300].std() for value in row]) for row in values]
    assert uneven[0] != pytest.approx(uneven[1], rel=0.05)


@examples(30)
@given(low=st.floats(0, 1), high=st.floats(0, 1), seed=seeds)
def test_the_specks_of_less_intensity_are_among_those_of_more(low, high, seed):
    low, high = sorted((low, high))
    page = np.full((900, 700), 255, np.uint8)
    few, many = (
        scene_of(Photocopy().parse(copied(page, i, seed).record)).copies[0].specks
        for i in (low, high)
    )
    assert {tuple(speck) for speck in few.tolist()} <= {tuple(speck) for speck in many.tolist()}


def test_a_page_has_one_scene_whatever_the_intensity():
    half, full = scene(0.5), scene(1.0)
    for low, high in zip(half.copies, full.copies, strict=True):
        assert high.softness == pytest.approx(2 * low.softness)
        assert high.grain == pytest.approx(2 * low.grain)
        assert high.contrast - 1 == pytest.approx(2 * (low.contrast - 1))
        assert high.threshold == low.threshold
    assert half.beside == full.beside


def test_an_open_lid_leaves_black_borders():
    page = np.full((900, 700), 255, np.uint8)
    dark = [(copied(page, seed=seed).value < 100).mean() for seed in range(12)]
    assert max(dark) > 0.005
    assert min(dark) < 0.001


def test_rows_handled_together_leave_no_seam():
    page = np.full((600, 300), 255, np.uint8)
    page[:, 100:110] = 0
    value = copied(page, 0.6, seed=3).value.astype(int)
    steps = np.abs(np.diff(value, axis=0)).mean(axis=1)
    assert steps[250:262].max() < 4 * np.median(steps[200:320]) + 5


@pytest.mark.parametrize("generations", [0, 9, "many"])
def test_other_numbers_of_generations_are_refused(generations):
    with pytest.raises(ValueError, match="generations"):
        PhotocopyParams(generations=generations)
