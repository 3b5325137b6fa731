"""Lines with Arabic or Hebrew are read in the order of reading."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ohr.documents.layers.bidi import logical, runs_right_to_left
from tests.ohr.documents.layers.sheets import Sheet, layer_of, width_of

HEBREW = st.sampled_from("אבגדהוזחטיכלמנסעפצקרשת")


def read(text, *, right_to_left):
    return "".join(logical(text, str, right_to_left=right_to_left))


@given(st.text(HEBREW))
def test_a_line_of_hebrew_letters_is_reversed(text):
    assert read(text, right_to_left=True) == text[::-1]


@pytest.mark.parametrize(
    ("seen", "read_as", "right_to_left"),
    [
        ("םולש", "שלום", True),
        ("12 הנש", "שנה 12", True),
        ("1,204.50 ריחמ", "מחיר 1,204.50", True),
        ("PDF ץבוק", "קובץ PDF", True),
        ("ריעב PDF ץבוק", "קובץ PDF בעיר", True),
        ("the word םולש means peace", "the word שלום means peace", False),
        ("the words בוט םוי mean", "the words יום טוב mean", False),
        ("2024 ةنس", "سنة 2024", True),
    ],
)
def test_numbers_and_latin_words_keep_their_direction(seen, read_as, right_to_left):
    assert read(seen, right_to_left=right_to_left) == read_as


def test_the_direction_is_that_of_most_letters():
    assert runs_right_to_left(["שלום", "PDF"])
    assert not runs_right_to_left(["the word", "שלום"])
    assert not runs_right_to_left(["12", "%"])


HARBOUR = "משרד הנמל נפתח בשעה 9 בבוקר"
FEES = "האגרה היא 45 אירו ליום"


@pytest.mark.parametrize("by_glyph", [False, True])
def test_hebrew_that_the_file_draws_from_left_to_right_is_read_from_right_to_left(
    tmp_path, by_glyph
):
    sheet = Sheet((300, 200))
    for number, text in enumerate((HARBOUR, FEES)):
        seen = "".join(reversed(text)).replace("54", "45")
        if by_glyph:
            places = [20 + width_of(seen[:n]) for n in range(len(seen))]
            for x, letter in reversed(list(zip(places, seen, strict=True))):
                sheet.text(x, 160 - 14 * number, letter)
        else:
            sheet.text(20, 160 - 14 * number, seen)
    assert layer_of(sheet, tmp_path).text == f"{HARBOUR}\n{FEES}"


def test_forms_of_arabic_letters_are_read_as_their_letters(tmp_path):
    claims = {"ﺳ": "س", "ﻼ": "لا", "ﻡ": "م"}
    sheet = Sheet().font("F", "DejaVuSans.ttf", claims).text(20, 260, "ﺳﻼﻡ"[::-1])
    assert layer_of(sheet, tmp_path).text == "سلام"
