from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ohr.metrics.refusal import refused
from tests.ohr.metrics.refusals import ANSWERS, REFUSALS


@pytest.mark.parametrize(
    "answer",
    ["Not answerable", "Unanswerable.", "N/A", "unknown", "No answer found", "I don't know.",
     "The question cannot be answered from the passages.", "The document does not mention it.",
     "The provided context doesn't contain this information.", "Not specified", "I do not know",
     "There is not enough information.", "Insufficient context", "Unable to determine the year",
     "The passages do not explicitly state the amount.", "无法回答", "文中没有提到",
     "I don\u02bct know",
     "I don\u2018t know", "not answer\u00adable"],
)  # fmt: skip
def test_refusals(answer):
    assert refused(answer)


@pytest.mark.parametrize(
    "answer",
    ["", "No", "None", "Yes", "12 %", "The contract cannot be assigned", "Not later than May",
     "No liability", "Unknown Pleasures", "The seller does not pay", "It is not allowed", "0"],
)  # fmt: skip
def test_answers(answer):
    assert not refused(answer)


@pytest.mark.parametrize("answer", REFUSALS)
def test_refusals_in_three_languages(answer):
    assert refused(answer)


@pytest.mark.parametrize("answer", ANSWERS)
def test_words_of_refusals_in_answers_are_none(answer):
    assert not refused(answer)


SOURCES = ["text", "passage", "given context", "document"]
PLACES = [*(f" in the {source}" for source in SOURCES), " here", ""]


@given(
    st.sampled_from(["", "it is ", "that is ", "this information is ", "the answer was "]),
    st.sampled_from(["", "explicitly ", "clearly ", "actually "]),
    st.sampled_from(
        ["stated", "mentioned", "specified", "given", "provided", "known", "available"]
    ),
    st.sampled_from(PLACES),
    st.sampled_from(["", ".", "!", " "]),
)
def test_a_denied_word_of_saying_is_a_refusal_alone(subject, adverb, word, place, stop):
    assert refused(f"{subject}not {adverb}{word}{place}{stop}")
    assert not refused(f"{subject}{word}{place}{stop}")


@given(
    st.sampled_from(SOURCES),
    st.sampled_from(["does not {}", "doesn't {}", "did not explicitly {}", "fails to {}"]),
    st.sampled_from(["say", "mention it", "state the year", "specify who built it", "tell"]),
)
def test_a_source_that_does_not_tell_is_a_refusal(source, denial, saying):
    assert refused(f"The {source} {denial.format(saying)}.")


def test_real_answers_are_hardly_ever_taken_for_refusals(data_dir):
    entries = json.loads((data_dir / "ohrbench" / "qas_dev.json").read_text("utf-8"))
    assert sum(refused(str(entry["answers"])) for entry in entries) <= 2


def test_long_answers_take_no_time():
    assert not refused("the text " * 1_000_000)
