"""Orientation in many writing systems: a turn is right or unknown, never wrong."""

from __future__ import annotations

import shutil

import numpy as np
import pytest

from ocr_backends.repairs.upright import upright
from ohr.documents import orientation
from ohr.documents.orientation import turn_of
from ohr.documents.osd import Orientation, detect_orientation
from ohr.errors import MissingDependencyError
from ohr.ocr.worker import note_turn
from ohr.types import Outcome
from tests.script_pages import WORDS, script_page

needs_tesseract = pytest.mark.skipif(shutil.which("tesseract") is None, reason="no tesseract")
HANGING = ("greek", "ukrainian", "arabic", "tamil")
"""Scripts of which upright pages were once said to be upside down."""


def check(script: str, turn: int, **how: int) -> None:
    """``turn``: degrees clockwise by which the page is turned."""
    page = script_page(script, **how)
    turned = np.ascontiguousarray(np.rot90(page, -turn // 90))
    assert turn_of(turned) in (None, turn or None)
    said = note_turn(Outcome("Latin letters, as an English engine reads them"), turned).detail
    assert said == "" or turn
    result = upright(turned)
    if result is not turned:
        assert turn
        assert np.array_equal(result, page)


@pytest.mark.slow
@needs_tesseract
@pytest.mark.parametrize("script", HANGING)
def test_no_upright_page_is_said_to_be_upside_down(script):
    check(script, 0)


@pytest.mark.slow
@needs_tesseract
@pytest.mark.parametrize("turn", [0, 90, 180, 270])
@pytest.mark.parametrize("script", WORDS)
def test_no_page_of_any_script_is_turned_wrongly(script, turn):
    check(script, turn)


@pytest.mark.slow
@needs_tesseract
@pytest.mark.parametrize("turn", [0, 180])
@pytest.mark.parametrize("script", WORDS)
def test_nor_in_another_font_with_fewer_lines(script, turn):
    check(script, turn, font=3, size=22, lines=9, seed=5)


@pytest.mark.slow
@needs_tesseract
@pytest.mark.parametrize("script", ["latin", "cyrillic", "hebrew"])
def test_pages_that_are_known_are_turned(script):
    page = script_page(script)
    for turns in (1, 2):
        assert np.array_equal(upright(np.ascontiguousarray(np.rot90(page, turns))), page)


@pytest.mark.parametrize(
    ("letters", "detected", "expected"),
    [
        (180, Orientation(2, 9.0, "Latin", 20.0), 180),  # two signs agree
        (180, Orientation(2, 0.7, "Latin", 20.0), None),  # one of them is hardly any
        (180, Orientation(0, 22.0, "Greek", 1.0), None),  # upright Greek
        (180, Orientation(2, 6.1, "Han", 1.4), None),  # agreement in a script that hangs
        (270, Orientation(1, 7.1, "Malayalam", 2.6), None),
        (180, Orientation(2, 3.7, "Latin", 0.6), None),  # hardly any sign of Latin
        (180, Orientation(2, 2.2, "Latin", 3.0), 180),
        (270, Orientation(1, 34.0, "Cyrillic", 0.2), 270),
        (270, Orientation(3, 25.0, "Greek", 1.0), 90),  # Greek on its side
        (270, Orientation(3, 5.0, "Cyrillic", 1.0), None),  # not sure of it
        (180, Orientation(1, 30.0, "Latin", 20.0), None),  # Latin is never believed alone
        (None, Orientation(2, 30.0, "Greek", 9.0), None),
        (180, None, None),
    ],
)
def test_two_signs_must_agree(monkeypatch, letters, detected, expected):
    monkeypatch.setattr(orientation, "_turn_by_letters", lambda image: letters)
    monkeypatch.setattr(orientation, "detect_orientation", lambda image: detected)
    assert turn_of(np.zeros((9, 9), np.uint8)) == expected


def test_without_tesseract_nothing_is_claimed(monkeypatch):
    def fail(image: np.ndarray) -> None:
        raise MissingDependencyError("no tesseract")

    monkeypatch.setattr(orientation, "_turn_by_letters", lambda image: 180)
    monkeypatch.setattr(orientation, "detect_orientation", fail)
    assert turn_of(np.zeros((9, 9), np.uint8)) is None


@needs_tesseract
def test_a_page_with_too_few_letters_has_no_orientation():
    assert detect_orientation(np.full((200, 200), 255, np.uint8)) is None
