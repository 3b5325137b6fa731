"""Camera: boxes follow the ink, the sheet can be looked up, conditions do what they say."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from perturb.image.camera import CHANCES, Camera, CameraParams, CameraRecord, scene_of
from perturb.image.coarse import nodes
from tests.examples import examples

seeds = st.integers(0, 2**32)
CALM = ("indoor", "bend", "wrinkle", "crease")


def photographed(page, intensity=1.0, seed=0, **params):
    operator = Camera(CameraParams(**params))
    return operator.apply(page, intensity=intensity, rng=np.random.default_rng(seed))


def record_of(shape=(900, 700), intensity=1.0, seed=0, conditions=CALM, scale=1.0):
    return CameraRecord(
        name="camera",
        version=Camera.version,
        intensity=intensity,
        shape=shape,
        seed=seed,
        conditions=conditions,
        scale=scale,
    )


@examples(60)
@given(
    at=st.tuples(st.floats(0.05, 0.8), st.floats(0.05, 0.8)),
    size=st.tuples(st.integers(12, 80), st.integers(12, 250)),
    intensity=st.floats(0.05, 1),
    seed=seeds,
)
def test_a_painted_box_ends_inside_its_moved_box_which_is_tight(at, size, intensity, seed):
    page = np.full((900, 700), 255, np.uint8)
    y, x = round(at[0] * 900), round(at[1] * 700)
    box = np.array([[x, y, min(690, x + size[1]), min(890, y + size[0])]])
    blank = photographed(page, intensity, seed, conditions=CALM)
    page[box[0, 1] : box[0, 3], box[0, 0] : box[0, 2]] = 0
    applied = photographed(page, intensity, seed, conditions=CALM)
    # Where the ink took more than half of the light that the blank sheet has there.
    inked = applied.value < 0.5 * blank.value.astype(float)
    rows, columns = np.nonzero(inked)
    seen = [columns.min(), rows.min(), columns.max() + 1, rows.max() + 1]
    # To two pixels for blur, noise and JPEG, and one for the outline's steps.
    assert Camera().move(box, applied.record)[0] == pytest.approx(seen, abs=3)


@examples(60)
@given(
    shape=st.tuples(st.integers(32, 2000), st.integers(32, 2000)),
    intensity=st.floats(0, 1),
    seed=seeds,
)
def test_what_is_looked_up_is_seen_where_it_was_looked_for(shape, intensity, seed):
    view = scene_of(record_of(shape, intensity, seed)).view
    column, row = nodes(shape)
    x, y = view.source(column, row)
    seen = view.seen(x, y)
    off = max(float(np.abs(seen[0] - column).max()), float(np.abs(seen[1] - row).max()))
    assert off < 0.5  # pixels


@examples(40)
@given(shape=st.tuples(st.integers(32, 2000), st.integers(32, 2000)), seed=seeds)
def test_the_whole_sheet_is_in_the_frame(shape, seed):
    record = record_of(shape, 1.0, seed)
    height, width = shape
    [[x0, y0, x1, y1]] = Camera().place(np.array([[0.0, 0.0, width, height]]), record)
    assert x0 > -1.5
    assert y0 > -1.5
    assert x1 < width + 1.5
    assert y1 < height + 1.5
    assert max((x1 - x0) / width, (y1 - y0) / height) == pytest.approx(0.865, abs=0.13)


def test_a_page_has_one_scene_whatever_the_intensity():
    low, high = (scene_of(record_of(intensity=i)) for i in (0.4, 0.8))
    assert low.kernel == high.kernel
    assert high.blur == pytest.approx(2 * low.blur)
    assert high.noise == pytest.approx(2 * low.noise)
    assert high.surroundings == low.surroundings
    assert 1 - high.light.min() > 1 - low.light.min()


@pytest.mark.parametrize("condition", [*CHANCES, "screen"])
def test_a_condition_changes_the_picture(condition):
    page = np.full((600, 450, 3), 250, np.uint8)
    page[60:540:14, 40:410] = 30
    plain = photographed(page, conditions=("indoor",)).value
    other = photographed(page, conditions=("indoor", condition)).value
    assert np.abs(plain.astype(int) - other).max() > 40
    if condition == "underexposed":
        assert other.mean() < 0.75 * plain.mean()


@pytest.mark.parametrize("shape", [(600, 450), (600, 450, 3), (40, 900)])
def test_a_screen_shows_moire_in_colours_and_replays(shape):
    page = np.full(shape, 250, np.uint8)
    applied = photographed(page, conditions=("indoor", "screen"))
    paper = photographed(page, conditions=("indoor",)).value
    assert np.array_equal(Camera().replay(page, applied.record), applied.value)
    assert applied.value.mean() < paper.mean()
    if len(shape) == 3:
        red, blue = (applied.value[200:400, 150:300, channel].astype(float) for channel in (0, 2))
        assert (red - blue).std() > 2 * (paper[..., 0].astype(float) - paper[..., 2]).std()


def test_moire_gets_weaker_with_the_intensity():
    low, high = (scene_of(record_of(intensity=i, conditions=("screen",))) for i in (0.4, 0.8))
    assert high.screen.moire == pytest.approx(2 * low.screen.moire)
    assert scene_of(record_of(conditions=("indoor",))).screen is None


def test_conditions_are_drawn_in_about_their_shares():
    page = np.full((40, 40), 255, np.uint8)
    drawn = [photographed(page, 0.0, seed).record["conditions"] for seed in range(400)]
    for condition, chance in CHANCES.items():
        share = np.mean([condition in conditions for conditions in drawn])
        assert share == pytest.approx(chance, abs=0.1)
    assert {conditions[0] for conditions in drawn} == {"indoor", "outdoor"}
    assert not any("screen" in conditions for conditions in drawn)


@pytest.mark.parametrize("conditions", [[], ["sunny"], "indoor", ["indoor"] * 9])
def test_unknown_conditions_are_refused(conditions):
    with pytest.raises(ValueError, match="conditions"):
        CameraParams(conditions=conditions)
    good = record_of().model_dump(mode="json")
    with pytest.raises(ValueError, match="record"):
        Camera().parse(good | {"conditions": conditions})
