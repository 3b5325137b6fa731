"""Repairs of page images: photographs become flat and upright, scans stay as they are."""

from __future__ import annotations

import shutil
from pathlib import Path

import cv2
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib import get_data_path
from PIL import Image, ImageDraw, ImageFont

from ocr_backends.repaired import Repaired, RepairedParams
from ocr_backends.repairs.flatten import find_page, flatten
from ocr_backends.repairs.light import even_light
from ocr_backends.repairs.upright import LARGEST_SKEW, skew, upright
from ohr.errors import ConfigError, EngineError
from perturb.image.camera import Camera, CameraParams
from tests.examples import examples

needs_tesseract = pytest.mark.skipif(shutil.which("tesseract") is None, reason="no tesseract")
WORDS = "The lighthouse of Alderport was finished in 1931 and rebuilt after the great storm"


def write_text(lines: int = 30) -> np.ndarray:
    """A white page with lines of text, 1240 x 1754 pixels."""
    page = Image.new("L", (1240, 1754), 255)
    font = ImageFont.truetype(Path(get_data_path()) / "fonts" / "ttf" / "DejaVuSerif.ttf", 24)
    draw = ImageDraw.Draw(page)
    for number in range(lines):
        text = f"{number} {WORDS[: 40 + 7 * (number % 5)]}"
        draw.text((90, 100 + number * 50), text, fill=0, font=font)
    return np.asarray(page).copy()


def marked_page() -> np.ndarray:
    """A white page with a dark mark in each of 5 x 4 places."""
    page = np.full((1754, 1240), 250, np.uint8)
    for row in range(5):
        for column in range(4):
            cv2.circle(page, (170 + 300 * column, 177 + 350 * row), 22, 20, -1)
    return page


def marks_of(page: np.ndarray) -> np.ndarray:
    """The middles of the dark marks inside a page, over its sides, sorted by rows."""
    dark = (even_light(page) < 110).astype(np.uint8)
    _, _, stats, middles = cv2.connectedComponentsWithStats(dark)
    height, width = page.shape[:2]
    area, x, y = stats[1:, cv2.CC_STAT_AREA], middles[1:, 0] / width, middles[1:, 1] / height
    inside = (area > 0.15 * np.median(area)) & (np.abs(x - 0.5) < 0.46) & (np.abs(y - 0.5) < 0.46)
    return np.stack([x, y], axis=1)[inside]


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("bent", [(), ("bend",)])
def test_a_photographed_page_is_cut_out_and_flat(seed, bent):
    page = marked_page()
    camera = Camera(CameraParams(conditions=("outdoor", *bent)))
    photograph = camera.apply(page, intensity=1.0, rng=np.random.default_rng(seed)).value
    flat = flatten(photograph)
    assert flat is not photograph
    expected, seen = marks_of(page), marks_of(flat)
    assert len(expected) == 20
    nearest = np.abs(expected[:, None] - seen[None]).max(axis=2).min(axis=1)
    before = np.abs(expected[:, None] - marks_of(photograph)[None]).max(axis=2).min(axis=1)
    assert np.median(nearest) < 0.02
    assert nearest.mean() < 0.5 * before.mean()


@pytest.mark.parametrize("paper", [255, 205])
def test_a_scan_stays_as_it_is(paper):
    page = write_text()
    page = np.minimum(page, paper).astype(np.uint8)
    assert flatten(page) is page
    assert find_page(np.full((300, 200), paper, np.uint8)) is None
    colour = cv2.cvtColor(page, cv2.COLOR_GRAY2RGB)
    assert flatten(colour) is colour


@pytest.mark.parametrize("shape", [(1, 1), (1, 500), (500, 1), (5, 700, 3), (40, 3000)])
def test_a_picture_too_narrow_for_a_page_stays_as_it_is(shape):
    picture = np.random.default_rng(0).integers(0, 256, shape, dtype=np.uint8)
    assert flatten(picture) is picture
    assert skew(picture) == pytest.approx(0.0, abs=LARGEST_SKEW)
    assert even_light(picture).shape == shape


@pytest.mark.slow
def test_a_picture_without_a_page_stays_as_it_is():
    noise = np.random.default_rng(0).integers(0, 256, (400, 300, 3), dtype=np.uint8)
    assert flatten(noise) is noise


@pytest.mark.slow
@examples(15)
@given(st.floats(-LARGEST_SKEW + 1, LARGEST_SKEW - 1))
def test_the_skew_of_text_is_known_to_a_third_of_a_degree(angle):
    page = write_text()
    matrix = cv2.getRotationMatrix2D((620, 877), angle, 1.0)
    turned = cv2.warpAffine(page, matrix, (1240, 1754), borderValue=255)
    assert skew(turned) == pytest.approx(-angle, abs=0.34)


def test_a_page_without_ink_has_no_skew():
    assert skew(np.full((300, 200), 255, np.uint8)) == 0.0


@pytest.mark.slow
@needs_tesseract
@pytest.mark.parametrize("turns", [0, 1, 2, 3])
def test_a_page_is_turned_upright(turns):
    page = write_text()
    turned = np.ascontiguousarray(np.rot90(page, turns))
    result = upright(turned)
    assert result.shape == page.shape
    assert np.abs(result.astype(int) - page).mean() < 4


@pytest.mark.slow
@needs_tesseract
def test_a_level_page_stays_as_it_is():
    page = write_text()
    assert upright(page) is page


def test_shadows_go_and_ink_stays():
    page = write_text()
    light = np.linspace(0.35, 1.0, 1240)
    dark = np.rint(page * light).astype(np.uint8)
    even = even_light(dark)
    assert np.percentile(even, 20) > 240
    assert even[page < 50].mean() < 90
    colour = cv2.cvtColor(dark, cv2.COLOR_GRAY2RGB)
    assert even_light(colour).shape == colour.shape


@pytest.mark.slow
@needs_tesseract
def test_an_engine_reads_the_repaired_page():
    page = np.ascontiguousarray(np.rot90(write_text(), 2))
    outcome = Repaired(RepairedParams(steps=("upright",))).read(page)
    assert "of Alderport was finished" in (outcome.value or "")
    assert outcome.detail == ""
    level = Repaired(RepairedParams(steps=("flatten", "upright"))).read(write_text())
    assert level.detail == "not changed by flatten and upright"


def test_a_failure_of_tesseract_is_not_taken_for_a_level_page(monkeypatch):
    pytesseract = pytest.importorskip("pytesseract")

    def fail(*_: object, **__: object) -> str:
        raise pytesseract.TesseractError(1, "out of memory")

    monkeypatch.setattr(pytesseract, "image_to_osd", fail)
    with pytest.raises(EngineError, match="out of memory"):
        upright(write_text())


def test_the_identity_has_steps_and_engine():
    params = [
        RepairedParams(engine="tests.fakes.LoggingEngine"),
        RepairedParams(engine="tests.fakes.SureEngine"),
        RepairedParams(engine="tests.fakes.LoggingEngine", steps=("light",)),
    ]
    identities = [Repaired(some).identity() for some in params]
    assert all(identities.count(identity) == 1 for identity in identities)


def test_an_engine_without_page_images_is_refused():
    with pytest.raises(ConfigError, match="reads no page images"):
        Repaired(RepairedParams(engine="pdf_text"))
