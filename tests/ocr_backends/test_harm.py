"""Pages that need no repair come out with every word."""

from __future__ import annotations

import shutil
from collections import Counter

import cv2
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ocr_backends.repaired import Repaired, RepairedParams
from ocr_backends.repairs import upright as upright_module
from ocr_backends.repairs.clean import Clean
from ocr_backends.repairs.flatten import flatten
from ocr_backends.repairs.light import Light
from ocr_backends.repairs.lines import is_dark, letter_lines
from ocr_backends.repairs.proof import Evidence, confident_words, is_better, likely_words
from ocr_backends.repairs.upright import skew
from ocr_backends.tesseract import Tesseract
from ohr.plugins import ImageRepair, OcrBackend
from ohr.types import Outcome, Word
from tests.examples import examples
from tests.harm_pages import PAGES, dark, hatched
from tests.script_pages import WORDS, script_page

needs_tesseract = pytest.mark.skipif(shutil.which("tesseract") is None, reason="no tesseract")
HERE = "tests.ocr_backends.test_harm"
"""Pages that are also read in the fast tests."""


@pytest.mark.parametrize("name", PAGES)
def test_a_page_that_needs_nothing_is_neither_turned_nor_cut(name):
    page = PAGES[name]()
    assert abs(skew(page)) < 0.1
    assert flatten(page) is page


@needs_tesseract
@pytest.mark.slow
@pytest.mark.parametrize("name", PAGES)
def test_no_word_of_a_page_that_needs_nothing_is_lost(name):
    page = PAGES[name]()
    before = Counter((Tesseract().read(page).value or "").split())
    repaired = Repaired(RepairedParams(steps=("flatten", "upright"))).read(page)
    after = Counter((repaired.value or "").split())
    assert not before - after


@needs_tesseract
@pytest.mark.slow
@pytest.mark.parametrize("name", ["dark", "dark_slide", "cover", "lines_chart"])
def test_no_other_repair_costs_a_word(name):
    page = PAGES[name]()
    before = Counter((Tesseract().read(page).value or "").split())
    repaired = Repaired(RepairedParams(steps=("light", "clean"))).read(page)
    lost = sum((before - Counter((repaired.value or "").split())).values())
    assert lost <= 0.02 * before.total()


@examples(12)
@given(st.floats(-14, 14), st.integers(8, 30), st.integers(1, 5), st.booleans(), st.integers(0, 6))
def test_strokes_at_any_angle_are_no_skew(angle, apart, thick, is_dark_page, gap):
    """Strokes, or dashes if there are gaps, under six lines of level text."""
    page = hatched()
    page[400:] = 255
    slope = np.tan(np.radians(angle))
    for number in range(0, 500, apart):
        for left_edge in range(90, 900, 40):
            right = left_edge + (40 if gap == 0 else 40 - 4 * gap)
            ends = [(x, round(650 + number + slope * (x - 500))) for x in (left_edge, right)]
            cv2.line(page, *ends, color=0, thickness=thick)
    assert abs(skew(255 - page if is_dark_page else page)) < 0.1


@pytest.mark.slow
@examples(10)
@given(st.floats(-13, 13))
def test_the_skew_of_a_dark_page_is_known(angle):
    page = dark()
    matrix = cv2.getRotationMatrix2D((500, 650), angle, 1.0)
    turned = cv2.warpAffine(page, matrix, (1000, 1300), borderValue=8)
    assert skew(turned) == pytest.approx(-angle, abs=0.34)


@pytest.mark.slow
@pytest.mark.parametrize("script", [s for s in WORDS if s != "korean"])
def test_level_lines_of_every_script_are_level(script):
    page = script_page(script)
    assert len(letter_lines(page)) >= 15
    assert abs(skew(page)) < 0.15


@pytest.mark.parametrize("script", ["latin", "greek", "arabic", "tamil", "devanagari", "chinese"])
def test_slanted_lines_of_every_script_are_seen(script):
    page = script_page(script)
    height, width = page.shape
    matrix = cv2.getRotationMatrix2D((width / 2, height / 2), 4.0, 1.0)
    turned = cv2.warpAffine(page, matrix, (width, height), borderValue=255)
    assert skew(turned) == pytest.approx(-4.0, abs=0.5)


def test_dark_is_what_has_light_letters():
    assert is_dark(dark())
    assert not is_dark(255 - dark())
    poor_light = (0.3 * (255 - dark().astype(float))).astype(np.uint8)  # a photograph at night
    assert not is_dark(poor_light)
    assert not is_dark(np.zeros((50, 50), np.uint8))


def test_a_dark_page_is_cleaned_as_its_negative():
    assert np.array_equal(Clean().repair(dark()), Clean().repair(255 - dark()))
    assert np.array_equal(Light().repair(dark()), Light().repair(255 - dark()))


class Cut(ImageRepair):
    """Cuts the right half off a page."""

    name = "cut"

    def repair(self, image: np.ndarray) -> np.ndarray:
        return np.ascontiguousarray(image[:, : image.shape[1] // 2])


class Darker(ImageRepair):
    """Sets a page to 100."""

    name = "darker"

    def repair(self, image: np.ndarray) -> np.ndarray:
        return np.full_like(image, 100)


class Lamp(OcrBackend):
    """Reads a word for each ten columns, sure of them on bright pages; fails on a page of 100."""

    name = "lamp"
    has_confidence = True

    def read(self, image: np.ndarray) -> Outcome[str]:
        if (image == 100).all():
            return Outcome.error("too dark")
        return Outcome.of_text(" ".join(word.text for word in self.words(image)))

    def words(self, image: np.ndarray) -> tuple[Word, ...]:
        sure = float(image[0, 0]) / 255
        return tuple(
            Word(f"word{number:03}", sure, (0, 0, 30, 10)) for number in range(image.shape[1] // 10)
        )


class Unsure(Lamp):
    """The same without confidences."""

    name = "unsure"
    has_confidence = False


class Brighter(ImageRepair):
    """Makes a page white."""

    name = "brighter"

    def repair(self, image: np.ndarray) -> np.ndarray:
        return np.full_like(image, 255)


def engine(*steps: str, reader: str = "Lamp") -> Repaired:
    names = [f"{HERE}.{step}" for step in steps]
    return Repaired(RepairedParams(engine=f"{HERE}.{reader}", steps=names))


@pytest.mark.parametrize("reader", ["Lamp", "Unsure"])
def test_a_cut_that_loses_words_is_left_out(reader):
    page = np.full((40, 400), 230, np.uint8)
    outcome = engine("Cut", reader=reader).read(page)
    assert len((outcome.value or "").split()) == 40
    assert outcome.detail == f"no more words with {HERE}.Cut: left out"


def test_a_repair_that_helps_is_kept_without_one_that_harms():
    page = np.full((40, 400), 120, np.uint8)  # nothing is sure here
    outcome = engine("Cut", "Brighter").read(page)
    assert len((outcome.value or "").split()) == 40
    assert outcome.detail == f"no more words with {HERE}.Cut: left out"
    assert engine("Brighter").read(page).detail == ""


def test_a_repaired_page_that_fails_does_not_fail_the_page():
    page = np.full((40, 400), 230, np.uint8)
    outcome = engine("Darker").read(page)
    assert outcome.value == Lamp().read(page).value
    assert outcome.detail == f"not read with {HERE}.Darker: too dark"
    black = np.full((40, 400), 100, np.uint8)
    assert engine("Brighter").read(black).value is not None
    assert engine("Darker").read(black).detail.startswith("too dark")


WORD = st.text("abcdefgh", min_size=1, max_size=9)


@examples(100)
@given(st.lists(WORD, max_size=30), st.lists(WORD, max_size=30))
def test_of_two_readings_one_at_most_is_better(one, other):
    first, second = likely_words(" ".join(one)), likely_words(" ".join(other))
    assert not (is_better(first, second) and is_better(second, first))
    assert not is_better(first, first)
    if is_better(first, second):
        longer, shorter = ("".join(each.sure.elements()) for each in (second, first))
        assert len(longer) > len(shorter)


def test_words_that_run_up_the_page_are_no_gain():
    up = [Word("harbour", 0.9, (0, 0, 10, 60)), Word("keeper", 0.9, (20, 0, 30, 60))]
    level = [Word("harbour", 0.9, (0, 0, 60, 10)), Word("keeper", 0.9, (0, 20, 60, 30))]
    assert is_better(confident_words(up), confident_words(level))
    assert not is_better(confident_words(level), confident_words(up))
    assert confident_words([Word("harbour", 0.2, (0, 0, 60, 10))]) == Evidence()
    doubtful = [Word(word.text, 0.5, word.box) for word in level]
    assert not is_better(confident_words(level), confident_words(doubtful * 2))


def test_a_title_is_not_given_for_doubtful_words():
    text = [Word(f"word{number:03}", 0.9, (0, 0, 60, 10)) for number in range(40)]
    doubtful = [Word(f"other{number}", 0.6, (0, 0, 60, 10)) for number in range(20)]
    assert not is_better(confident_words(text), confident_words(text[5:] + doubtful))
    assert is_better(confident_words(text), confident_words(text + doubtful))


@pytest.mark.slow
@needs_tesseract
def test_a_weak_answer_is_proved_by_reading(monkeypatch):
    """Sideways slides have few letters: Tesseract's orientation is right, but not sure of it."""
    detect = upright_module.detect_orientation

    def weak(image: np.ndarray) -> object:
        found = detect(image)
        return None if found is None else type(found)(found.turns, 0.4, "Latin", 1.0)

    monkeypatch.setattr(upright_module, "detect_orientation", weak)
    slide = PAGES["bright_slide"]()
    for turns in range(4):
        turned = np.ascontiguousarray(np.rot90(slide, turns))
        assert np.array_equal(upright_module.upright(turned), slide)


@pytest.mark.slow
@needs_tesseract
@pytest.mark.parametrize("wrong", [1, 2, 3])
def test_a_wrong_answer_is_refuted_by_reading(monkeypatch, wrong):
    answer = upright_module.Orientation(wrong, 30.0, "Latin", 30.0)
    monkeypatch.setattr(upright_module, "detect_orientation", lambda image: answer)
    slide = PAGES["bright_slide"]()
    assert upright_module.upright(slide) is slide


@pytest.mark.slow
@needs_tesseract
def test_lines_that_run_down_show_a_page_on_its_side(monkeypatch):
    monkeypatch.setattr(upright_module, "detect_orientation", lambda image: None)
    page = hatched()
    for turns in (1, 3):
        turned = np.ascontiguousarray(np.rot90(page, turns))
        assert np.array_equal(upright_module.upright(turned), page)
