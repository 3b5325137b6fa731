"""Words of joined letters are compared with their pictures as wholes."""

from __future__ import annotations

import unicodedata

import pytest

from ohr.documents.layers import judge_layers
from ohr.types import Outcome
from tests.ohr.documents.layers.sheets import SANS, Sheet, layer_of

WORDS = "ميناء مكتب صباح سفينة رسوم شارع سوق بحر مدينة قديمة بريد حزيران".split()
_LAST = "ادذرزوءةى"
"""Letters that do not join the next."""


def forms_of(word):
    """The forms of the letters of a word, as a font shows them, and their letters."""
    forms = []
    for place, letter in enumerate(word):
        joined_before = place > 0 and word[place - 1] not in _LAST
        joined_after = place + 1 < len(word) and letter not in _LAST and word[place + 1] != "ء"
        kind = ("ISOLATED", "FINAL", "INITIAL", "MEDIAL")[joined_before + 2 * joined_after]
        name = f"{unicodedata.name(letter)} {kind} FORM"
        forms.append((unicodedata.lookup(name), letter))
    return forms


def page_of(words, claim=lambda letter: letter):
    claims, sheet = {}, Sheet()
    shown = []
    for word in words:
        forms = forms_of(word)
        claims |= {form: claim(letter) for form, letter in forms}
        shown.append("".join(form for form, _ in reversed(forms)))
    sheet.font("F", SANS, claims)
    for row in range(0, len(shown), 4):
        sheet.text(20, 260 - 20 * row / 4, " ".join(reversed(shown[row : row + 4])), size=14)
    return sheet


def verdict_of(layer):
    [verdict] = judge_layers([Outcome(layer)])
    return verdict


def test_words_that_are_right_match_their_pictures(tmp_path):
    layer = layer_of(page_of(WORDS), tmp_path)
    assert layer.text.split() == WORDS
    [(rank, count)] = layer.joined.values()
    assert rank < 0.1
    assert count >= 8
    verdict = verdict_of(layer)
    assert (verdict.fault, verdict.doubtful) == ("", ())


@pytest.mark.parametrize("by", [5, 7])
def test_words_of_other_letters_do_not(tmp_path, by):
    letters = sorted(set("".join(WORDS)))
    other = {letter: letters[(n + by) % len(letters)] for n, letter in enumerate(letters)}
    layer = layer_of(page_of(WORDS, other.__getitem__), tmp_path)
    [(rank, _)] = layer.joined.values()
    assert rank > 0.36
    assert "its letters are not those that the page shows" in verdict_of(layer).fault


def test_a_few_words_are_too_few_to_tell(tmp_path):
    layer = layer_of(page_of(WORDS[:3]), tmp_path)
    assert layer.joined == {}
    assert verdict_of(layer).unknown == 3


LONGER = (
    "ميناء مكتب صباح سفينة رسوم شارع سوق بحر مدينة قديمة بريد حزيران مسافر سلام رسالة مدرسة "
    "رجال سماء كتاب سنوات مصباح مسجد سحاب رمال حساب مطار سرير مرسى رصيف سمك محكمة حارس"
).split()


def test_two_letters_that_changed_places_are_wrong(tmp_path):
    letters = {"س": "م", "م": "س"}
    page = page_of(LONGER, lambda letter: letters.get(letter, letter))
    layer = layer_of(page, tmp_path)
    assert list(layer.swapped.values()) == [letters]
    verdict = verdict_of(layer)
    assert verdict.fault or {word.text for word in verdict.doubtful} == {
        word for word in layer.text.split() if set(word) & set(letters)
    }


def test_no_letter_of_a_right_layer_is_taken_for_another(tmp_path):
    layer = layer_of(page_of(LONGER), tmp_path)
    assert layer.swapped == {}
    verdict = verdict_of(layer)
    assert (verdict.fault, verdict.doubtful) == ("", ())


def test_letters_of_few_words_are_not_judged_one_by_one(tmp_path):
    letters = {"س": "م", "م": "س"}
    page = page_of(LONGER[:12], lambda letter: letters.get(letter, letter))
    assert layer_of(page, tmp_path).swapped == {}


def test_a_glyph_without_a_character_is_part_of_a_word_that_is_whole_without_it(tmp_path):
    """The first glyph of lam-alef has both letters, as some producers map syllables."""
    lam, alef = (
        unicodedata.lookup(f"ARABIC LETTER {n}") for n in ("LAM INITIAL FORM", "ALEF FINAL FORM")
    )
    sheet = page_of([*WORDS, "جرم"])
    face, claims, shown = sheet.fonts["F"]
    sheet.fonts["F"] = face, {**claims, lam: "لا", alef: None}, shown
    rest = "".join(form for form, _ in reversed(forms_of("جرم")))
    sheet.text(20, 150, rest + alef + lam, size=14)
    layer = layer_of(sheet, tmp_path)
    assert layer.text.split()[-1] == "لاجرم"


def test_a_letter_that_is_mapped_to_nothing_is_missed(tmp_path):
    sheet = page_of(WORDS)
    claims = dict(sheet.fonts["F"][1])
    claims |= {form: None for form, letter in forms_of("سفينة") if letter == "ف"}
    shown = "".join(form for form, _ in reversed(forms_of("سفينة")))
    sheet.font("G", SANS, claims).text(20, 150, shown, size=14, font="G")
    assert "\ufffd" in layer_of(sheet, tmp_path).text.split()[-1]
