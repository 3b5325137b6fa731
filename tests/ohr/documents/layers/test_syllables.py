"""Vowel signs and syllables of Indic scripts, by the places of their glyphs.

The faces that come with the project have no such letters. What a glyph looks like does not matter
here: Latin letters stand for them.
"""

from __future__ import annotations

import pytest

from tests.ohr.documents.layers.sheets import Sheet, layer_of, width_of

KA, TA, NA_HALF = "\u0915", "\u0924", "\u0928\u094d"
SIGN_I, SIGN_AA, SIGN_U, SIGN_E, NASAL = "\u093f", "\u093e", "\u0941", "\u0947", "\u0901"
CLAIMS = {"a": KA, "d": TA, "k": NA_HALF, "7": SIGN_I, "e": SIGN_AA, "u": SIGN_U, "o": NASAL}
SIZE = 20


def sheet_of(shown, claims=CLAIMS):
    return Sheet().font("F", "DejaVuSans.ttf", claims).text(40, 200, shown, size=SIZE)


@pytest.mark.parametrize(
    ("shown", "text"),
    [
        ("aed", KA + SIGN_AA + TA),
        ("7ad", KA + SIGN_I + TA),
        ("a7d", KA + TA + SIGN_I),
        ("a7kd", KA + NA_HALF + TA + SIGN_I),
        ("d 7a", f"{TA} {KA}{SIGN_I}"),
    ],
)
def test_a_sign_is_read_after_its_letter(tmp_path, shown, text):
    assert layer_of(sheet_of(shown), tmp_path).text == text


def test_a_sign_that_is_drawn_after_its_line_belongs_to_the_letter_above_it(tmp_path):
    sheet = sheet_of("adda dada").text(40, 197, "u", size=SIZE)
    assert layer_of(sheet, tmp_path).text == f"{KA}{SIGN_U}{TA}{TA}{KA} {TA}{KA}{TA}{KA}"


def test_a_mark_over_a_sign_is_read_with_the_letter_before_it(tmp_path):
    over = 40 + width_of("a", SIZE)
    sheet = sheet_of("ae").text(over, 203, "o", size=SIZE)
    sheet.text(40 + width_of("ae", SIZE), 200, "da", size=SIZE)
    assert layer_of(sheet, tmp_path).text == KA + SIGN_AA + NASAL + TA + KA


def test_a_glyph_that_has_a_letter_twice_is_no_double(tmp_path):
    claims = CLAIMS | {"k": f"{KA}\u094d{KA}"}
    assert layer_of(sheet_of("dk", claims), tmp_path).text == f"{TA}{KA}\u094d{KA}"


def test_words_of_joined_letters_end_at_small_gaps(tmp_path):
    """A file may lack a blank between two words, where a sign leans over it."""
    sheet = sheet_of("da da da da da da da da da da da")
    shift = 40 + width_of("da da da da da da da da da da da", SIZE)
    sheet.text(shift + 0.27 * SIZE, 200, "da", size=SIZE)
    assert layer_of(sheet, tmp_path).text == " ".join([TA + KA] * 12)


def test_a_mark_that_is_drawn_twice_is_read_once(tmp_path):
    sheet = sheet_of("ad").text(40, 203, "o", size=SIZE).text(41, 202, "o", size=SIZE)
    assert layer_of(sheet, tmp_path).text == KA + NASAL + TA
