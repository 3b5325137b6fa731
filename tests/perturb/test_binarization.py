"""Binarization: four effects that grow smoothly from nothing and leave blank paper alone."""

from typing import get_args

import cv2
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ohr.plugins.perturbation import PageParams
from perturb.image import binarization
from perturb.image.binarization import SEVERE_DILATION, Binarization, Effect, grown
from tests.examples import examples

EFFECTS = get_args(Effect)
every_effect = pytest.mark.parametrize("effect", EFFECTS)
LEVELS = (0.001, 0.01, 0.1, 0.25, 0.5, 0.75, 1.0)


def text_page(paper=255, ink=15, size=(240, 200)):
    page = np.full(size, paper, np.uint8)
    cv2.putText(page, "Sphinx of 8", (8, 60), cv2.FONT_HERSHEY_COMPLEX, 0.9, ink, 1, cv2.LINE_AA)
    cv2.putText(page, "black quartz", (8, 110), cv2.FONT_HERSHEY_COMPLEX, 0.5, ink, 1, cv2.LINE_AA)
    page[150:153, 10:-10] = ink
    page[180:210, 20:90] = ink
    return page


def printed(page, effect, intensity=1.0, seed=0, **params):
    operator = Binarization(PageParams(**params))
    record = operator.apply(page, intensity=intensity, rng=np.random.default_rng(seed)).record
    return operator.replay(page, record | {"effect": effect})


def test_every_effect_is_drawn_as_often():
    page = np.full((32, 32), 255, np.uint8)
    drawn = [
        Binarization().apply(page, intensity=0, rng=np.random.default_rng(seed)).record["effect"]
        for seed in range(400)
    ]
    assert all(70 < drawn.count(effect) < 130 for effect in EFFECTS)


@every_effect
@pytest.mark.parametrize("paper", [255, 190])
def test_the_effect_grows_from_nothing(effect, paper):
    page = text_page(paper)
    change = [np.abs(printed(page, effect, i).astype(int) - page).mean() for i in LEVELS]
    assert change == sorted(change)
    assert change[1] < 0.05 * change[-1]
    assert change[-1] > 1
    assert np.abs(printed(page, effect, 0.001).astype(int) - page).max() <= 2


@every_effect
@pytest.mark.parametrize("paper", [255, 190])
def test_ink_is_gained_or_lost_and_paper_stays(effect, paper):
    page = text_page(paper)
    ink = [(paper - printed(page, effect, i).astype(float)).mean() for i in (0.0, 0.5, 1.0)]
    gains = effect in ("dilation", "ink_bleed")
    assert ink == sorted(ink, reverse=not gains)
    assert ink[0] != ink[2]
    away = cv2.dilate((page < paper).astype(np.uint8), np.ones((9, 9), np.uint8)) == 0
    assert (printed(page, effect)[away] == paper).all()


@pytest.mark.parametrize("effect", ["letterpress", "ink_bleed"])
@examples(25)
@given(
    levels=st.tuples(st.floats(0, 1), st.floats(0, 1)).map(sorted),
    seed=st.integers(0, 2**32),
    paper=st.integers(120, 255),
)
def test_mottling_and_bleeding_nest_in_the_intensity(effect, levels, seed, paper):
    page = text_page(paper)
    low, high = (printed(page, effect, level, seed).astype(int) for level in levels)
    if effect == "letterpress":
        assert (page <= low).all()
        assert (low <= high).all()
    else:
        assert (page >= low).all()
        assert (low >= high).all()


@every_effect
@pytest.mark.parametrize("paper", [255, 180, 30, 0])
def test_a_blank_page_stays_blank(effect, paper):
    page = np.full((90, 80, 3), paper, np.uint8)
    assert np.array_equal(printed(page, effect), page)


@every_effect
def test_the_grain_of_a_blank_page_does_not_become_print(effect):
    grain = np.random.default_rng(0).normal(235, 4, (200, 200)).round().astype(np.uint8)
    out = printed(grain, effect).astype(int)
    assert np.abs(out - grain).mean() < 8
    assert out.std() < 1.5 * grain.std()


@every_effect
def test_uneven_light_does_not_become_print(effect):
    light = np.linspace(255, 150, 300).astype(np.uint8)
    page = np.repeat(light[None], 200, axis=0)
    assert np.abs(printed(page, effect).astype(int) - page).max() < 14


@examples(60)
@given(
    radius=st.floats(0, 5),
    step=st.floats(0, 0.05),
    how=st.sampled_from([cv2.erode, cv2.dilate]),
)
def test_growth_is_continuous_in_the_radius(radius, step, how):
    page = text_page()
    narrow, wide = (grown(page, r, how).astype(int) for r in (radius, radius + step))
    assert np.abs(wide - narrow).max() <= 255 * step + 2
    darker = wide <= narrow + 1 if how is cv2.erode else wide >= narrow - 1
    assert darker.all()


@pytest.mark.parametrize("dpi", [75, 150, 300, 450])
def test_strokes_grow_by_the_same_length_on_paper(dpi):
    scale = dpi / 150
    page = np.full((round(200 * scale), round(200 * scale)), 255, np.uint8)
    bar = round(40 * scale)
    page[:, bar : 2 * bar] = 0
    for intensity in (0.5, 1.0):
        out = printed(page, "dilation", intensity, dpi=dpi)
        gained = (255.0 - out).mean(axis=0).sum() / 255 - bar
        wanted = 2 * SEVERE_DILATION * scale * intensity
        assert gained == pytest.approx(wanted, rel=0.35, abs=0.1)


@pytest.mark.parametrize("effect", ["letterpress", "ink_bleed"])
def test_the_mottling_is_the_same_on_paper_at_any_resolution(effect):
    seen = []
    for dpi in (150, 300):
        page = np.full((3 * dpi, 3 * dpi), 255, np.uint8)
        for x in range(dpi // 10, 3 * dpi, dpi // 5):
            page[:, x : x + dpi // 15] = 20
        value = printed(page, effect, dpi=dpi)
        seen.append(cv2.resize(value, (90, 90), interpolation=cv2.INTER_AREA).astype(float))
    assert np.abs(seen[0] - seen[1]).mean() < 7
    assert np.corrcoef(seen[0].ravel(), seen[1].ravel())[0, 1] > 0.97


@every_effect
@pytest.mark.parametrize("dpi", [60, 150, 290])
def test_rows_handled_together_leave_no_seam(monkeypatch, effect, dpi):
    page = text_page(size=(240, 200))
    whole = printed(page, effect, dpi=dpi)
    monkeypatch.setattr(binarization, "ROWS_AT_ONCE", 37)
    # Bilinear weights may round another way.
    assert np.abs(printed(page, effect, dpi=dpi).astype(int) - whole).max() <= 2


@every_effect
def test_the_threads_of_opencv_do_not_matter(effect):
    page = np.repeat(text_page(size=(700, 500))[..., None], 3, axis=2)
    threads = cv2.getNumThreads()
    values = []
    try:
        for count in (1, 4):
            cv2.setNumThreads(count)
            values.append(printed(page, effect, dpi=200).tobytes())
    finally:
        cv2.setNumThreads(threads)
    assert values[0] == values[1]


@every_effect
def test_grey_and_colour_pages_are_printed_alike(effect):
    grey = text_page(230)
    colour = printed(np.repeat(grey[..., None], 3, axis=2), effect)
    for channel in np.moveaxis(colour, 2, 0):
        assert np.array_equal(channel, printed(grey, effect))
