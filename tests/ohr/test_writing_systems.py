import re
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ohr.markup.writing_systems import UNSPACED, marks, may_have_marks


@given(st.characters())
def test_marks_are_combining_and_found_only_where_text_is_said_to_have_them(character):
    if re.fullmatch(marks(), character):
        assert unicodedata.category(character) in ("Mn", "Mc")
        assert may_have_marks(character)


@pytest.mark.parametrize("mark", ["\u093f", "\u0bbf", "\u064e", "\u05b8", "\u0e35", "\u17b6"])
def test_vowel_signs_are_marks(mark):
    assert re.fullmatch(marks(), mark)


@pytest.mark.parametrize("other", ["a", "\u0301", "\u20d7", "\ufe0f", "\u3099", "क", "中"])
def test_letters_and_accents_that_any_letter_may_bear_are_none(other):
    assert not re.fullmatch(marks(), other)


def test_scripts_without_spaces_have_marks():
    for first, last in re.findall("(.)-(.)", UNSPACED):
        for code in range(ord(first), ord(last) + 1):
            assert may_have_marks(chr(code))


@given(st.text(st.characters(max_codepoint=0x2FF) | st.sampled_from("中文かな한글—“∑")))
def test_other_text_has_none(text):
    assert not may_have_marks(text)
