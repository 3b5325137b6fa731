from __future__ import annotations

import json

import pytest

from ohr.metrics.refusal import refused


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


def test_real_answers_are_hardly_ever_taken_for_refusals(data_dir):
    entries = json.loads((data_dir / "ohrbench" / "qas_dev.json").read_text("utf-8"))
    assert sum(refused(str(entry["answers"])) for entry in entries) <= 2


def test_long_answers_take_no_time():
    assert not refused("the text " * 1_000_000)
