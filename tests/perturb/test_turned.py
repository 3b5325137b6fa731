"""Turned: the intensity is the share of turned pages, boxes and size go with the page."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ohr.ocr.distort import distort_image
from ohr.types import PageRef
from perturb.image.turned import Turned, TurnedParams
from tests.examples import examples

PAGE = np.random.default_rng(0).integers(0, 256, (60, 40, 3), dtype=np.uint8)


def turned(page=PAGE, intensity=1.0, seed=0, **params):
    operator = Turned(TurnedParams(**params))
    return operator.apply(page, intensity=intensity, rng=np.random.default_rng(seed))


@pytest.mark.parametrize("degrees", [90, 180, 270])
@examples(30)
@given(
    corners=st.tuples(*[st.integers(0, 40)] * 2, *[st.integers(0, 60)] * 2), seed=st.integers(0, 99)
)
def test_a_painted_box_is_where_its_box_is_moved(degrees, corners, seed):
    (left_edge, right), (top, bottom) = sorted(corners[:2]), sorted(corners[2:])
    page = np.zeros((60, 40), np.uint8)
    page[top:bottom, left_edge:right] = 255
    applied = turned(page, seed=seed, degrees=(degrees,))
    box = np.array([[left_edge, top, right, bottom]], dtype=float)
    [[x0, y0, x1, y1]] = Turned().move(box, applied.record).astype(int)
    painted = np.zeros(applied.value.shape, np.uint8)
    painted[y0:y1, x0:x1] = 255
    assert np.array_equal(applied.value, painted)


def test_four_quarter_turns_are_none():
    page = PAGE
    for _ in range(4):
        page = turned(page, degrees=(90,)).value
    assert np.array_equal(page, PAGE)
    assert np.array_equal(turned(degrees=(270,)).value, np.rot90(PAGE, 3))


@pytest.mark.parametrize("intensity", [0.1, 0.5, 1.0])
def test_the_intensity_is_the_share_of_turned_pages(intensity):
    rng = np.random.default_rng(1)
    pages = [Turned().apply(PAGE, intensity=intensity, rng=rng) for _ in range(400)]
    share = np.mean([not np.array_equal(page.value, PAGE) for page in pages])
    assert share == pytest.approx(intensity, abs=0.07)
    turns = [page.record["degrees"] for page in pages]
    assert min(turns.count(turn) for turn in (90, 180, 270)) > 90


@examples(30)
@given(low=st.floats(0, 1), high=st.floats(0, 1), seed=st.integers(0, 2**32))
def test_a_page_that_is_turned_stays_turned_at_more_intensity(low, high, seed):
    low, high = sorted((low, high))
    weak = turned(intensity=low, seed=seed).value
    if not np.array_equal(weak, PAGE):
        assert np.array_equal(turned(intensity=high, seed=seed).value, weak)


def test_a_study_takes_a_page_on_its_side():
    operator = Turned(TurnedParams(degrees=(90,)))
    ref = PageRef("port/harbour", 0)
    applied = distort_image(operator, PAGE, intensity=1.0, seed=0, ref=ref)
    assert applied.value.shape == (40, 60, 3)
    assert operator.shape_after(PAGE.shape, applied.record) == (40, 60, 3)
    unturned = distort_image(operator, PAGE, intensity=0.0, seed=0, ref=ref)
    assert operator.shape_after(PAGE.shape, unturned.record) == PAGE.shape


@pytest.mark.parametrize("degrees", [[], [0], [45], [90] * 4, ["90 "]])
def test_other_turns_are_refused(degrees):
    with pytest.raises(ValueError, match="degrees"):
        TurnedParams(degrees=degrees)
