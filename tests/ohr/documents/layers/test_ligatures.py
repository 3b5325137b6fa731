"""Ligatures that stand for their letters."""

from __future__ import annotations

from tests.ohr.documents.layers.sheets import Sheet, layer_of


def test_a_ligature_of_equal_letters_is_as_wide_as_it_is_drawn(tmp_path):
    sheet = Sheet().font("F", "DejaVuSans.ttf", {"\ufb00": "ff"})
    sheet.text(20, 270, "the sta\ufb00ed o\ufb00er of a mast")
    assert layer_of(sheet, tmp_path).text == "the staffed offer of a mast"
