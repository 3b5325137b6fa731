"""Augraphy's effects: tamed, contained, and the boxes of its folds."""

import importlib
import os
import random
import subprocess
import sys
import threading

import cv2
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ohr import registry
from ohr.errors import MissingDependencyError
from perturb.image import augraphy_library
from perturb.image.augraphy_effects import LARGEST_SIDE, AugraphyFolding, AugraphyRecord, folds
from tests.examples import examples

NAMES = [name for name in registry.known("perturbation") if name.startswith("augraphy_")]
EFFECTS = {
    "augraphy_letterpress": "Letterpress",
    "augraphy_ink_bleed": "InkBleed",
    "augraphy_shadow_cast": "ShadowCast",
    "augraphy_lighting_gradient": "LightingGradient",
}
every_effect = pytest.mark.parametrize("name", NAMES)


def make(name):
    return registry.create("perturbation", name)


def applied(name, page, intensity=1.0, seed=0):
    return make(name).apply(page, intensity=intensity, rng=np.random.default_rng(seed))


def text_page(shape=(200, 160)):
    page = np.full(shape, 240, np.uint8)
    page[20:-20:8, 15:-15] = 20
    return page


def test_the_papers_effects_are_there():
    assert set(EFFECTS) | {"augraphy_dirty_rollers", "augraphy_folding"} <= set(NAMES)


@pytest.mark.slow
def test_nothing_imports_augraphy_before_its_first_call():
    code = (
        "import sys, numpy as np; from ohr import plugins, registry;"
        "page = np.full((64, 64), 200, np.uint8);"
        "rng = np.random.default_rng(0);"
        "mine = [registry.create('perturbation', name) for name in registry.known('perturbation')];"
        "[one.apply(page, intensity=1, rng=rng) for one in mine"
        " if isinstance(one, plugins.ImagePerturbation) and 'augraphy' not in one.name];"
        "[one.apply(page, intensity=0, rng=rng) for one in mine if 'augraphy' in one.name];"
        "print({'augraphy', 'numba', 'skimage', 'sklearn'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"


@pytest.mark.parametrize("missing", ["augraphy", "numba", "sklearn"])
def test_what_is_missing_is_said_with_the_commands_that_install_it(monkeypatch, missing):
    monkeypatch.setitem(sys.modules, missing, None)
    with pytest.raises(MissingDependencyError) as caught:
        make("augraphy_folding")
    assert missing in str(caught.value)
    assert "pip install 'ohr[augraphy]' && pip install --no-deps augraphy==8.2.6" in str(
        caught.value
    )


@pytest.mark.slow
@every_effect
def test_a_call_leaves_no_trace(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    applied(name, text_page())  # imports it, so that Numba's state can be looked at
    numba = importlib.import_module("numba")
    generators = importlib.import_module("numba._helperlib")
    pointers = generators.rnd_get_py_state_ptr(), generators.rnd_get_np_state_ptr()
    for pointer in pointers:
        generators.rnd_seed(pointer, 77)
    random.seed(3)
    np.random.seed(4)
    cv2.setRNGSeed(5)

    def states():
        return (
            random.getstate(),
            np.random.get_state()[1].tolist(),
            [generators.rnd_get_state(pointer) for pointer in pointers],
            numba.get_num_threads(),
            numba.config.DISABLE_JIT,
            cv2.getNumThreads(),
            os.getcwd(),
        )

    before = states()
    applied(name, text_page(), seed=1)
    assert states() == before
    drawn = cv2.randu(np.zeros(8), 0, 1)
    cv2.setRNGSeed(5)
    assert np.array_equal(drawn, cv2.randu(np.zeros(8), 0, 1))  # it did not draw from OpenCV's
    assert not list(tmp_path.iterdir())


def test_global_state_is_put_back_after_an_error():
    before = random.getstate(), np.random.get_state()[1].copy()

    def fail():
        with augraphy_library.seeded(1):
            random.random()
            np.random.random()
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    assert random.getstate() == before[0]
    assert np.array_equal(np.random.get_state()[1], before[1])


@every_effect
def test_the_result_does_not_depend_on_global_generators(name):
    results = set()
    for seed in (1, 2):
        random.seed(seed)
        np.random.seed(seed)
        cv2.setRNGSeed(seed)
        results.add(applied(name, text_page(), seed=3).value.tobytes())
    assert len(results) == 1


@pytest.mark.slow
@pytest.mark.parametrize("name", EFFECTS)
def test_full_intensity_is_augraphys_own_default(name):
    """Seeded by hand and called by hand, on a page as long as A4 at 150 dpi."""
    page = np.full((1754, 200, 3), 250, np.uint8)
    page[20:-20:8, 15:-15] = (20, 60, 20)
    result = applied(name, page, seed=6)
    augraphy = importlib.import_module("augraphy")
    random.seed(result.record["seed"])
    np.random.seed(result.record["seed"])
    by_hand = getattr(augraphy, EFFECTS[name])()(page[..., ::-1].copy(), force=True)
    assert np.array_equal(result.value, by_hand[..., ::-1])


@pytest.mark.parametrize("name", [name for name in NAMES if name != "augraphy_folding"])
@pytest.mark.parametrize("colour", [False, True])
def test_an_intensity_is_a_blend_with_the_clean_page(name, colour):
    page = text_page()
    page = np.repeat(page[..., None], 3, axis=2) if colour else page
    full = applied(name, page, 1.0).value.astype(float)
    for intensity in (0.25, 0.6):
        expected = page + intensity * (full - page)
        assert np.abs(applied(name, page, intensity).value - expected).max() <= 0.51


@every_effect
def test_a_grey_page_is_treated_as_in_colour(name):
    grey = text_page()
    colour = applied(name, np.repeat(grey[..., None], 3, axis=2), seed=2).value
    assert np.array_equal(colour, np.repeat(colour[..., :1], 3, axis=2))
    assert np.array_equal(colour[..., 0], applied(name, grey, seed=2).value)


@examples(50)
@given(
    at=st.tuples(st.floats(0.05, 0.8), st.floats(0.02, 0.8)),
    size=st.tuples(st.integers(4, 60), st.integers(4, 300)),
    intensity=st.floats(0.05, 1),
    seed=st.integers(0, 2**32),
)
def test_a_painted_box_ends_inside_its_moved_box_to_two_pixels(at, size, intensity, seed):
    page = np.full((900, 700), 255, np.uint8)
    y, x = round(at[0] * 900), round(at[1] * 700)
    box = np.array([[x, y, min(700, x + size[1]), y + size[0]]])
    page[y : box[0, 3], x : box[0, 2]] = 0
    result = applied("augraphy_folding", page, intensity, seed)
    # Augraphy strews black pixels on the folds: an opening takes them away.
    ink = cv2.morphologyEx(255 - result.value, cv2.MORPH_OPEN, np.ones((3, 3), np.uint8))
    ink[:25] = 0  # the gap at the top edge, where the backdrop shows
    rows, columns = np.nonzero(ink > 127)
    seen = [columns.min(), rows.min(), columns.max() + 1, rows.max() + 1]
    assert AugraphyFolding().move(box, result.record)[0] == pytest.approx(seen, abs=2)


def test_folds_are_drawn_within_augraphys_ranges_and_deepen_with_the_intensity():
    shape = (1754, 1240)
    for seed in range(100):
        record = AugraphyRecord(
            name="augraphy_folding",
            version="1",
            intensity=1.0,
            shape=shape,
            seed=seed,
            augraphy="8.2.6",
            scale=1.0,
        )
        for middle, side, depth in folds(record):
            assert 0.1 * 1240 - 2 <= 2 * side <= 0.2 * 1240 + 2
            assert 0.01 * 1754 - 1 <= depth <= 0.02 * 1754 + 1
            assert side < middle < 1240 - side
        half = folds(record.model_copy(update={"intensity": 0.5}))
        for (middle, side, deep), (same, alike, shallow) in zip(folds(record), half, strict=True):
            assert (middle, side) == (same, alike)
            assert abs(shallow - deep / 2) <= 1


def test_threads_get_the_bytes_that_one_alone_gets():
    page = text_page()
    names = ["augraphy_letterpress", "augraphy_dirty_rollers", "augraphy_folding"] * 2
    expected = [applied(name, page, seed=n).value for n, name in enumerate(names)]
    found = [None] * len(names)

    def work(n):
        found[n] = applied(names[n], page, seed=n).value

    threads = [threading.Thread(target=work, args=(n,)) for n in range(len(names))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(np.array_equal(one, other) for one, other in zip(expected, found, strict=True))


@every_effect
def test_the_version_of_augraphy_is_part_of_identity_and_record(name):
    operator = make(name)
    record = applied(name, text_page()).record
    assert operator.identity()["augraphy"] == record["augraphy"] == "8.2.6"
    with pytest.raises(ValueError, match=r"record was made with Augraphy '8\.2\.5'"):
        operator.replay(text_page(), record | {"augraphy": "8.2.5"})


@every_effect
def test_a_page_too_large_for_augraphy_is_refused_before_it_runs(name):
    page = np.zeros((40, LARGEST_SIDE + 1), np.uint8)
    record = applied(name, text_page()).record | {"shape": list(page.shape)}
    with pytest.raises(ValueError, match="4000 pixels a side"):
        applied(name, page)
    with pytest.raises(ValueError, match="4000 pixels a side"):
        make(name).replay(page, record)
