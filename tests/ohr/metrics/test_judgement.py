"""A verdict is a claim of its own about the answer; what no rule understands is none."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ohr.metrics.judgement import says_correct
from tests.ohr.metrics.judge_replies import RIGHT, UNREAD, WRONG


@pytest.mark.parametrize("reply", RIGHT)
def test_correct(reply: str) -> None:
    assert says_correct(reply) is True


@pytest.mark.parametrize("reply", WRONG)
def test_incorrect(reply: str) -> None:
    assert says_correct(reply) is False


@pytest.mark.parametrize("reply", UNREAD)
def test_no_verdict(reply: str) -> None:
    assert says_correct(reply) is None


CLAIMS = st.sampled_from(
    ["correct", "the answer is correct", "it is factually correct", "the given answer is correct"]
)
SENTENCES = st.tuples(CLAIMS, st.booleans()).map(
    lambda drawn: drawn[0] if drawn[1] else drawn[0].replace("correct", "incorrect")
)
CONDITIONS = st.sampled_from(
    ["If the unit is left out, {}", "Assuming metres, {}", "Apart from the year, {}",
     "{} unless the month counts", "{} if rounded", "{}, more or less", "{} for the most part",
     "{}?", "I think {}",
     "{}, perhaps", "{} to a degree", "The student wrote that {}", 'The student wrote: "so {}"',
     "Nobody says that {}", "Whether {} is hard to say", "I cannot tell whether {}"]
)  # fmt: skip


@given(SENTENCES, CONDITIONS, st.sampled_from(["", ".", "!"]))
def test_a_claim_under_a_condition_a_hedge_or_a_report_is_none(sentence, condition, stop):
    assert says_correct(condition.format(sentence) + stop) is None


@given(SENTENCES, st.sampled_from(["", "**", "'", '"', "`"]), st.sampled_from(["", "Verdict: "]))
def test_marks_and_labels_change_nothing(sentence, mark, label):
    assert says_correct(f"{label}{mark}{sentence}{mark}.") is ("incorrect" not in sentence)


@given(SENTENCES, SENTENCES, st.sampled_from([". ", "\n", ".\n\n", "; but "]))
def test_both_verdicts_are_none(first, second, between):
    if ("incorrect" in first) != ("incorrect" in second):
        assert says_correct(f"{first}{between}{second}") is None


@pytest.mark.slow
@given(
    st.sampled_from(["correct", "is_correct", "isCorrect", "Correct", "answer_is_correct"]),
    st.sampled_from([(True, True), (1, True), ("yes", True), ("TRUE", True), ("Correct.", True),
                     (False, False), (0, False), ("no", False), ("False", False), ("wrong", False),
                     ("partly", None), (0.5, None), (None, None), ("41 metres", None)]),
    st.dictionaries(st.sampled_from(["reason", "score", "answer", "note"]),
                    st.one_of(st.text(max_size=20), st.integers(0, 1))),
)  # fmt: skip
def test_a_field_that_says_whether_it_is_correct_is_read(name, value, others):
    assert says_correct(json.dumps(others | {name: value[0]})) is value[1]


@given(st.text(st.characters(exclude_characters="ceirtwghn✅"), max_size=200))
def test_no_word_of_a_verdict_is_no_verdict(reply):
    assert says_correct(reply) is None


@pytest.mark.slow
def test_long_replies_take_no_time():
    for part in ("{", '{"a":', "<answer>", "not ", "(", "correct. ", "so it is "):
        assert says_correct(part * 20_000) in (True, False, None)


@given(st.text(max_size=300))
def test_any_reply_can_be_looked_at(reply: str) -> None:
    assert says_correct(reply) in (True, False, None)
