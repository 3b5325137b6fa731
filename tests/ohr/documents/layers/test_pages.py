"""What the layers of whole pages say, and whether they are believed."""

from __future__ import annotations

import pytest

from tests.ohr.documents.layers.sheets import SERIF, Sheet, layer_of, verdict_on

PROSE = [
    "The harbour office keeps a record of every ship that",
    "enters the bay. In the spring the council raised the fee",
    "for small boats, and their owners wrote to the mayor.",
    "He answered that the sea wall had to be mended before",
    "winter, and that the fee would be lowered again then.",
]


def page_of(lines=PROSE, claims=None, face="DejaVuSans.ttf"):
    return Sheet().font("F", face, claims).lines(20, 270, lines)


def lines_of(layer):
    return layer.text.split("\n")


@pytest.mark.parametrize("face", ["DejaVuSans.ttf", SERIF, "STIXGeneral.ttf"])
def test_a_page_that_says_what_it_shows_is_believed_word_by_word(tmp_path, face):
    verdict = verdict_on(page_of(face=face), tmp_path)
    assert (verdict.fault, verdict.doubtful, verdict.unknown) == ("", (), 0)
    assert verdict.text == "\n".join(PROSE)
    assert verdict.holes.order_known


@pytest.mark.slow
@pytest.mark.parametrize(
    "lines",
    [
        ["Nos Sadwrn daeth yr hen felinydd adref gyda bara ffres"],
        ["10246 NYC WTR SVC PMT 84.12", "10250 MTG PMT BKLYN FDLTY 1,980.00"],
        ["Refs: Phys Rev Lett 78, J Chem Phys 12, Z Kristallogr 211"],
        ["4 RC0805FR-0710KL YAGEO", "12 MCSH21B105K160CT MULTICOMP"],
    ],
    ids="welsh ledger journals parts".split(),
)
def test_words_of_few_vowels_are_no_fault(tmp_path, lines):
    verdict = verdict_on(page_of(lines), tmp_path)
    assert (verdict.fault, verdict.doubtful) == ("", ())
    assert verdict.text == "\n".join(lines)


def rotated(letters, by):
    return {c: letters[(letters.index(c) + by) % len(letters)] for c in letters}


@pytest.mark.parametrize(
    "claims",
    [
        rotated("abcdefghijklmnopqrstuvwxyz", 3),
        rotated("aeiou", 2),
        dict(zip("abcdefghiklmnoprstuvwy", "αβγδεζηθικλμνξοπρστυφχ", strict=True)),
        dict(zip("abcdefghiklmnoprstuvwy", "!#%&()*+-/:;<=>?@[]{}~", strict=True)),
    ],
    ids="rotation vowels greek signs".split(),
)
def test_letters_that_are_others_are_no_truth(tmp_path, claims):
    verdict = verdict_on(page_of(claims=claims), tmp_path)
    assert "are not those that the page shows" in verdict.fault
    assert not verdict.is_usable


def test_few_letters_are_enough(tmp_path):
    title = page_of(["The Harbour Office of Old Town"], rotated("abcdefghijklmnopqrstuvwxyz", 5))
    assert "are not those that the page shows" in verdict_on(title, tmp_path).fault


@pytest.mark.slow
def test_cyrillic_as_latin_is_no_truth(tmp_path):
    text = "портовая контора ведет запись каждого корабля входящего в залив"
    letters = sorted(set(text) - {" "})
    claims = {c: c.encode("cp1251").decode("latin-1") for c in letters}
    right = verdict_on(page_of([text]), tmp_path)
    assert (right.fault, right.doubtful) == ("", ())
    assert "are not those" in verdict_on(page_of([text], claims), tmp_path).fault


def test_swapped_digits_make_their_words_doubtful(tmp_path):
    lines = [*PROSE, "In 1716 the fee was 17 crowns, in 1761 it was 71."]
    verdict = verdict_on(page_of(lines, {"1": "7", "7": "1"}), tmp_path)
    assert verdict.fault == ""
    assert [word.text for word in verdict.doubtful] == ["7176", "71", "7167", "17."]
    spans = [verdict.text[start:end] for start, end in verdict.holes.doubtful]
    assert spans == ["7176", "71", "7167", "17."]
    assert "4 of 64 words are doubtful" in verdict.note


@pytest.mark.slow
@pytest.mark.parametrize("claim", [None, " ", "Ꮂ", ""], ids="none blank cherokee nothing".split())
def test_a_lost_ligature_makes_its_words_doubtful(tmp_path, claim):
    lines = [*PROSE, "The of\ufb01ce \ufb01led its papers."]
    verdict = verdict_on(page_of(lines, {"\ufb01": claim}), tmp_path)
    doubtful = " ".join(word.text for word in verdict.doubtful)
    assert verdict.fault == ""
    assert len(verdict.doubtful) in (2, 3)
    assert "led" in doubtful
    assert "ce" in doubtful


def test_a_soft_hyphen_with_ink_is_a_hyphen(tmp_path):
    lines = [*PROSE, "From 2010-2015 it was -4512, as is well-known."]
    layer = layer_of(page_of(lines, {"-": "\xad"}), tmp_path)
    assert lines_of(layer)[-1] == lines[-1]


BLANK = "1 1 1 rg 15 150 300 14 re f"


def test_text_under_a_white_box_is_left_out_although_new_text_is_there(tmp_path):
    sheet = page_of().text(20, 154, "The total was 4958 crowns").draw(BLANK)
    sheet.text(20, 154, "The total was 9871 crowns")
    layer = layer_of(sheet, tmp_path)
    assert lines_of(layer)[-1] == "The total was 9871 crowns"
    assert 0 < layer.hidden < 0.2


def test_clipped_text_over_other_text_is_left_out(tmp_path):
    sheet = page_of()
    sheet.draw("0 0 3 3 re W n BT /F 9 Tf 1 0 0 1 21 270 Tm <0001000200030004> Tj ET")
    layer = layer_of(sheet, tmp_path)
    assert lines_of(layer) == PROSE
    assert layer.hidden > 0


def test_the_order_is_that_of_the_page(tmp_path):
    backwards = Sheet()
    for number, line in reversed(list(enumerate(PROSE))):
        backwards.text(20, 270 - 12 * number, line)
    layer = layer_of(backwards, tmp_path)
    assert lines_of(layer) == PROSE
    assert layer.order_known


COLUMNS = [
    ["The harbour office keeps a record", "of every ship that enters the bay"],
    ["and the fee was raised in spring.", "The owners of the boats wrote to"],
    ["the mayor, who answered in March", "that the wall must be mended soon"],
    ["since stones had come loose there", "in the storms of the last winter,"],
]


def test_columns_that_are_drawn_row_by_row_are_read_one_after_the_other(tmp_path):
    left_side = [line for pair in COLUMNS for line in pair]
    right = [f"{line.lower()} again" for line in left_side]
    sheet = Sheet((500, 300))
    for number, (first, second) in enumerate(zip(left_side, right, strict=True)):
        sheet.text(20, 270 - 12 * number, first).text(260, 270 - 12 * number, second)
    layer = layer_of(sheet, tmp_path)
    assert lines_of(layer) == [*left_side, *right]


def test_a_table_is_read_row_by_row_although_it_is_drawn_by_columns(tmp_path):
    columns = [["Year", "2017", "2018"], ["Boats", "1,204", "1,377"], ["Fees", "86", "91"]]
    sheet = Sheet()
    for column, cells in enumerate(columns):
        for row, cell in enumerate(cells):
            sheet.text(20 + 90 * column, 270 - 14 * row, cell)
    layer = layer_of(sheet, tmp_path)
    assert lines_of(layer) == ["Year Boats Fees", "2017 1,204 86", "2018 1,377 91"]


@pytest.mark.parametrize(("dx", "dy"), [(1.5, -1.5), (0.3, 0)], ids=["shadow", "fake bold"])
def test_a_line_that_is_drawn_twice_is_read_once(tmp_path, dx, dy):
    sheet = Sheet()
    for number, line in enumerate(PROSE):
        sheet.text(20 + dx, 270 - 14 * number + dy, line).text(20, 270 - 14 * number, line)
    layer = layer_of(sheet, tmp_path)
    assert lines_of(layer) == PROSE


@pytest.mark.parametrize("spacing", [1.2, 2.5])
def test_spaced_letters_are_words(tmp_path, spacing):
    sheet = Sheet((600, 300)).text(20, 270, "Total Revenue of the Harbour", spacing=spacing)
    assert layer_of(sheet, tmp_path).text == "Total Revenue of the Harbour"


@pytest.mark.slow
def test_a_raised_digit_is_not_part_of_a_number(tmp_path):
    sheet = Sheet().text(20, 270, "It grew by 45.3").text(95, 274, "1", size=6)
    sheet.text(103, 270, "percent")
    assert layer_of(sheet, tmp_path).text == "It grew by 45.3 1 percent"


def test_arabic_and_hebrew_are_in_the_order_of_reading(tmp_path):
    text = "רשם 318 אוניות"
    shown = "".join(reversed("רשם")), "318", "".join(reversed("אוניות"))
    sheet = Sheet().text(20, 270, f"{shown[2]} {shown[1]} {shown[0]}")
    assert layer_of(sheet, tmp_path).text == text


def test_letters_of_two_scripts_in_a_word_are_doubtful(tmp_path):
    verdict = verdict_on(page_of([*PROSE, "the fее of the bоats"]), tmp_path)
    assert [word.text for word in verdict.doubtful] == ["fее", "bоats"]
