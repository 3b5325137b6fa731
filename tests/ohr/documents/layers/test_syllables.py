"""Vowel signs and syllables of Indic scripts, by the places of their glyphs.

The faces that come with the project have no such letters. What a glyph looks like does not matter
here: Latin letters stand for them.
"""

from __future__ import annotations

import pytest

from ohr.documents.layers.scripts import is_malformed
from tests.ohr.documents.layers.sheets import Sheet, layer_of, verdict_on, width_of

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


def test_a_mark_over_a_sign_in_one_glyph_takes_its_room(tmp_path):
    """A vowel sign and its mark may be one glyph, which stands beside its letter."""
    claims = CLAIMS | {"e": SIGN_AA + "\u0902"}
    assert layer_of(sheet_of("aed", claims), tmp_path).text == f"{KA}{SIGN_AA}\u0902{TA}"


def test_a_sign_that_is_said_to_be_its_whole_syllable_is_read_with_its_letter(tmp_path):
    claims = CLAIMS | {"i": KA + SIGN_AA}
    assert layer_of(sheet_of("aid", claims), tmp_path).text == KA + SIGN_AA + TA


def test_what_a_sign_stands_for_is_unknown_if_its_text_has_another_letter(tmp_path):
    claims = CLAIMS | {"i": KA + SIGN_AA}
    sheet = sheet_of("ad did", claims)
    assert layer_of(sheet, tmp_path).text == f"{KA}{TA} {TA}\ufffd{TA}"
    assert [word.text for word in verdict_on(sheet, tmp_path).doubtful] == [f"{TA}\ufffd{TA}"]


def test_a_mark_is_read_with_the_letter_after_which_it_is_set(tmp_path):
    """It is drawn between two letters, after the whole line, as fonts draw marks: from the right.

    The line's last letter is nearer in the file, and has nothing to do with it.
    """
    end = 40 + width_of("a", SIZE)
    sheet = sheet_of("add").text(end, 197, "u", size=SIZE)
    text = layer_of(sheet, tmp_path).text
    assert text.replace(SIGN_U, "") == KA + TA + TA


SARA_AM, SARA_AA, NO_NU = "\u0e33", "\u0e32", "\u0e19"


def test_the_halves_of_a_sara_am_are_one_letter(tmp_path):
    """The ring over the letter has the text of both, and the stroke beside it has none."""
    claims = {"o": SARA_AM, "l": None, "n": NO_NU, "j": SARA_AA}
    sheet = sheet_of("nj", {"j": SARA_AA, "n": NO_NU})
    assert layer_of(sheet, tmp_path).text == NO_NU + SARA_AA
    halves = Sheet().font("F", "DejaVuSans.ttf", claims).text(40, 200, "njnol", size=SIZE)
    halves.font("G", "DejaVuSans.ttf", {"l": SARA_AA}).text(150, 200, "l", size=SIZE, font="G")
    assert layer_of(halves, tmp_path).text.split()[0].endswith(SARA_AM)


@pytest.mark.parametrize(
    ("text", "is_wrong"),
    [
        ("\u0932\u0902\u092c\u093e", False),
        ("\u0932\u092c\u0902\u093e", True),
        ("\u093e\u0932", True),
        ("\u0baa\u0bb2\u0bae\u0bc8\u0bbe\u0b95", True),
        ("\u0bae\u0bc6\u0bbe\u0bb4\u0bbf", False),
        ("\u0915\u094d\u200d\u0937", False),
        ("\u0d05\u0d24\u0d41\u0d4d", False),
        ("\u0905\u0924\u0941\u094d", True),
        ("\u092e\u0906\u0947", True),
        ("\u0905\u0945\u092a", False),
        ("\u0a05\u0a3e", True),
        ("crane", False),
        ("\u4e00", False),
    ],
)
def test_vowel_signs_stand_after_consonants(text, is_wrong):
    assert is_malformed(text) == is_wrong
