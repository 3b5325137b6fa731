"""What follows from looks and from what engines read, on layers that are made by hand."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ohr.documents.layers import lines as reading
from ohr.documents.layers.bidi import logical, runs_right_to_left
from ohr.documents.layers.glyphs import Glyph, Judgement
from ohr.documents.layers.lines import Line, choose_lines, lines_of
from ohr.documents.layers.page import LayerWord, TextLayer
from ohr.documents.layers.scripts import is_mixed
from ohr.documents.layers.states import glyph_states, suspects
from ohr.documents.layers.verdict import judge_layers
from ohr.types import Holes, Outcome

RIGHT = Judgement("right", 0.95, "x", 0.5)


def layer_of(text, looks=None, font="Body/1", **facts):
    """A layer of lines, whose glyphs look right but for those of ``looks``."""
    looks = looks or {}
    letters = list(dict.fromkeys(c for c in text if not c.isspace()))
    glyphs = tuple((Glyph(font, c, (20, 20, 0)), looks.get(c, RIGHT)) for c in letters)
    words = tuple(
        LayerWord(
            word,
            number,
            (0.1 * place, 0.1 * number, 0.1 * place + 0.05, 0.1 * number + 0.05),
            tuple(letters.index(c) for c in word),
        )
        for number, line in enumerate(text.split("\n"))
        for place, word in enumerate(line.split())
    )
    return TextLayer(text, words, glyphs=glyphs, **facts)


def verdict_on(layer, readings=None):
    """The verdict on a layer, of which engines have read every line."""
    lines = lines_of(layer, 0) if readings is not None else []
    [verdict] = judge_layers([Outcome(layer)], lines, readings or [])
    return verdict


PROSE = "the harbour office keeps a record\nof every ship that enters the bay"


def test_a_layer_that_looks_right_has_no_holes():
    verdict = verdict_on(layer_of(PROSE))
    assert (verdict.text, verdict.fault, verdict.note) == (PROSE, "", "")
    assert verdict.holes == Holes()
    assert verdict.gap == ""


SLIGHTLY = Judgement("wrong", 0.7, "q", 0.9)
SURELY = Judgement("wrong", 0.4, "q", 0.97)
DECORATIVE = Judgement("unknown", 0.4, "q", 0.5)


def test_a_glyph_that_looks_like_another_makes_its_words_doubtful():
    verdict = verdict_on(layer_of(PROSE, {"k": SURELY}))
    assert [word.text for word in verdict.doubtful] == ["keeps"]
    assert [verdict.text[a:b] for a, b in verdict.holes.doubtful] == ["keeps"]


def test_a_decorative_font_is_unknown_and_not_refused():
    looks = dict.fromkeys(PROSE, DECORATIVE)
    verdict = verdict_on(layer_of(PROSE, looks))
    assert (verdict.fault, verdict.doubtful) == ("", ())
    assert verdict.unknown == len(PROSE.split())
    assert "could not be checked" in verdict.note


def test_an_engine_that_reads_what_the_layer_says_clears_a_glyph():
    layer = layer_of(PROSE, {"k": SLIGHTLY, "y": DECORATIVE})
    assert verdict_on(layer).doubtful
    verdict = verdict_on(layer, [{"RapidOCR": line} for line in PROSE.split("\n")])
    assert (verdict.doubtful, verdict.unknown) == ((), 0)


def test_two_engines_that_agree_win_against_a_layer_of_few_letters():
    layer = layer_of("old fown", dict.fromkeys("f", DECORATIVE))
    alone = verdict_on(layer, [{"RapidOCR": "old town"}])
    both = verdict_on(layer, [{"RapidOCR": "old town", "Tesseract": "old town"}])
    assert [word.text for word in both.doubtful] == ["fown"]
    assert alone.doubtful == ()


def test_engines_that_differ_in_case_only_say_nothing_of_a_glyph():
    near = Judgement("right", 0.9, "q", 0.95)
    layer = layer_of("old town", {"t": near})
    verdict = verdict_on(layer, [{"RapidOCR": "old Town", "Tesseract": "old Town"}])
    assert verdict.doubtful == ()


def test_a_whole_mapping_that_is_wrong_is_a_fault():
    verdict = verdict_on(layer_of(PROSE, dict.fromkeys("aeo", SURELY)))
    assert "are not those that the page shows" in verdict.fault
    assert "'a' looks like 'q'" in verdict.fault or "'e' looks like 'q'" in verdict.fault


def test_glyphs_without_a_character_are_a_fault_but_bullets_are_not():
    bullets = "\ufffd first\n\ufffd second\n" + PROSE
    assert verdict_on(layer_of(bullets)).fault == ""
    lost = " ".join(f"{word}\ufffd" for word in PROSE.split())
    assert "no character for" in verdict_on(layer_of(lost)).fault


@pytest.mark.parametrize(
    ("facts", "fault"),
    [
        ({"hidden": 0.9, "invisible": 0.9}, "invisible"),
        ({"hidden": 0.9, "images": 1.0}, "under an image"),
        ({"hidden": 0.9}, "90% of its characters are not drawn"),
        ({"covered": 0.3, "marks": 80}, "about 80 letters that it lacks"),
        ({"images": 0.9, "marks": 5}, "only a stamp"),
    ],
)
def test_pages_that_show_something_else_have_no_layer(facts, fault):
    assert fault in verdict_on(layer_of("few words here", **facts)).fault


def test_a_picture_of_text_is_a_hole_that_is_named():
    verdict = verdict_on(layer_of(PROSE, covered=0.7, marks=9))
    assert verdict.fault == ""
    assert verdict.holes.covered == 0.7
    assert "30.0% of the ink" in verdict.note
    assert "30% of the ink" in verdict.gap


def test_an_order_that_is_not_known_is_a_hole():
    verdict = verdict_on(layer_of(PROSE, order_known=False))
    assert not verdict.holes.order_known
    assert verdict.gap == ""


def test_a_page_that_cannot_be_read_says_why():
    [verdict] = judge_layers([Outcome.error("used more than 250 MB of memory")])
    assert verdict.fault == "used more than 250 MB of memory"


def test_a_letter_of_a_script_that_the_font_has_nothing_of_is_no_evidence():
    like_greek = Judgement("wrong", 0.5, "ρ", 0.96)
    layer = layer_of("նավահանգստի գրասենյակը", {"գ": like_greek})
    assert verdict_on(layer).doubtful == ()


def test_lines_with_suspects_are_read_first_and_then_one_page_of_each_font():
    layer = layer_of(PROSE, {"k": SURELY})
    layers = [layer, layer_of("\n".join([PROSE] * 4), font="Other/2")]
    lines = choose_lines(layers, suspects(layers), only_suspects=False)
    assert {line.page for line in lines} == {0, 1}
    only = choose_lines(layers, suspects(layers), only_suspects=True)
    assert [line.text for line in only] == [PROSE.split("\n")[0]]
    assert only[0].shown == only[0].text.replace(" ", "").replace("k", "q")


def test_testimony_is_counted_by_glyph():
    layer = layer_of("abba cab")
    [line] = lines_of(layer, 0)
    testimony = reading.testimonies([line], [{"A": "abba dab", "B": "ab ba"}], [layer])
    of = {glyph.text: counts for glyph, counts in testimony.items()}
    assert of["c"]["A"] == reading.Testimony(0, Counter({"d": 1}))
    assert of["a"]["A"].same == 3
    assert of["c"]["B"].missing == 1


def test_who_reads_more_than_a_glyph_says_does_not_confirm_it():
    """A ligature of which one letter is left: an engine reads the letter, and the others."""
    layer = layer_of("ofce fne")
    [line] = lines_of(layer, 0)
    testimony = reading.testimonies([line], [{"A": "office fine"}], [layer])
    of = {glyph.text: counts["A"] for glyph, counts in testimony.items()}
    assert of["f"].same == of["f"].longer == 2
    assert not of["f"].confirms
    assert of["o"].confirms


def test_digits_that_have_changed_places_are_compared_place_by_place():
    layer = layer_of("2071 cab")
    [line] = lines_of(layer, 0)
    testimony = reading.testimonies([line], [{"A": "2017 cab"}], [layer])
    of = {glyph.text: counts["A"] for glyph, counts in testimony.items()}
    assert of["7"].other == "1"
    assert of["1"].other == "7"


def test_words_that_are_as_long_as_those_read_are_compared_place_by_place():
    """A title in cipher, of which another alignment has a letter in common."""
    layer = layer_of("bcda dabc")
    [line] = lines_of(layer, 0)
    testimony = reading.testimonies([line], [{"A": "cdab abcd"}], [layer])
    of = {glyph.text: counts["A"] for glyph, counts in testimony.items()}
    assert [of[letter].other for letter in "bcda"] == list("cdab")


def test_lines_in_hebrew_and_joiners_are_compared_in_the_order_of_reading():
    layer = layer_of("\u05d0\u05d1 \u05d1\u05d2")
    [line] = lines_of(layer, 0)
    mirrored = Line(0, line.box, tuple(reversed(line.words)))
    text = "\u05d1\u05d2 \u05d0\u200f\u05d3"
    testimony = reading.testimonies([mirrored], [{"A": text}], [layer])
    of = {glyph.text: counts["A"] for glyph, counts in testimony.items()}
    assert of["א"].confirms
    assert of["ב"].others == Counter({"ד": 1})


@pytest.mark.parametrize("sign", ["\u06dd", "\u0600", "\xad"])
def test_signs_with_ink_are_compared_though_unicode_calls_them_formats(sign):
    """The end of a verse, an Arabic number sign, and a soft hyphen that is drawn."""
    layer = layer_of(f"ab {sign}cd")
    [line] = lines_of(layer, 0)
    testimony = reading.testimonies([line], [{"A": f"ab {sign}cd"}], [layer])
    assert {glyph.text for glyph in testimony} == {"a", "b", "c", "d", sign}


def test_a_shape_stands_for_all_that_look_like_it():
    """A 1 that is said to be a 7 looks like an l, in a font without Latin letters."""
    like_l = Judgement("wrong", 0.5, "l", 0.99)
    layer = layer_of("նավահանգստի գրասենյակը 7", {"7": like_l})
    assert [word.text for word in verdict_on(layer).doubtful] == ["7"]


def test_lines_from_right_to_left_are_no_testimony():
    layer = layer_of("abba cab")
    [line] = lines_of(layer, 0)
    mirrored = Line(0, line.box, tuple(reversed(line.words)))
    assert reading.testimonies([mirrored], [{"A": "abba cab"}], [layer]) == {}


def test_states_of_joined_letters_are_those_of_their_words():
    text = "يحتفظ مكتب الميناء"
    facts = {"font": "Arabic/3"}
    right = layer_of(text, joined={"Arabic/3": (0.05, 20)}, **facts)
    wrong = layer_of(text, joined={"Arabic/3": (0.5, 20)}, **facts)
    assert set(glyph_states([right], {}).values()) == {"right"}
    assert set(glyph_states([wrong], {}).values()) == {"wrong"}
    assert set(glyph_states([layer_of(text, **facts)], {}).values()) == {"unknown"}


@pytest.mark.parametrize(
    ("word", "mixed"),
    [
        ("fее", True),
        ("μm", False),
        ("SMS-сообщение", False),
        ("naïve", False),
        ("การfit", False),
        ("\u0b86\u08f1\u0bb2", True),
        ("e\u0301te\u0301", False),
    ],
)
def test_words_of_two_scripts(word, mixed):
    assert is_mixed(word) == mixed


@given(st.lists(st.text("abc 123.,", min_size=1, max_size=3), max_size=12))
def test_lines_from_left_to_right_are_as_they_are_drawn(items):
    assert logical(items, str, right_to_left=False) == items


@given(st.lists(st.sampled_from("אבג12 ."), max_size=12))
def test_no_letter_is_lost_whatever_the_direction(items):
    for right_to_left in (False, True):
        assert sorted(logical(items, str, right_to_left=right_to_left)) == sorted(items)


def test_numbers_in_hebrew_keep_their_digits():
    drawn = ["ם", "ו", "ל", "ש", " ", "3", "1", "8"]
    assert "".join(logical(drawn, str, right_to_left=True)) == "318 שלום"
    assert runs_right_to_left(drawn)


@given(st.sets(st.sampled_from("abcdehikorst")))
def test_doubtful_places_are_in_the_text_and_in_order(letters):
    verdict = verdict_on(layer_of(PROSE, dict.fromkeys(letters, SURELY)))
    spans = verdict.holes.doubtful
    assert all(0 <= a < b <= len(verdict.text) for a, b in spans)
    assert all(b <= c for (_, b), (c, _) in pairwise(spans))


def test_lines_in_doubt_that_no_engine_read_are_counted():
    layer = layer_of(PROSE, {"k": DECORATIVE})
    lines = choose_lines([layer], suspects([layer]), only_suspects=False)
    [unread] = judge_layers([Outcome(layer)], lines, [{} for _ in lines])
    assert "no OCR engine could read 1 line in doubt" in unread.note
    [clear] = judge_layers([Outcome(layer)], lines, [{"RapidOCR": line.text} for line in lines])
    assert clear.note == ""
