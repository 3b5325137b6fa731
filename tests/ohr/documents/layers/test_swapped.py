"""Letters are judged by what all of their words gain with another letter."""

from __future__ import annotations

import pytest

from ohr.documents.layers.swapped import swapped_letters

SHOWN = "abc bcd cda dab dba bca cab dca adb bdc".split()


def likeness_of(shown):
    def likeness(number, text):
        pairs = zip(shown[number], text, strict=True)
        return sum(first == second for first, second in pairs) / len(text)

    return likeness


@pytest.mark.parametrize(
    ("claims", "letters"),
    [
        ({}, {}),
        ({"a": "b", "b": "a"}, {"a": "b", "b": "a"}),
        # Words of b look right as b: then a cannot be what shows b.
        ({"a": "b"}, {}),
    ],
)
def test_only_letters_that_change_places_are_swapped(claims, letters):
    texts = ["".join(claims.get(letter, letter) for letter in word) for word in SHOWN]
    assert swapped_letters(texts, likeness_of(SHOWN)) == letters


def test_words_that_no_face_draws_say_nothing():
    assert swapped_letters(SHOWN, lambda number, text: float("nan")) == {}


def test_few_words_say_nothing():
    assert swapped_letters(["bac", "bda"], likeness_of(["abc", "adb"])) == {}
