"""What can be seen of a reading without truth."""

import math
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ohr.quality.garbage import docling_score, garbage_share, is_garbage
from ohr.quality.language import Corpus
from ohr.quality.signals import SIGNALS, PageOutput, signals
from ohr.quality.texts import character_distance, order_free_distance, page_r_noise
from ohr.quality.truth import TARGETS, targets
from ohr.types import Holes, Word

PAGE = "The river bridge was opened in 1931 by the mayor of the town, who spoke of tolls. " * 8
ASSESSED_BY_ITSELF = {"garbage", "loops", "length", "numbers", "markup"}


def other_pages(words: str) -> list[str]:
    return [f"{words} number {place} of the river and the bridge" * 30 for place in range(24)]


def test_a_page_alone_has_only_the_signals_of_its_text():
    found = signals(PageOutput(PAGE), None)
    assert list(found) == list(SIGNALS)
    assert {name for name, value in found.items() if not math.isnan(value)} == ASSESSED_BY_ITSELF


def test_a_reading_that_everything_confirms_is_at_no_distance():
    reading = PageOutput(PAGE, (PAGE,), (PAGE, PAGE), PAGE, (Word("bridge", 1.0, (0, 0, 9, 9)),))
    found = signals(reading, None)
    near = ("disagreement", "disputed_passages", "instability", "layer", "lost_passages")
    assert {name: found[name] for name in (*near, "confidence", "unsure_words")} == dict.fromkeys(
        (*near, "confidence", "unsure_words"), 0.0
    )


def test_mark_up_is_no_disagreement():
    found = signals(PageOutput("# A **bold** claim", ("A bold claim",)), None)
    assert found["disagreement"] == 0
    assert found["markup"] > 0


@given(st.text(max_size=300), st.text(max_size=300), st.text(max_size=300))
def test_shares_lie_between_nothing_and_all(text, other, layer):
    found = signals(PageOutput(text, (other,), (layer,), layer), None)
    for name in set(SIGNALS) - {"surprise", "length"}:
        assert math.isnan(found[name]) or 0 <= found[name] <= 1, name
    assert all(0 <= value <= 1 for value in targets(text, other).values())


def test_the_order_of_a_layer_that_is_not_known_does_not_count():
    layer = " ".join(sorted(PAGE.split()))
    found = signals(PageOutput(PAGE, (PAGE,), (), layer, None, Holes(order_known=False)), None)
    assert found["layer"] == 0
    assert math.isnan(found["lost_passages"])
    assert signals(PageOutput(PAGE, (PAGE,), (), layer), None)["layer"] > 0.5


def test_doubtful_words_of_a_layer_do_not_count():
    layer = PAGE.replace("1931", "I93l")
    spans = [match.span() for match in re.finditer("I93l", layer)]
    found = signals(PageOutput(PAGE, (), (), layer, None, Holes(tuple(spans))), None)
    assert found["layer"] == found["lost_passages"] == 0
    without = signals(PageOutput(PAGE, (), (), layer), None)
    assert without["layer"] > 0
    assert without["lost_passages"] == 1
    nothing = Holes(((0, len(layer)),))
    assert math.isnan(signals(PageOutput(PAGE, (), (), layer, None, nothing), None)["layer"])


WORDS = st.lists(st.text("abcd", min_size=1, max_size=6), max_size=12)


@settings(deadline=None)  # the first call imports SciPy's optimiser
@given(WORDS, WORDS, st.randoms())
def test_the_distance_of_words_in_any_order(words, others, shuffler):
    shuffled = words[:]
    shuffler.shuffle(shuffled)
    text, other = " ".join(words), " ".join(others)
    assert order_free_distance(" ".join(shuffled), text) == 0
    distance = order_free_distance(other, text)
    assert 0 <= distance <= 1
    assert distance == order_free_distance(other, " ".join(shuffled))


def test_the_distance_in_any_order_is_about_that_in_order():
    read = PAGE.replace("mayor", "rnayor").replace("river", "")
    expected = character_distance(read, PAGE)
    assert order_free_distance(read, PAGE) == pytest.approx(expected, abs=0.02)


def test_the_nearest_engine_counts():
    far = "nothing of the kind stands here at all"
    alone = signals(PageOutput(PAGE, (far,)), None)["disagreement"]
    assert alone > 0.8
    assert signals(PageOutput(PAGE, (far, PAGE)), None)["disagreement"] == 0


@pytest.mark.parametrize(
    "word", ["lllllll", "bcdfghjkl", "aeiouae", "quIckER", "wor§d", "th1rd", "~^~", "x" * 41]
)
def test_rubbish(word):
    assert is_garbage(word)


@pytest.mark.parametrize(
    "word", ["bridge", "1,931.50", "(e.g.", "McDonald", "it's", "......", "$", "Q4", "B2B", "7th"]
)
def test_no_rubbish(word):
    assert not is_garbage(word)


def test_garbage_of_no_words_is_none():
    assert garbage_share("  ") == 0


def test_docling_rates_what_broken_fonts_leave():
    assert docling_score(PAGE) == 1
    assert docling_score(f"{PAGE} \ufffd") == 0
    assert docling_score("GLYPH<0a> of a font") == 0
    assert docling_score("a/x.y/p.q b/x.y/p.q c/x.y/p.q") == pytest.approx(0.7)


def test_a_document_is_not_held_against_itself():
    strange = ["zyxwv utsrq ponml"] * 40
    corpus = Corpus({"a": other_pages("plain words"), "b": other_pages("more words"), "c": strange})
    language = corpus.leave_out("c")
    assert language is not None
    assert language.unknown_share("zyxwv river") == pytest.approx(0.5)
    assert language.surprise(strange[0]) > language.surprise("words of the river and the bridge")


def test_the_language_without_a_document_is_that_of_the_others():
    rest = {"a": other_pages("plain words"), "b": other_pages("more strange words")}
    corpus = Corpus({**rest, "c": ["Strange words of the river", PAGE]})
    language, same = corpus.leave_out("c"), Corpus(rest).leave_out("c")
    assert language is not None
    assert same is not None
    for text in (PAGE, "Strange words", "xyz", "the other bridge"):
        assert language.unknown_share(text) == same.unknown_share(text)
        assert language.surprise(text) == same.surprise(text)


def test_little_text_elsewhere_says_nothing():
    assert Corpus({"a": ["short"], "b": ["short too"]}).leave_out("a") is None


def test_a_letter_whose_small_form_is_two_characters_surprises_like_others():
    language = Corpus({"a": other_pages("plain words")}).leave_out("b")
    assert language is not None
    assert language.surprise("İstanbul") > 0


def test_codes_are_no_unknown_words():
    language = Corpus({"a": other_pages("plain words")}).leave_out("b")
    assert language is not None
    assert language.unknown_share("river ABX4711 4711ABX") == 0


def test_passages_are_lost_where_words_are():
    words = [f"word{place}" for place in range(100)]
    assert page_r_noise(" ".join(words), " ".join(words)) == 0
    assert page_r_noise(" ".join(words[:50]), " ".join(words)) == pytest.approx(0.5)
    assert page_r_noise("", " ".join(words)) == 1
    assert page_r_noise("", "") == 0


def test_an_empty_reading_of_a_page_with_words_is_wholly_wrong():
    assert targets("", PAGE) == dict.fromkeys(TARGETS, 1.0)


def test_half_a_surrogate_pair_is_a_letter_like_others():
    language = Corpus({"a": [*other_pages("plain words"), "bad \ud800 text"]}).leave_out("b")
    assert language is not None
    assert language.surprise("\ud800") > 0
