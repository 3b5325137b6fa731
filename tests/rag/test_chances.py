"""The confidence of language models: the geometric mean of their tokens' probabilities."""

from __future__ import annotations

import math

import pytest

from ohr.models.chat import log_chances
from rag.readers._chances import confidence_of
from rag.readers.openai import OpenAi, OpenAiParams


def test_confidence_is_the_geometric_mean():
    assert confidence_of([math.log(0.5), math.log(0.125)]) == 0.25
    assert confidence_of([]) is None
    assert confidence_of([0.0]) == 1.0


@pytest.mark.parametrize(
    ("answer", "chances"),
    [
        ({"choices": [{"logprobs": {"content": [{"logprob": -0.5}, {"logprob": 0}]}}]}, [-0.5, 0]),
        ({"choices": [{"logprobs": None}]}, []),
        ({"choices": [{"logprobs": {"content": [{"logprob": "x"}]}}]}, []),
        ({"choices": [{"logprobs": {"content": [{"logprob": 2.0}]}}]}, []),
        ({}, []),
    ],
)
def test_what_a_server_gives_or_does_not_give(answer, chances):
    assert log_chances(answer) == chances


def test_stored_answers_stay_valid_where_no_confidence_is_asked_for():
    plain = OpenAi(OpenAiParams(model="m")).identity()
    asks = OpenAi(OpenAiParams(model="m", request={"logprobs": True})).identity()
    assert "confidence" not in plain
    assert asks["confidence"] == "1"
