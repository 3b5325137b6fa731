"""What the characters of a layer are: ligatures, control codes, hyphens without ink."""

from __future__ import annotations

import pytest

from tests.ohr.documents.layers.sheets import Sheet, layer_of, verdict_on


@pytest.mark.slow
def test_a_ligature_of_equal_letters_is_as_wide_as_it_is_drawn(tmp_path):
    sheet = Sheet().font("F", "DejaVuSans.ttf", {"\ufb00": "ff"})
    sheet.text(20, 270, "the sta\ufb00ed o\ufb00er of a mast")
    assert layer_of(sheet, tmp_path).text == "the staffed offer of a mast"


def test_a_glyph_with_the_code_of_a_tab_is_no_blank(tmp_path):
    letters = "abcdefghijklmnopqrst"  # the numbers of their glyphs, 1 to 20, are their codes
    sheet = Sheet().font("F", "DejaVuSans.ttf", dict.fromkeys(letters)).text(20, 270, letters)
    assert layer_of(sheet, tmp_path).text == "\ufffd" * len(letters)


def test_a_soft_hyphen_without_ink_under_the_next_letter_is_nothing(tmp_path):
    sheet = Sheet().font("F", "DejaVuSans.ttf", {"-": "\xad"}).text(20, 270, "har")
    sheet.text(35.5, 270, "-", mode=3).text(35.5, 270, "bour")
    assert "-" not in layer_of(sheet, tmp_path).text


def test_a_blank_that_the_font_draws_something_for_is_a_glyph_without_a_character(tmp_path):
    sheet = Sheet().font("F", "DejaVuSans.ttf", {"1": " "}).text(20, 270, "fee 318 of 12 boats")
    verdict = verdict_on(sheet, tmp_path)
    assert [word.text for word in verdict.doubtful] == ["3\ufffd8", "2"]
    assert verdict.text == "fee 3\ufffd8 of 2 boats"


def test_a_letter_without_an_outline_is_doubtful(tmp_path):
    sheet = Sheet().font("F", "DejaVuSans.ttf").text(20, 270, "the harbour office")
    sheet.font("G", "DejaVuSans.ttf", {" ": "e"}).text(20, 250, "har bour of fice", font="G")
    verdict = verdict_on(sheet, tmp_path)
    assert {word.text for word in verdict.doubtful} == {"harebour", "ofefice"} or verdict.fault
