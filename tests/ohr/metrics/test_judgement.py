"""Verdicts are read where a reply begins or ends with one, and never guessed."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ohr.metrics.judgement import says_correct

RIGHT = [
    "correct", "Correct.", "**Correct**", "'Correct!'", "“Correct”", "CORRECT",
    "<answer>correct</answer>", "<answer>\\nCorrect.\\n</answer>",
    "<think>It is incorrect? No.</think><answer>Correct</answer>",
    '{"verdict": "correct"}', '```json\n{"correct": true}\n```', "\\boxed{correct}",
    "$\\boxed{\\text{Correct}}$", "Verdict: correct. The answer names the term.",
    "Final answer: **Correct**", "Correct. The answer names the term.", "Correct — same value.",
    "Correct: it names the term.", "The answer is correct.", "Yes, it is correct.",
    "The answer is correct because it names nine years", "The answer is correct and complete.",
    "It matches in substance, so I call it correct.",
    "No doubt about it: yes, the answer is correct.",
    "It adds a detail, but the answer is correct.",
    "The accepted answer is nine years. The answer says 9 years.\n\nCorrect",
    "Correct or incorrect? Correct",
]  # fmt: skip
WRONG = [
    "incorrect", "Incorrect.", "<answer>Incorrect</answer>", "The answer is incorrect.",
    "The answer is not correct.", "It isn't correct.", "The answer is therefore not correct.",
    "No, the answer is incorrect.", '{"correct": false}',
    '{"verdict": "incorrect", "reason": "the accepted answer is correct"}',
    "Incorrect. The correct answer is nine years.", "It says five, so the answer is incorrect.",
]  # fmt: skip
UNREAD = [
    "", "maybe", "not correct", "not incorrect", "partially correct", "Partially correct.",
    "The answer is partially correct.", "Not fully correct", "Mostly correct", "Correct in part",
    "Correct, but only partially.", "The answer is correct, except for the year",
    "The correct answer is nine years", "Correct answer: nine years", "correct/incorrect",
    "Correct, incorrect", "Correct. On second thoughts, incorrect.", "anything but correct",
    "It would be correct if it said nine", "The answer is not quite correct.",
    "Is the answer correct?", "Neither correct nor incorrect", "The answer is far from correct",
    "I cannot say whether the answer is correct", "I do not think, sadly, the answer is correct.",
    "<think>The answer is correct", '{"verdict": "partially correct"}', '{"score": 1}',
]  # fmt: skip


@pytest.mark.parametrize("reply", RIGHT)
def test_correct(reply: str) -> None:
    assert says_correct(reply) is True


@pytest.mark.parametrize("reply", WRONG)
def test_incorrect(reply: str) -> None:
    assert says_correct(reply) is False


@pytest.mark.parametrize("reply", UNREAD)
def test_no_verdict(reply: str) -> None:
    assert says_correct(reply) is None


@given(st.text(max_size=300))
def test_any_reply_can_be_looked_at(reply: str) -> None:
    assert says_correct(reply) in (True, False, None)
