"""Our error rates against jiwer's."""

from __future__ import annotations

import jiwer
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ohr.metrics import default

WORDS = st.lists(st.sampled_from("lorem ipsum dolor sit amet 3.14 1,000 -5".split()), max_size=15)
LETTERS = st.text(alphabet="abc é\n", max_size=30)


@settings(deadline=None)
@given(WORDS, WORDS.filter(bool))
def test_word_error_rate(predicted, expected):
    prediction, reference = " ".join(predicted), " ".join(expected)
    theirs = jiwer.wer(" ".join(default.tokens(reference)), " ".join(default.tokens(prediction)))
    assert default.wer(prediction, reference) == pytest.approx(min(1, theirs))


@settings(deadline=None)
@given(LETTERS, LETTERS.filter(str.strip))
def test_character_error_rate(prediction, reference):
    theirs = jiwer.cer(" ".join(reference.split()), " ".join(prediction.split()))
    assert default.cer(prediction, reference) == pytest.approx(min(1, theirs))
