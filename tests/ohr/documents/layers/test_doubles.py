"""Text that is drawn twice, as for a shadow or as bold, is read once."""

from __future__ import annotations

import numpy as np
import pytest

from ohr.documents.layers.faces import SIZE, own_faces
from ohr.documents.layers.pictures import SHADOW, _cut
from tests.ohr.documents.layers.sheets import SERIF, Sheet, layer_of, verdict_on, width_of
from tests.ohr.documents.layers.texts import NOTICE


def doubled(shift, *, face="DejaVuSans.ttf"):
    """Each word is drawn twice, in two objects."""
    sheet = Sheet().font("F", face)
    for number, text in enumerate(NOTICE):
        base = 260 - 14 * number
        sheet.text(20 + shift, base - shift, text).text(20, base, text)
    return sheet


@pytest.mark.parametrize("face", ["DejaVuSans.ttf", SERIF])
@pytest.mark.parametrize("shift", [0, 0.3, 1], ids=["same place", "bold", "shadow"])
def test_lines_that_are_drawn_twice_are_read_once(tmp_path, shift, face):
    layer = layer_of(doubled(shift, face=face), tmp_path)
    assert layer.text.split("\n") == list(NOTICE)
    assert layer.order_known


@pytest.mark.parametrize("shift", [0.3, 1], ids=["bold", "shadow"])
def test_the_ink_of_a_copy_is_that_of_the_text(tmp_path, shift):
    layer = layer_of(doubled(shift), tmp_path)
    assert layer.covered == 1
    assert not any(word.incomplete for word in layer.words)


def test_a_grey_shadow_that_is_drawn_first_as_a_whole_is_no_text(tmp_path):
    sheet = Sheet().font("F", "DejaVuSans.ttf").font("G", "DejaVuSans.ttf")
    sheet.pieces.append(".6 g ")
    sheet.lines(21, 259, NOTICE, font="G")
    sheet.pieces.append("0 g ")
    sheet.lines(20, 260, NOTICE)
    assert layer_of(sheet, tmp_path).text.split("\n") == list(NOTICE)


@pytest.mark.parametrize("shift", [0.3, 1], ids=["bold", "shadow"])
def test_words_over_a_line_that_says_the_same_are_read_once(tmp_path, shift):
    """PDFium drops a copy only if it is of one piece with the other."""
    sheet = Sheet()
    for number, line in enumerate(NOTICE):
        sheet.text(20 + shift, 260 - 12 * number - shift, line)
    for number, line in enumerate(NOTICE):
        x = 20.0
        for word in line.split():
            sheet.text(x, 260 - 12 * number, word)
            x += width_of(word + " ")
    layer = layer_of(sheet, tmp_path)
    assert layer.text.split("\n") == list(NOTICE)
    assert layer.covered == 1
    assert not any(word.incomplete for word in layer.words)


def test_a_letter_that_pdfium_takes_for_a_copy_makes_its_word_doubtful(tmp_path):
    """Each letter is a piece of its own, and the second f is close to the first."""
    sheet, x = Sheet(), 20.0
    for letter, step in zip("fluffy", (0, 0, 0, 1.2, 0, 0), strict=True):
        sheet.text(x, 260, letter)
        x += step or width_of(letter)
    verdict = verdict_on(sheet.text(80, 260, "boats"), tmp_path)
    assert [word.text for word in verdict.doubtful] == ["flufy"]


@pytest.mark.slow
def test_words_that_are_written_twice_stay(tmp_path):
    text = "He had had had all that that that he had"
    sheet = Sheet().text(20, 260, text).text(20, 240, text).text(20, 220, "llllll 000000 iiii")
    assert layer_of(sheet, tmp_path).text == f"{text}\n{text}\nllllll 000000 iiii"


@pytest.mark.parametrize("shift", [(0.4, 0), (1, -1), (2, -1.2)])
def test_a_line_that_is_drawn_twice_letter_by_letter_is_read_once(tmp_path, shift):
    sheet, x = Sheet(), 20.0
    for letter in "The office keeps all 20 boats":
        if letter != " ":
            sheet.text(x, 200, letter).text(x + shift[0], 200 + shift[1], letter)
        x += width_of(letter)
    assert layer_of(sheet, tmp_path).text == "The office keeps all 20 boats"


def test_letters_and_dots_that_repeat_stay(tmp_path):
    text = "Illll llll ......... 1111 iiiii"
    assert layer_of(Sheet().text(20, 200, text), tmp_path).text == text


def test_a_single_letter_that_lies_on_its_like_is_a_shadow(tmp_path):
    sheet = Sheet().text(20, 200, "The old mill")
    sheet.text(20 + width_of("The ") + 1, 199, "o")
    assert layer_of(sheet, tmp_path).text == "The old mill"


def test_a_shadow_is_no_part_of_the_letter_over_it():
    """A letter with a grey copy two pixels away is seen as the letter alone is."""
    ink, row = own_faces()[0].draw("k")
    height, width = ink.shape
    page = np.full((height + 20, width + 20), 255, np.uint8)
    clean = page.copy()
    clean[10 : 10 + height, 10 : 10 + width] -= ink
    shadow = np.full_like(page, 255)
    shadow[14 : 14 + height, 14 : 14 + width] -= (0.3 * ink).astype(np.uint8)
    box = (10, 10, 10 + width, 10 + height)
    alone = _cut(clean, box, 10 + row, SIZE, 0.0)
    over = _cut(np.minimum(clean, shadow), box, 10 + row, SIZE, SHADOW)
    assert alone is not None
    assert over is not None
    assert alone.picture @ over.picture > 0.98
    assert (alone.top, alone.bottom, alone.width) == (over.top, over.bottom, over.width)
