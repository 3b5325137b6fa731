"""Keys of words: look-alikes are equal, other words are not."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ohr.metrics.word_keys import keyed_words, word_key


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Total:", "total"),
        ("modern", "modem"),
        ("O158", "0I5B"),
        ("Überschuss", "UBERSCHUSS"),
        ("“quoted”", "quoted"),
        ("ﬁnal", "final"),
        ("１２", "12"),
    ],
)
def test_look_alikes_have_one_key(one: str, other: str) -> None:
    assert word_key(one) == word_key(other)


@pytest.mark.parametrize(("one", "other"), [("27", "29"), ("pump", "pumps"), ("north", "south")])
def test_other_words_have_other_keys(one: str, other: str) -> None:
    assert word_key(one) != word_key(other)


def test_words_without_letters_are_left_out() -> None:
    text = "— a | 12 …"
    assert [text[word.start : word.end] for word in keyed_words(text)] == ["a", "12"]


def test_each_letter_of_writing_without_spaces_is_a_word() -> None:
    assert [word.key for word in keyed_words("水库 full")] == ["水", "库", "full"]


@given(st.text(max_size=60))
def test_places_are_in_order_and_give_the_words_back(text: str) -> None:
    words = keyed_words(text)
    assert all(word.key == word_key(text[word.start : word.end]) for word in words)
    assert all(a.end <= b.start for a, b in pairwise(words))
