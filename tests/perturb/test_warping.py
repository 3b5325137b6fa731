"""Warping: boxes follow the ink, the displacement can be inverted, one relief a page."""

import tracemalloc

import cv2
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from perturb.image.coarse import enlarged, nodes, strips
from perturb.image.warping import (
    LARGEST_DEPTH,
    SEVERE_DEPTH,
    Warping,
    WarpingParams,
    WarpingRecord,
    relief_of,
)
from tests.examples import examples

seeds = st.integers(0, 2**32)


def warped(page, intensity=1.0, seed=0, **params):
    operator = Warping(WarpingParams(**params))
    return operator.apply(page, intensity=intensity, rng=np.random.default_rng(seed))


def relief(record):
    return relief_of(WarpingRecord.model_validate(record))


@examples(80)
@given(
    at=st.tuples(st.floats(0.1, 0.8), st.floats(0.1, 0.8)),
    size=st.tuples(st.integers(4, 80), st.integers(4, 250)),
    intensity=st.floats(0.05, 1),
    dpi=st.sampled_from([75, 150, 300]),
    seed=seeds,
)
def test_a_painted_box_ends_inside_its_moved_box_which_is_tight(at, size, intensity, dpi, seed):
    page = np.full((900, 700), 255, np.uint8)
    y, x = round(at[0] * 900), round(at[1] * 700)
    box = np.array([[x, y, min(650, x + size[1]), min(850, y + size[0])]])
    page[box[0, 1] : box[0, 3], box[0, 0] : box[0, 2]] = 0
    applied = warped(page, intensity, seed, dpi=dpi)
    rows, columns = np.nonzero(applied.value < 110)
    seen = [columns.min(), rows.min(), columns.max() + 1, rows.max() + 1]
    # To a pixel for the threshold, and one for the outline's steps.
    assert Warping().move(box, applied.record)[0] == pytest.approx(seen, abs=2)


def test_words_all_over_a_page_end_inside_their_boxes():
    page = np.full((1754, 1240), 255, np.uint8)
    corners = [(x, y) for y in range(60, 1690, 47) for x in range(70, 1120, 90)]
    boxes = np.array([[x, y, x + 61, y + 17] for x, y in corners])
    for number, (x0, y0, x1, y1) in enumerate(boxes):
        page[y0:y1, x0:x1] = number % 200
    applied = warped(page, seed=4)
    moved = Warping().move(boxes, applied.record)
    outside = applied.value.copy()
    shares = []
    for x0, y0, x1, y1 in np.rint(moved).astype(int):
        shares.append((applied.value[y0:y1, x0:x1] < 215).mean())
        outside[max(0, y0 - 1) : y1 + 1, max(0, x0 - 1) : x1 + 1] = 255
    assert outside.min() > 180  # no ink is left outside the boxes
    assert np.median(shares) > 0.8  # and the boxes hold little else
    assert np.abs(moved - boxes).max() > SEVERE_DEPTH / 2


@examples(60)
@given(
    shape=st.tuples(st.integers(32, 3000), st.integers(32, 3000)),
    dpi=st.floats(30, 1200),
    seed=seeds,
)
def test_the_displacement_can_be_inverted_at_the_largest_depth(shape, dpi, seed):
    record = WarpingRecord(
        name="warping",
        version="1",
        intensity=1.0,
        shape=shape,
        seed=seed,
        depth=LARGEST_DEPTH,
        scale=dpi / 150,
    )
    heights = relief_of(record).heights(*nodes(shape)).astype(np.float32)
    down, right = np.diff(heights, axis=0) / 8, np.diff(heights, axis=1) / 8
    assert np.hypot(down[:, :-1], right[:-1]).max() < 0.95
    assert abs(np.hypot(*relief_of(record).view) - 1) < 1e-9


@examples(40)
@given(seed=seeds, levels=st.tuples(st.floats(0.01, 1), st.floats(0.01, 1)))
def test_a_page_has_one_relief_that_the_intensity_scales(seed, levels):
    page = np.zeros((400, 300), np.uint8)
    x, y = nodes(page.shape)
    low, high = (relief(warped(page, level, seed).record) for level in levels)
    assert (low.view, low.light) == (high.view, high.light)
    scaled = low.heights(x, y) / levels[0] * levels[1]
    assert np.allclose(scaled, high.heights(x, y), atol=1e-4)


def test_boxes_beyond_the_page_are_moved_onto_its_edge():
    record = warped(np.zeros((400, 300), np.uint8), seed=3).record
    boxes = [[-1e12, -1e12, 1e12, 1e12], [500, 900, 501, 901], [-80, 10, -70, 20]]
    moved = Warping().move(np.array(boxes), record)
    assert moved[0].tolist() == [0, 0, 300, 400]
    assert moved[1].tolist() == [300, 400, 300, 400]
    assert moved[2, [0, 2]].tolist() == [0, 0]
    assert Warping().move(np.zeros((0, 4)), record).shape == (0, 4)


def test_pages_differ():
    page = np.zeros((400, 300), np.uint8)
    reliefs = [relief(warped(page, seed=seed).record) for seed in range(60)]
    assert {len(one.creases) for one in reliefs} == {1, 2, 3}
    heights = [crease.height for one in reliefs for crease in one.creases]
    assert min(heights) < -SEVERE_DEPTH / 2 < SEVERE_DEPTH / 2 < max(heights) <= SEVERE_DEPTH
    down = [abs(crease.normal[0]) > 0.99 for one in reliefs for crease in one.creases]
    across = [abs(crease.normal[1]) > 0.99 for one in reliefs for crease in one.creases]
    assert 0.3 < np.mean(down) < 0.7
    assert 0.15 < np.mean(across) < 0.55


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_a_grey_page_in_colour_is_warped_as_in_grey(seed):
    grey = np.random.default_rng(seed).integers(0, 256, (300, 200), dtype=np.uint8)
    colour = np.repeat(grey[..., None], 3, axis=2)
    expected = warped(grey, seed=seed).value
    assert (warped(colour, seed=seed).value == expected[..., None]).all()
    # The short cut for colourless strips looks as the long way does.
    colour[40, 50] = (255, 0, 0)
    colour[290, 150] = (0, 0, 255)
    different = (warped(colour, seed=seed).value != expected[..., None]).any(axis=2)
    assert 0 < different.sum() < 200


@pytest.mark.parametrize("seed", range(6))
def test_shading_is_faint_and_darkens_only(seed):
    page = np.full((900, 700), 240, np.uint8)
    half, full = (warped(page, level, seed).value.astype(int) for level in (0.5, 1.0))
    assert (full <= half + 1).all()
    assert full.max() == 240
    assert 150 < full.min() < 235


def test_ink_is_worn_along_a_crease():
    page = np.full((600, 600), 20, np.uint8)
    page[::2] = 230
    record = next(
        applied.record
        for applied in (warped(page, seed=seed) for seed in range(50))
        if len(relief(applied.record).creases) == 1
    )
    plain = Warping().replay(page, record | {"intensity": 1e-6})
    worn = Warping().replay(page, record).astype(int) - plain
    [crease] = relief(record).creases
    y, x = np.indices(page.shape) + 0.5
    away = np.abs(crease.normal[0] * x + crease.normal[1] * y - crease.offset)
    assert worn[away < 1].max() > 60
    assert not worn[away > 6].any()


@pytest.mark.slow
def test_an_effect_keeps_its_size_on_paper():
    shape = (600, 450)
    small = warped(np.zeros(shape, np.uint8), seed=5).record
    large = warped(np.zeros((1200, 900), np.uint8), seed=5, dpi=300).record
    y, x = np.indices(shape) + 0.5
    assert relief(large).heights(2 * x, 2 * y) == pytest.approx(
        2 * relief(small).heights(x, y), abs=1e-6
    )


def test_a_field_is_enlarged_alike_in_strips_and_whole():
    x, y = nodes((500, 130))
    field = (3 * x + 2 * y).astype(np.float32)
    rows, columns = np.indices((500, 130)) + 0.5
    joined = np.concatenate([enlarged(field, rows, 130) for rows in strips(500)])
    assert joined == pytest.approx(3 * columns + 2 * rows, abs=1e-2)


@pytest.mark.parametrize("threads", [1, 2, 7])
def test_the_bytes_do_not_depend_on_opencv_threads(threads):
    page = np.random.default_rng(0).integers(0, 256, (700, 500, 3), dtype=np.uint8)
    before = cv2.getNumThreads()
    expected = warped(page, seed=1).value
    try:
        cv2.setNumThreads(threads)
        assert np.array_equal(warped(page, seed=1).value, expected)
    finally:
        cv2.setNumThreads(before)


@pytest.mark.slow
def test_a_large_page_needs_little_memory_beside_the_result():
    page = np.full((6000, 5000, 3), 200, np.uint8)
    tracemalloc.start()
    warped(page, seed=2, dpi=600)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 1.6 * page.nbytes
