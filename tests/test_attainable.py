"""What a reader that copies can attain: the best span of a text."""

from __future__ import annotations

import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ohr.metrics import default
from tests.conftest import ROOT

sys.path.insert(0, str(ROOT / "docs"))
attainable = pytest.importorskip("attainable")
words = st.lists(st.sampled_from(["red", "blue", "12", "fox", "lake"]), max_size=8)


@pytest.mark.parametrize(
    ("text", "answer", "f1"),
    [
        ("The bridge is 412 metres long.", "412 metres", 1.0),
        ("It is 412.0 metres", "412", 1.0),
        ("Founded in the U.S. in 1912", "US", 1.0),
        ("410 or 412", "411", 0.0),
        ("a red fox and a blue lake", "red lake", 2 / 3),
        ("lake, red", "red lake", 1.0),
        ("", "red", 0.0),
        ("red", "", 0.0),
        ("nothing of it", "Yes", 1.0),
        ("nothing of it", "no", 1.0),
    ],
)
def test_the_best_span_of_a_text(text, answer, f1):
    assert attainable.attainable_f1([text], [answer]) == pytest.approx(f1)


def test_the_best_text_and_the_best_answer_count():
    assert attainable.attainable_f1(["a lake", "the red fox"], ["blue fox", "red fox"]) == 1.0
    assert attainable.attainable_f1([], ["red"]) == 0.0


def test_a_span_does_not_reach_over_two_pages():
    assert attainable.attainable_f1(["red", "fox"], ["red fox"]) == pytest.approx(2 / 3)


@given(words, words)
def test_it_is_the_best_of_all_spans(text, answer):
    answer = " ".join(answer)
    spans = [text[a:b] for a in range(len(text)) for b in range(a + 1, len(text) + 1)]
    best = max((default.f1(" ".join(span), answer) for span in spans), default=0.0)
    assert attainable.attainable_f1([" ".join(text)], [answer]) == pytest.approx(best)
