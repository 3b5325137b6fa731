"""What is one text in several code points; ``docs/reference/protocols.md`` has the table."""

from __future__ import annotations

import re
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ohr.markup.folding import fold, fold_amounts, fold_glyphs, fold_quotation

ALL = [chr(code) for code in range(0x110000) if not 0xD800 <= code < 0xE000]
SEEN = set("\u0600\u0601\u0602\u0603\u0604\u0605\u06dd\u070f\u0890\u0891\u08e2\u180e")
"""Format characters that are seen, or say something in their script."""


@given(st.text(st.characters(max_codepoint=127)))
def test_ascii_stays(text):
    for folded in (fold, fold_glyphs, fold_amounts, fold_quotation):
        assert folded(text) is text


@pytest.mark.slow
@given(st.text() | st.text("1½²₃.,á\u0301\u00ad\u200c\u200dیم́①™ 5"))
def test_folding_twice_is_folding_once_but_for_what_is_new_beside_it(text):
    assert fold_glyphs(fold_glyphs(text)) == fold_glyphs(text)
    assert fold(fold(text)) == fold(text)


def test_equal_texts_are_one_in_any_normal_form():
    for form in ("NFC", "NFD"):
        text = unicodedata.normalize(form, "Müller, Tiếng Việt, 한국어, Å")
        assert fold_glyphs(text) == fold(text) == unicodedata.normalize("NFC", text)


def test_every_format_character_is_dropped_but_those_that_say_something():
    kept = {c for c in ALL if unicodedata.category(c) == "Cf" and fold_glyphs(f"a{c}b") != "ab"}
    rest = {c for c in kept if unicodedata.name(c).startswith(("EGYPTIAN", "KAITHI"))}
    assert kept - rest == SEEN
    for selector in ("\ufe0e", "\ufe0f", "\U000e0100"):
        assert fold_glyphs(f"✔{selector}") == "✔"


def test_every_sign_of_a_number_stands_apart_from_digits():
    of_digits = [
        c
        for c in ALL
        if re.search("[0-9]", unicodedata.normalize("NFKC", c))
        and unicodedata.category(c) not in ("Nd", "So")
    ]
    glued = [c for c in of_digits if " " not in fold(f"7{c}") and c != "\u215f"]
    assert len(of_digits) > 100
    assert glued == []
    assert all(" " in fold(f"{c}7") for c in of_digits if c != "\u215f"), "but 1⁄ before its 7"


@pytest.mark.parametrize(
    ("text", "folded"),
    [
        ("1½ cups", "1 1/2 cups"), ("½", "1/2"), ("45.3¹²", "45.3 12"), ("10⁻⁵", "10 −5"),
        ("x₁²", "x1 2"), ("²³⁵U", "235U"), ("½⅓", "1/2 1/3"), ("№5", "No 5"), ("24㏠", "24 1日"),
        ("don´t", "don´t"), ("Ⅳ", "IV"), ("ſo", "so"), ("محـــمد", "محمد"), ("…", "..."),
    ],
)  # fmt: skip
def test_what_words_are_made_of(text, folded):
    assert fold(text) == folded
    if text not in ("Ⅳ", "…", "don´t"):
        assert fold_glyphs(text) != folded or fold_glyphs(text) == text


def test_a_non_joiner_stays_where_letters_join_and_goes_elsewhere():
    persian = "می\u200cروم"
    assert fold(persian) == fold_glyphs(persian) == persian
    assert fold("Auf\u200clage") == "Auflage"
    assert fold("क्\u200cष") == fold("क्\u200dष") == fold("क्ष")
    assert fold("می\u200c ") == "می "


def test_a_chillu_is_one_letter_in_either_spelling():
    assert fold("അവന്\u200d") == fold("അവൻ") != fold("അവന്")


@pytest.mark.parametrize(
    ("text", "folded"),
    [("45.3¹", "45.3"), ("1½", "1 1/2"), ("10⁵", "10 5"), ("1\u202f000", "1\u202f000"),
     ("10\u00a0000 m²", "10\u00a0000 m2")],
)  # fmt: skip
def test_amounts_lose_their_note_marks_and_keep_their_thousands(text, folded):
    assert fold_amounts(text) == folded


def test_quotations_are_one_in_any_type():
    assert fold_quotation("“x” ‘y’ «z» 5–6—7−8") == '"x" \'y\' "z" 5-6-7-8'
