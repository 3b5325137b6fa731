"""What the glyphs of a font say about each other."""

from __future__ import annotations

import pytest

from ohr.documents.layers import text_layers
from ohr.documents.layers.font_evidence import mistaken_glyphs
from tests.ohr.documents.layers.sheets import SANS, SERIF, Sheet

LINES = [
    "The Älteste of five offices kept a Äpfel list of all",
    "bays that Amsel and Ähre saw for fifty years on oath,",
    "where Unna and Übach have their first small harbour",
]


def mistaken(tmp_path, claims, face=SERIF, lines=LINES):
    sheet = Sheet().font("F", face, claims).lines(20, 250, lines)
    [layer] = text_layers(sheet.write(tmp_path / "sheet.pdf"), [0])
    return {glyph.text for glyph in mistaken_glyphs([layer])}


@pytest.mark.parametrize("face", [SANS, SERIF])
def test_nothing_is_mistaken_on_a_page_that_is_right(tmp_path, face):
    assert mistaken(tmp_path, {}, face) == set()


@pytest.mark.parametrize(
    ("claims", "wrong"),
    [
        ({"Ä": "A", "Ü": "U"}, {"A", "U"}),
        ({"T": "t"}, {"t"}),
        ({"\ufb01": "f"}, {"f"}),
    ],
)
def test_a_claim_that_another_glyph_fits_is_mistaken(tmp_path, claims, wrong):
    lines = [line.replace("fi", "\ufb01") for line in LINES] if "\ufb01" in claims else LINES
    assert mistaken(tmp_path, claims, lines=lines) == wrong


def test_letters_that_have_changed_places_are_mistaken(tmp_path):
    assert mistaken(tmp_path, {"h": "v", "v": "h"}) == {"h", "v"}


def test_small_capitals_are_no_mistake(tmp_path):
    claims = {small: letter for letter, small in zip("acek", "ᴀᴄᴇᴋ", strict=True)}
    lines = [*LINES, "ᴀᴄᴇᴋ ᴋᴇᴄᴀ ᴄᴀᴇᴋ back a cake each week"]
    assert mistaken(tmp_path, claims, SANS, lines) == set()
