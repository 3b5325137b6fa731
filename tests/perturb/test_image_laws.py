"""The laws that every registered page distortion keeps, whoever wrote it."""

import json
import math
import subprocess
import sys

import cv2
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ohr import registry
from ohr.plugins import ImagePerturbation
from tests.examples import examples

NAMES = [
    name
    for name in registry.known("perturbation")
    if issubclass(registry.plugin_class("perturbation", name), ImagePerturbation)
]
TURNING = {"turned", "phone", "office"}
"""Distortions that may lay a page on its side."""
every_distortion = pytest.mark.parametrize("name", NAMES)
quick = examples(40)

intensities = st.sampled_from([0.0, 1.0]) | st.floats(0, 1)
seeds = st.integers(0, 2**32)


@st.composite
def pages(draw):
    """Grey or RGB pages: paper with blocks of ink and some grain."""
    height, width = draw(st.integers(32, 160)), draw(st.integers(32, 160))
    rng = np.random.default_rng(draw(seeds))
    shape = (height, width, 3) if draw(st.booleans()) else (height, width)
    page = rng.integers(225, 256, size=shape, dtype=np.uint8)
    for _ in range(draw(st.integers(0, 8))):
        y, x = int(rng.integers(height)), int(rng.integers(width))
        page[y : y + 9, x : x + 25] = rng.integers(0, 120)
    return page


def make(name):
    return registry.create("perturbation", name)


def run(name, page, intensity, seed):
    return make(name).apply(page, intensity=intensity, rng=np.random.default_rng(seed))


def shape_after(name, page, applied):
    """The shape that the distortion says the page has now: its own, perhaps turned."""
    shape = make(name).shape_after(page.shape, applied.record)
    assert sorted(shape) == sorted(page.shape)
    return shape


def test_the_built_in_distortions_are_registered():
    assert {"salt_and_pepper", "rotation", "psf_blur", "warping", "shadow"} <= set(NAMES)


@every_distortion
@quick
@given(page=pages(), seed=seeds)
def test_intensity_zero_changes_nothing(name, page, seed):
    applied = run(name, page, 0.0, seed)
    assert applied.value.tobytes() == page.tobytes()
    assert applied.value.shape == page.shape
    assert not np.shares_memory(applied.value, page)


@every_distortion
@quick
@given(page=pages(), intensity=intensities, seed=seeds)
def test_shape_dtype_and_input_stay(name, page, intensity, seed):
    before = page.copy()
    page.flags.writeable = False
    applied = run(name, page, intensity, seed)
    value = applied.value
    assert (value.shape, value.dtype) == (shape_after(name, page, applied), np.uint8)
    if name not in TURNING:
        assert value.shape == page.shape
    assert value.flags.c_contiguous
    assert np.array_equal(page, before)
    value[0, 0] = 7  # the caller may draw on the result


@every_distortion
def test_full_intensity_changes_a_page(name):
    page = np.full((200, 160), 240, np.uint8)
    page[60:140:8, 30:130] = 10
    assert any(not np.array_equal(run(name, page, 1.0, seed).value, page) for seed in range(3))


@every_distortion
@quick
@given(page=pages(), intensity=intensities, seed=seeds)
def test_a_record_replays_to_the_byte_after_json(name, page, intensity, seed):
    applied = run(name, page, intensity, seed)
    text = json.dumps(applied.record, allow_nan=False)
    assert len(text) < 2000
    assert make(name).replay(page, json.loads(text)).tobytes() == applied.value.tobytes()


REPLAY = """
import json, sys
from pathlib import Path
import numpy as np
from ohr import registry

folder = Path(sys.argv[1])
page = np.load(folder / "page.npy")
for name, record in json.loads((folder / "records.json").read_text()).items():
    np.save(folder / f"{name}.npy", registry.create("perturbation", name).replay(page, record))
"""
PAGE = np.random.default_rng(5).integers(0, 256, (120, 90, 3), dtype=np.uint8)


@pytest.fixture(scope="module")
def replayed(tmp_path_factory):
    """A folder in which another process has replayed one record of each distortion."""
    folder = tmp_path_factory.mktemp("replayed")
    np.save(folder / "page.npy", PAGE)
    records = {name: run(name, PAGE, 0.8, 11).record for name in NAMES}
    (folder / "records.json").write_text(json.dumps(records))
    subprocess.run([sys.executable, "-c", REPLAY, str(folder)], check=True)
    return folder


@pytest.mark.slow
@every_distortion
def test_a_record_replays_in_another_process(name, replayed):
    here = run(name, PAGE, 0.8, 11).value
    assert np.load(replayed / f"{name}.npy").tobytes() == here.tobytes()


@every_distortion
def test_the_result_does_not_depend_on_the_number_of_threads(name):
    page = np.random.default_rng(4).integers(180, 256, (900, 640, 3), dtype=np.uint8)
    page[100:800:12, 60:580] = 20
    threads = cv2.getNumThreads()
    results = []
    try:
        for number in (1, 4):
            cv2.setNumThreads(number)
            results.append(run(name, page, 0.9, 8).value.tobytes())
    finally:
        cv2.setNumThreads(threads)
    assert results[0] == results[1]


@pytest.mark.slow
@every_distortion
@quick
@given(page=pages(), intensity=intensities, seed=seeds)
def test_the_result_depends_on_the_generator_alone(name, page, intensity, seed):
    first = run(name, page, intensity, seed)
    np.random.seed(seed % 1000)
    state = np.random.get_state()[1].copy()
    operator = make(name)
    operator.apply(page[::-1], intensity=0.5, rng=np.random.default_rng(1))
    again = operator.apply(page, intensity=intensity, rng=np.random.default_rng(seed))
    assert again.value.tobytes() == first.value.tobytes()
    assert again.record == first.record
    assert np.array_equal(np.random.get_state()[1], state)


@pytest.mark.slow
@every_distortion
@quick
@given(page=pages(), intensity=intensities, seed=seeds)
def test_what_is_drawn_does_not_depend_on_the_intensity(name, page, intensity, seed):
    states = []
    for level in (0.0, intensity, 1.0):
        rng = np.random.default_rng(seed)
        make(name).apply(page, intensity=level, rng=rng)
        states.append(rng.bit_generator.state)
    assert states[0] == states[1] == states[2]


@pytest.mark.slow
@every_distortion
def test_a_view_of_an_array_reads_as_the_page_it_shows(name):
    big = np.random.default_rng(3).integers(0, 256, (140, 160, 3), dtype=np.uint8)
    for view in (big[::2, ::2], big[::-1, ::-1], big[..., 0], big[..., ::-1]):
        expected = run(name, view.copy(), 0.7, 2).value
        assert run(name, view, 0.7, 2).value.tobytes() == expected.tobytes()


@every_distortion
@quick
@given(page=pages(), intensity=intensities, seed=seeds, data=st.data())
def test_moved_boxes_stay_on_the_page(name, page, intensity, seed, data):
    height, width = page.shape[:2]
    corners = data.draw(
        st.lists(
            st.tuples(*[st.floats(0, 1)] * 4).map(lambda c: sorted(c[:2]) + sorted(c[2:])),
            max_size=5,
        )
    )
    boxes = np.array([[a * width, c * height, b * width, d * height] for a, b, c, d in corners])
    boxes = boxes.reshape(-1, 4)
    before = boxes.copy()
    operator = make(name)
    applied = run(name, page, intensity, seed)
    moved = operator.move(boxes, applied.record)
    height, width = applied.value.shape[:2]
    assert moved.shape == boxes.shape
    assert np.array_equal(boxes, before)
    assert (moved >= 0).all()
    assert (moved[:, ::2] <= width).all()
    assert (moved[:, 1::2] <= height).all()
    assert (moved[:, 0] <= moved[:, 2]).all()
    assert (moved[:, 1] <= moved[:, 3]).all()
    unmoved = operator.move(boxes, run(name, page, 0.0, seed).record)
    assert np.array_equal(unmoved, boxes)


GOOD_PAGE = np.zeros((40, 40), np.uint8)


@every_distortion
@pytest.mark.parametrize(
    "page",
    [
        GOOD_PAGE.astype(np.float32),
        GOOD_PAGE.astype(bool),
        GOOD_PAGE.tolist(),
        None,
        GOOD_PAGE[:31],
        GOOD_PAGE[:, :31],
        GOOD_PAGE[:0],
        np.zeros((40, 40, 4), np.uint8),
        np.zeros((40, 40, 1), np.uint8),
        np.zeros((1, 40, 40, 3), np.uint8),
        np.zeros(4000, np.uint8),
        np.zeros((32, 32_001), np.uint8),
        np.broadcast_to(np.zeros(1, np.uint8), (10_001, 10_000)),
    ],
    ids=lambda page: f"{getattr(page, 'dtype', type(page).__name__)}{np.shape(page)}",
)
def test_what_is_no_page_is_refused(name, page):
    record = run(name, GOOD_PAGE, 0.5, 0).record
    with pytest.raises(ValueError, match="page"):
        make(name).apply(page, intensity=0.5, rng=np.random.default_rng(0))
    with pytest.raises(ValueError, match="page"):
        make(name).replay(page, record)


@pytest.mark.parametrize("name", [name for name in NAMES if not name.startswith("augraphy_")])
def test_a_page_may_be_as_long_as_that_of_a_pdf(name):
    page = np.full((30_000, 40), 240, np.uint8)
    page[::20, 5:35] = 10
    applied = run(name, page, 1.0, 3)
    assert applied.value.shape == shape_after(name, page, applied)
    assert not np.array_equal(applied.value[-3_000:], page[-3_000:])
    assert make(name).replay(page, applied.record).tobytes() == applied.value.tobytes()


@every_distortion
@pytest.mark.parametrize("intensity", [-0.01, 1.01, math.nan, math.inf, "0.5", None])
def test_an_intensity_outside_the_scale_is_refused(name, intensity):
    with pytest.raises(ValueError, match="intensity"):
        make(name).apply(GOOD_PAGE, intensity=intensity, rng=np.random.default_rng(0))


@every_distortion
def test_a_record_that_does_not_fit_is_refused(name):
    operator = make(name)
    good = run(name, GOOD_PAGE, 0.5, 0).record
    hostile = [
        {},
        None,
        [],
        "__import__('os')",
        good | {"name": "other"},
        good | {"version": "999"},
        good | {"version": 1},
        good | {"shape": [40]},
        good | {"shape": [40, 10**9]},
        good | {"shape": "40x40"},
        good | {"intensity": 2.0},
        good | {"intensity": math.nan},
        good | {"extra": "field"},
    ]
    for key in good.keys() - {"name", "version", "shape"}:
        values = (None, "1", [], {}, -(10**30), 10**30, math.nan, math.inf, True)
        hostile += [good | {key: value} for value in values]
        hostile.append({k: v for k, v in good.items() if k != key})
    for record in hostile:
        with pytest.raises(ValueError, match="record"):
            operator.replay(GOOD_PAGE, record)
        with pytest.raises(ValueError, match="record"):
            operator.move(np.zeros((1, 4)), record)
    for page in (np.zeros((40, 41), np.uint8), np.zeros((40, 40, 3), np.uint8)):
        with pytest.raises(ValueError, match="shape"):
            operator.replay(page, good)


@every_distortion
@pytest.mark.parametrize(
    "boxes", [np.zeros(4), np.zeros((2, 3)), [[0, 0, math.nan, 1]], [["a", 0, 1, 1]]]
)
def test_what_is_no_box_is_refused(name, boxes):
    record = run(name, GOOD_PAGE, 0.5, 0).record
    with pytest.raises(ValueError, match="boxes"):
        make(name).move(boxes, record)
