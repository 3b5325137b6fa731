"""Rotation: boxes follow the ink, corners look like paper, the angle is paired."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from perturb.image.rotation import (
    PAPER_DEGREES,
    SEVERE_DEGREES,
    Rotation,
    RotationParams,
    page_colour,
)
from tests.examples import examples


def rotated(page, intensity=1.0, seed=0, **params):
    operator = Rotation(RotationParams(**params))
    return operator.apply(page, intensity=intensity, rng=np.random.default_rng(seed))


@examples(60)
@given(
    size=st.tuples(st.integers(60, 300), st.integers(60, 300)),
    at=st.tuples(st.floats(0.25, 0.75), st.floats(0.25, 0.75)),
    degrees=st.floats(0.5, 45),
    seed=st.integers(0, 2**32),
)
def test_a_dot_ends_inside_its_moved_box(size, at, degrees, seed):
    page = np.full(size, 255, np.uint8)
    y, x = (round(share * side) for share, side in zip(at, size, strict=True))
    page[y : y + 5, x : x + 5] = 0
    applied = rotated(page, seed=seed, degrees=degrees)
    ink = 255.0 - applied.value
    rows, columns = np.indices(size) + 0.5
    dot = np.array([(ink * columns).sum(), (ink * rows).sum()]) / ink.sum()
    [[x0, y0, x1, y1]] = Rotation().move(np.array([[x, y, x + 5, y + 5]]), applied.record)
    # The ink's centre is the box's centre, to a twentieth of a pixel or so of interpolation.
    assert np.abs(dot - [(x0 + x1) / 2, (y0 + y1) / 2]).max() < 0.1
    # A pixel that is half covered is dark, and interpolation adds a little.
    dark_rows, dark_columns = np.nonzero(applied.value < 128)
    assert x0 - 0.6 <= dark_columns.min()
    assert dark_columns.max() + 1 <= x1 + 0.6
    assert y0 - 0.6 <= dark_rows.min()
    assert dark_rows.max() + 1 <= y1 + 0.6


@examples(60)
@given(seed=st.integers(0, 2**32), intensity=st.floats(0, 1), data=st.data())
def test_a_moved_box_is_the_hull_of_the_rotated_corners(seed, intensity, data):
    height, width = 200, 150
    box = data.draw(st.tuples(*[st.floats(0, 1)] * 4))
    x0, x1 = sorted(share * width for share in box[:2])
    y0, y1 = sorted(share * height for share in box[2:])
    record = rotated(np.zeros((height, width), np.uint8), intensity, seed).record
    turn = np.exp(-1j * math.radians(record["angle"]))  # y points down
    middle = complex(width / 2, height / 2)
    corners = [(complex(x, y) - middle) * turn + middle for x in (x0, x1) for y in (y0, y1)]
    xs = np.clip([corner.real for corner in corners], 0, width)
    ys = np.clip([corner.imag for corner in corners], 0, height)
    moved = Rotation().move(np.array([[x0, y0, x1, y1]]), record)
    assert moved == pytest.approx(np.array([[xs.min(), ys.min(), xs.max(), ys.max()]]), abs=1e-6)


@pytest.mark.parametrize("paper", [(250, 245, 230), (255, 255, 255), (20, 30, 40)])
def test_corners_take_the_colour_of_the_page(paper):
    page = np.empty((200, 150, 3), np.uint8)
    page[:] = paper
    page[40:160:6, 30:120] = 128  # more ink than margin must not matter
    value = rotated(page, degrees=30, seed=1).value
    for y, x in ((0, 0), (0, -1), (-1, 0), (-1, -1)):
        assert tuple(value[y, x]) == paper
    assert page_colour(page) == paper
    assert page_colour(page[..., 0]) == paper[:1]


def test_the_angle_is_one_draw_scaled_by_the_intensity():
    page = np.full((64, 48), 200, np.uint8)
    for seed in range(20):
        full = rotated(page, 1.0, seed).record["angle"]
        assert rotated(page, 0.5, seed).record["angle"] == pytest.approx(full / 2)
        assert abs(full) <= SEVERE_DEGREES
    angles = [rotated(page, 1.0, seed).record["angle"] for seed in range(200)]
    assert np.ptp(angles) > 1.8 * SEVERE_DEGREES
    assert abs(np.mean(angles)) < 0.2 * SEVERE_DEGREES


def test_the_paper_lies_on_the_scale():
    assert 0 < PAPER_DEGREES <= SEVERE_DEGREES


def test_a_turned_page_turned_back_is_the_page():
    rows, columns = np.indices((200, 200))
    page = (128 + 100 * np.sin(rows / 9) * np.cos(columns / 7)).astype(np.uint8)
    applied = rotated(page, seed=3)
    back = Rotation().replay(applied.value, applied.record | {"angle": -applied.record["angle"]})
    inner = np.s_[40:160, 40:160]
    assert np.abs(back[inner].astype(int) - page[inner]).max() <= 4
