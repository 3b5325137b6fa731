"""Words come from the gaps between glyphs, whatever the file says of blanks."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ohr.documents.layers.segments import Spacing, find_segments, split_words
from ohr.documents.layers.units import Unit
from tests.ohr.documents.layers.sheets import SANS, Sheet, layer_of, verdict_on, width_of
from tests.ohr.documents.layers.texts import NOTICE


def test_a_page_of_one_line_has_its_words(tmp_path):
    layer = layer_of(Sheet().text(20, 260, NOTICE[0]), tmp_path)
    assert [word.text for word in layer.words] == NOTICE[0].split()


def test_words_are_found_in_a_file_without_blanks(tmp_path):
    sheet = Sheet()
    for number, line in enumerate(NOTICE):
        x = 20.0
        for word in line.split():
            sheet.text(x, 260 - 12 * number, word)
            x += width_of(word + " ")
    assert layer_of(sheet, tmp_path).text.split("\n") == list(NOTICE)


@pytest.mark.parametrize("spacing", [1.5, 3, 5])
def test_letter_spaced_text_has_whole_words(tmp_path, spacing):
    sheet = Sheet((500, 300)).text(20, 280, "The harbour office", spacing=spacing)
    sheet.lines(20, 250, NOTICE)
    assert layer_of(sheet, tmp_path).text.split("\n") == ["The harbour office", *NOTICE]


@pytest.mark.slow
def test_letter_spaced_text_on_a_page_of_its_own_has_whole_words(tmp_path):
    layer = layer_of(Sheet().text(20, 260, "The harbour office", spacing=3), tmp_path)
    assert layer.text == "The harbour office"


def test_text_with_a_blank_after_every_letter_has_whole_words(tmp_path):
    sheet = Sheet().text(20, 260, "   ".join(" ".join(word) for word in ("Harbour", "office")))
    assert layer_of(sheet, tmp_path).text == "Harbour office"


def test_a_raised_mark_after_a_number_is_no_digit_of_it(tmp_path):
    sheet = (
        Sheet().text(20, 260, "It was 45.3").text(20 + width_of("It was 45.3"), 263.5, "1", size=5)
    )
    sheet.text(90, 260, "then").lines(20, 240, NOTICE)
    assert layer_of(sheet, tmp_path).text.split("\n")[0] == "It was 45.3 1 then"


def test_a_raised_mark_after_a_word_and_a_lowered_one_stay_with_it(tmp_path):
    sheet = (
        Sheet().text(20, 260, "the harbour").text(20 + width_of("the harbour"), 263.5, "2", size=5)
    )
    sheet.text(150, 260, "H").text(150 + width_of("H"), 258, "2", size=5)
    sheet.text(150 + width_of("H") + width_of("2", 5), 260, "O")
    assert layer_of(sheet, tmp_path).text == "the harbour2 H2O"


def test_fractions_and_powers_of_letters_are_one_word(tmp_path):
    sheet = Sheet().text(20, 260, "Take 1½ cups and 2¾ spoons of x² each")
    assert layer_of(sheet, tmp_path).text == "Take 1½ cups and 2¾ spoons of x² each"


def test_powers_of_numbers_are_one_word(tmp_path):
    assert layer_of(Sheet().text(20, 260, "about 10³ boats"), tmp_path).text == "about 10³ boats"


@pytest.mark.slow
def test_a_soft_hyphen_with_ink_is_a_hyphen_and_joins_what_a_line_cuts(tmp_path):
    sheet = Sheet().font("F", SANS, {"-": "\xad"})
    sheet.lines(20, 260, ["A well-known fact of the har-", "bour, as the harbour master says"])
    assert verdict_on(sheet, tmp_path).text == (
        "A well-known fact of the harbour, as the harbour master says"
    )


def test_a_soft_hyphen_without_ink_is_nothing(tmp_path):
    sheet = Sheet().font("F", SANS, {"\u200b": "\xad"}).text(20, 260, "har\u200bbour")
    assert layer_of(sheet, tmp_path).text == "harbour"


def test_a_soft_hyphen_that_is_drawn_without_ink_is_nothing(tmp_path):
    sheet = Sheet().font("F", SANS, {"-": "\xad"}).text(20, 260, "harbour")
    sheet.text(21 + width_of("harbour"), 260, "-", mode=3)
    sheet.text(20 + width_of("harbour-"), 260, " office")
    assert layer_of(sheet, tmp_path).text == "harbour office"


@pytest.mark.parametrize("character", ["\u200b", "\u200d", "\u2060", "\xad"])
def test_a_page_of_characters_without_ink_is_empty(tmp_path, character):
    sheet = Sheet().font("F", SANS, {"\u200b": character}).text(20, 260, "\u200b" * 4)
    verdict = verdict_on(sheet, tmp_path)
    assert (verdict.text, verdict.gap) == ("", "it has no text")


@pytest.mark.parametrize("character", ["\u200b", "\u200d", "\xad"])
def test_characters_without_ink_where_the_page_has_letters_are_wrong(tmp_path, character):
    wrong = dict.fromkeys(set("".join(NOTICE)), character)
    verdict = verdict_on(Sheet().font("F", SANS, wrong).lines(20, 260, NOTICE), tmp_path)
    assert verdict.fault.startswith("its letters are not those that the page shows")


@pytest.mark.parametrize("claim", [" ", None, ""], ids=["blank", "none", "nothing"])
def test_a_glyph_without_a_letter_at_a_lines_start_makes_its_word_doubtful(tmp_path, claim):
    sheet = Sheet().font("F", SANS, {"ﬁ": claim}).lines(20, 260, NOTICE)
    verdict = verdict_on(sheet.text(20, 190, "ﬁve boats"), tmp_path)
    assert [word.text[-2:] for word in verdict.doubtful] == ["ve"]


def test_cells_of_a_row_are_words_of_one_line(tmp_path):
    rows = [("Mooring fee", "1,204.55", "(33.10)"), ("Water", "7.20", "0.00")]
    sheet = Sheet()
    for number, row in enumerate(rows):
        for column, cell in enumerate(row):
            sheet.text(20 + 120 * column, 260 - 14 * number, cell)
    assert layer_of(sheet, tmp_path).text == "Mooring fee 1,204.55 (33.10)\nWater 7.20 0.00"


def unit(text, start, place, *, width=0.5, base=0.0, size=10.0, blank=False, raised=0):
    """A glyph of a line, in points."""
    end = start + width * size
    return Unit(
        text, [place], start, end, base, base, base + 0.7 * size, start, end, size, blank, raised
    )


def line_of(text, gaps):
    units, x = [], 0.0
    for place, (letter, gap) in enumerate(zip(text, [0.0, *gaps], strict=True)):
        x += gap * 10
        units.append(unit(letter, x, place))
        x += 5
    return units


def words_of(units):
    return [["".join(one.text for one in word) for word in s.words] for s in find_segments(units)]


@pytest.mark.parametrize(
    ("gaps", "words"),
    [
        ((0, 0, 0, 0.3, 0, 0), ["have", "six"]),
        ((0, 0.04, 0.02, 0.3, 0, 0.03), ["have", "six"]),
        ((0, 0.05, 0, 0.1, 0, 0), ["havesix"]),
        ((0.3, 0.3, 0.3, 0.7, 0.3, 0.3), ["have", "six"]),
    ],
    ids=["tight", "uneven", "kerned", "spaced"],
)
def test_a_word_ends_where_the_gap_is_wider_than_usual(gaps, words):
    units = line_of("havesix", gaps)
    split = split_words(units, list(gaps), Spacing())
    assert ["".join(one.text for one in word) for word in split] == words


def test_a_blank_of_the_file_ends_a_word_although_the_gap_is_narrow():
    units = line_of("toto", (0, 0.1, 0))
    units[2].blank_before = True
    assert len(split_words(units, [0, 0.1, 0], Spacing())) == 2
    units[2].blank_before = False
    assert len(split_words(units, [0, 0.1, 0], Spacing())) == 1


def test_where_a_file_has_blanks_between_words_a_gap_without_one_must_be_wide():
    units = line_of("toto", (0, 0.25, 0))
    assert len(split_words(units, [0, 0.25, 0], Spacing(by_blanks=True))) == 1
    assert len(split_words(units, [0, 0.25, 0], Spacing(by_blanks=False))) == 2


def test_spread_ideographs_are_one_word():
    for gaps in ((0.3, 0.3, 0.3, 0.3), (0, 0.3, 0.05, 0.4)):
        units = line_of("港务局办公", gaps)
        assert len(split_words(units, gaps, Spacing())) == 1


@given(st.lists(st.floats(-0.2, 3), max_size=12), st.booleans())
def test_splitting_loses_no_glyph_and_keeps_their_order(gaps, by_blanks):
    units = line_of("abcdefghijklm"[: len(gaps) + 1], gaps)
    words = split_words(units, gaps, Spacing(by_blanks=by_blanks))
    assert [one for word in words for one in word] == units
    assert all(words)


@given(st.randoms(use_true_random=False), st.lists(st.sampled_from([0, 0.3, 2.5]), max_size=12))
@settings(max_examples=50)
def test_segments_do_not_depend_on_the_order_of_the_file(rng, gaps):
    units = line_of("abcdefghijklm"[: len(gaps) + 1], gaps)
    shuffled = units.copy()
    rng.shuffle(shuffled)
    assert words_of(shuffled) == words_of(units)


@pytest.mark.parametrize("seed", range(3))
def test_words_of_a_page_do_not_depend_on_the_order_in_which_the_file_draws_them(tmp_path, seed):
    pieces = []
    for number, line in enumerate(NOTICE):
        x = 20.0
        for word in line.split():
            pieces.append((x, 260 - 12 * number, word))
            x += width_of(word + " ")
    random.Random(seed).shuffle(pieces)
    sheet = Sheet()
    for x, y, word in pieces:
        sheet.text(x, y, word)
    layer = layer_of(sheet, tmp_path)
    assert layer.text.split("\n") == list(NOTICE)
    assert layer.order_known


def arabic(*letters):
    """Units from left to right, ten points high: text, start, end."""
    return [Unit(text, [n], a, b, 0, 0, 7, a, b, 10) for n, (text, a, b) in enumerate(letters)]


def split_texts(units, gaps, spacing):
    return ["".join(unit.text for unit in word) for word in split_words(units, gaps, spacing)]


@pytest.mark.parametrize(("last", "gap", "count"), [("\u0629", 0.05, 2), ("\u0631", 0.05, 1)])
def test_a_letter_that_ends_words_in_arabic_ends_one(last, gap, count):
    units = arabic(("\u062b", 0, 3), ("\u0643", 3, 8), (last, 8.5, 12), ("\u0631", 12, 16))
    assert len(split_texts(units, [0.0, gap, 0.0], Spacing())) == count


def test_a_number_beside_arabic_letters_is_a_word_of_its_own():
    units = arabic(("\u0631", 0, 4), ("2", 5.8, 11), ("0", 11, 16))
    assert split_texts(units, [0.18, 0.0], Spacing(by_blanks=True)) == ["\u0631", "20"]


def test_a_digit_that_is_mapped_to_a_blank_makes_its_word_doubtful(tmp_path):
    sheet = Sheet().font("F", SANS, {"1": " "}).text(20, 260, "in 1 harbour 15 days")
    layer = layer_of(sheet.lines(20, 240, [line.replace("1", "2") for line in NOTICE]), tmp_path)
    assert "\ufffd" in layer.text or any(word.incomplete for word in layer.words)
