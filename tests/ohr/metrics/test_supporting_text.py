"""What a word may have been read from."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ohr.metrics.supporting_text import FEWEST_ALIKE, SupportingText, most_alike
from ohr.metrics.word_keys import keyed_words
from ohr.quality.support import Vocabulary

TEXT = "The harbour", "master", "2023"


@pytest.mark.parametrize(
    ("key", "supported"),
    [
        ("harbour", True),
        ("harb", True),  # cut
        ("harbourmaster", True),  # joined
        ("rmaster", True),
        ("harbourmasler", True),  # joined, with a letter of thirteen
        ("harboor", True),  # a letter of seven
        ("harbooor", False),  # two of eight
        ("harvest", False),
        ("2024", False),  # a digit of four
    ],
)
def test_text_supports_what_could_be_read_from_it(key, supported):
    assert SupportingText.from_texts(TEXT).supports(key) == supported


@given(st.lists(st.text(max_size=12), max_size=12))
def test_a_text_supports_its_words_however_they_are_spaced(words):
    text = SupportingText.from_texts(words)
    assert all(text.supports(key) for key in text.keys)
    assert text.supports("".join(text.keys))


@given(st.text(max_size=80), st.text(max_size=80))
def test_a_witness_supports_no_word_that_the_text_does_not(text, other):
    witness, supporting = Vocabulary.of_text(text), SupportingText(Vocabulary.of_text(text).keys)
    for word in keyed_words(other):
        assert witness.find(word.key) is None or supporting.supports(word.key)


def test_a_witness_needs_short_words_where_a_word_begins_or_ends():
    text = Vocabulary.of_text("The harbourmaster")
    assert text.supports("our")
    assert text.find("our") is None
    assert text.find("har") == ""


def test_a_fifth_of_the_longer_word_may_differ():
    assert most_alike("abcdefghi", ["abcdefghxy"]) == "abcdefghxy"  # two of ten
    assert most_alike("abcdefghi", ["abcdefgxy"]) is None  # two of nine
    assert SupportingText(["four"]).similar("fout") is None  # shorter than FEWEST_ALIKE
    assert len("fout") < FEWEST_ALIKE
    assert SupportingText(["five5", "fives"]).similar("fivez") == "five5"
