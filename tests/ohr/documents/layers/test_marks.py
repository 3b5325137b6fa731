"""Marks that look like letters, in pictures of pages."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image, ImageDraw, ImageFont

from ohr.documents.layers.marks import find_marks
from tests.ohr.documents.layers.sheets import FACES, SANS

NO_WORDS = np.zeros((0, 4), np.int64)
SCALE = 1.5


def picture(*texts, size=15, ink=0, paper=255):
    """Lines of text on a page of 400 x 200 pixels."""
    image = Image.new("RGB", (400, 200), (paper,) * 3)
    font = ImageFont.truetype(str(FACES / SANS), size)
    for number, text in enumerate(texts):
        ImageDraw.Draw(image).text((20, 20 + 40 * number), text, font=font, fill=(ink,) * 3)
    return np.asarray(image)


@pytest.mark.parametrize(("ink", "paper"), [(0, 255), (255, 30), (90, 200)])
def test_letters_are_marks_whatever_their_colour(ink, paper):
    count, area = find_marks(picture("harbour office", ink=ink, paper=paper), SCALE, NO_WORDS)
    assert 11 <= count <= 13
    assert area > 100


def test_an_empty_page_and_faint_text_have_none():
    assert find_marks(picture(), SCALE, NO_WORDS) == (0, 0)
    assert find_marks(picture("harbour office", ink=240), SCALE, NO_WORDS) == (0, 0)


def test_marks_within_words_are_theirs():
    page = picture("harbour", "office")
    both, _ = find_marks(page, SCALE, NO_WORDS)
    first = np.array([[10, 10, 200, 50]])
    rest, _ = find_marks(page, SCALE, first)
    assert 0 < rest < both


def test_a_letter_alone_is_no_text():
    assert find_marks(picture("a"), SCALE, NO_WORDS)[0] == 0


@given(st.integers(0, 120), st.integers(0, 120))
@settings(max_examples=20)
def test_marks_do_not_depend_on_their_place(dx, dy):
    page = picture("harbour")
    moved = np.roll(page, (dy, dx), axis=(0, 1))
    count, area = find_marks(page, SCALE, NO_WORDS)
    assert find_marks(moved, SCALE, NO_WORDS) == (count, area)
