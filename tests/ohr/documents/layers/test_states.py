"""What follows for a glyph from its look and from what engines read in its place."""

from __future__ import annotations

from collections import Counter

import pytest

from ohr.documents.layers import judge_layers
from ohr.documents.layers import lines as reading
from ohr.documents.layers.glyphs import Glyph, Judgement
from ohr.documents.layers.page import LayerWord, TextLayer
from ohr.documents.layers.states import glyph_states
from ohr.types import Outcome

GLYPH = Glyph("Body/1", "c", (20, 20, 0))
CLEAR = Judgement("right", 0.95, "o", 0.5)
NEAR = Judgement("right", 0.85, "o", 0.92)
"""The page may show an o: it is at least as like one."""
UNKNOWN = Judgement("unknown", 0.7, "q", 0.72)
WRONG = Judgement("wrong", 0.4, "o", 0.97)


def says(other, count=3):
    """An engine that reads another character, or the same if it is None."""
    return (
        reading.Testimony(count) if other is None else reading.Testimony(0, Counter({other: count}))
    )


@pytest.mark.parametrize(
    ("look", "engines", "state"),
    [
        (CLEAR, [], "right"),
        (CLEAR, ["o"], "right"),
        (NEAR, [], "right"),
        (NEAR, ["x"], "right"),
        (NEAR, ["o"], "wrong"),
        (NEAR, ["x", "x"], "wrong"),
        (NEAR, ["x", "y"], "right"),
        (NEAR, ["o", None], "right"),
        (UNKNOWN, [], "unknown"),
        (UNKNOWN, ["x"], "unknown"),
        (UNKNOWN, ["q"], "wrong"),
        (UNKNOWN, ["x", "x"], "wrong"),
        (UNKNOWN, [None], "right"),
        (WRONG, [], "wrong"),
        (WRONG, [None], "right"),
        (WRONG, ["o"], "wrong"),
    ],
)
def test_the_state_of_a_glyph(look, engines, state):
    layer = TextLayer("c", (LayerWord("c", 0, (0, 0, 1, 1), (0,)),), glyphs=((GLYPH, look),))
    testimony = {str(number): says(other) for number, other in enumerate(engines)}
    assert glyph_states([layer], {GLYPH: testimony}) == {GLYPH: state}


GREEK = Judgement("wrong", 0.7, "\u0399", 0.86)


def test_an_engine_and_a_picture_against_a_claim_make_it_doubtful():
    """Though they do not say the same: neither supports what the layer says."""
    layer = TextLayer("c", (LayerWord("c", 0, (0, 0, 1, 1), (0,)),), glyphs=((GLYPH, GREEK),))
    assert glyph_states([layer], {GLYPH: {"A": says("7", 1)}}) == {GLYPH: "doubtful"}
    assert glyph_states([layer], {GLYPH: {"A": says(None, 1)}}) == {GLYPH: "right"}


def test_an_engine_does_not_confirm_that_an_accent_is_missing():
    """Engines read the letter and leave the accent out."""
    accented = Judgement("wrong", 0.6, "\u0107", 0.97)
    layer = TextLayer("c", (LayerWord("c", 0, (0, 0, 1, 1), (0,)),), glyphs=((GLYPH, accented),))
    assert glyph_states([layer], {GLYPH: {"A": says(None)}}) == {GLYPH: "wrong"}


def test_a_title_that_engines_read_otherwise_is_doubtful_although_no_face_has_its_letters():
    unlike = Judgement("unknown", 0.4, "q", 0.7)
    title = [Glyph("Bold/2", letter, (20, 20, 0)) for letter in "abcde"]
    words = (LayerWord("abcde", 0, (0, 0, 1, 1), (0, 1, 2, 3, 4)),)
    layer = TextLayer("abcde", words, glyphs=tuple((glyph, unlike) for glyph in title))

    def states(readings):
        testimony = {g: {"A": says(other, 1)} for g, other in zip(title, readings, strict=False)}
        return [glyph_states([layer, layer], testimony)[glyph] for glyph in title]

    assert states("xyz") == ["doubtful"] * 3 + ["unknown"] * 2
    assert states("xy") == ["unknown"] * 5
    assert states(["x", "y", "z", None, None]) == ["unknown"] * 3 + ["right"] * 2


def test_a_misread_glyph_counts_once_on_however_many_pages_it_is():
    unlike = Judgement("unknown", 0.4, "q", 0.7)
    layer = TextLayer("c", (LayerWord("c", 0, (0, 0, 1, 1), (0,)),), glyphs=((GLYPH, unlike),))
    testimony = {GLYPH: {"A": says("x", 1)}}
    assert glyph_states([layer] * 9, testimony) == {GLYPH: "unknown"}


def test_a_font_that_has_lost_a_joined_letter_is_doubtful():
    """Syllables lose it too, where nothing shows it."""
    letter, lost = Glyph("Hindi/4", "\u0915", (20, 20, 0)), Glyph("Hindi/4", "\ufffd", (9, 20, 0))
    glyphs = ((letter, UNKNOWN), (lost, UNKNOWN))

    def state(texts):
        words = tuple(LayerWord(text, 0, (0, 0, 1, 1), (0, 1)) for text in texts)
        return glyph_states([TextLayer(" ".join(texts), words, glyphs=glyphs)], {})[letter]

    assert state(["\u0915\ufffd"] * 9) == "unknown"
    assert state(["\u0915\ufffd", "\ufffd\u0915", "\u0915\ufffd\u0915"]) == "doubtful"


def layer_of(wrong, honest):
    """Words of one letter each, of which some look wrong."""
    letters = [*wrong, *honest]
    glyphs = tuple(
        (Glyph("Body/1", letter, (number,)), WRONG if number < len(wrong) else CLEAR)
        for number, letter in enumerate(letters)
    )
    words = tuple(
        LayerWord(letter, 0, (0, 0, 1, 1), (number,)) for number, letter in enumerate(letters)
    )
    return TextLayer(" ".join(letters), words, glyphs=glyphs)


def fault_of(layer):
    [verdict] = judge_layers([Outcome(layer)])
    return verdict.fault


def test_a_few_words_are_a_fault_if_the_whole_mapping_of_a_font_is_wrong():
    honest = "hijklmnpqrstuvwxyzHIJKLMNPQRSTUVWXYZ"
    assert fault_of(layer_of("abc", honest)) == ""
    assert "are not those that the page shows" in fault_of(layer_of("abcd", honest))


def test_more_than_a_fifth_of_the_words_may_not_be_doubtful():
    assert fault_of(layer_of("ab", "hijklmnp")) == ""
    assert "in 22% of its words" in fault_of(layer_of("ab", "hijklmn"))


def test_a_letter_that_no_engine_reads_is_wrong():
    layer = TextLayer("c", (LayerWord("c", 0, (0, 0, 1, 1), (0,)),), glyphs=((GLYPH, UNKNOWN),))
    absent = reading.Testimony(missing=3)
    assert glyph_states([layer], {GLYPH: {"A": absent, "B": absent}}) == {GLYPH: "wrong"}
    assert glyph_states([layer], {GLYPH: {"A": absent, "B": says(None)}}) == {GLYPH: "right"}


@pytest.mark.parametrize(("engines", "state"), [([None], "right"), (["o"], "wrong"), ([], "wrong")])
def test_an_engine_that_reads_the_claim_outweighs_the_other_glyphs_of_the_font(engines, state):
    """Two zeros of a font, of which one is more like a theta."""
    twin = Glyph("Body/1", "c", (20, 30, 0))
    glyphs = ((GLYPH, CLEAR), (twin, Judgement("right", 0.89, "o", 0.97)))
    layer = TextLayer("c c", (LayerWord("c", 0, (0, 0, 1, 1), (0,)),), glyphs=glyphs)
    testimony = {twin: {str(n): says(other) for n, other in enumerate(engines)}}
    assert glyph_states([layer], testimony)[twin] == state
