"""The metrics of what is made up, as a study measures them."""

from __future__ import annotations

import math

import pytest

from ohr import registry
from ohr.metrics.scores import SCORING
from ohr.plugins.metric import AnswerCase, PageCase
from ohr.types import Answer, Document, Page, PageRef, Question

REF = PageRef("report", 0)
TRUTH = "The pump was bought for 4,812 in 1998. It has 3 valves."


def measured(name: str, text: str, truth: str = TRUTH) -> float:
    case = PageCase(text, truth, SCORING["default"])
    return float(registry.create("metric", name).measure(case))


def test_shares_of_numbers_add_up() -> None:
    text = TRUTH.replace("4,812", "4,872").replace("3 valves", "valves and 250 screws")
    assert measured("silent_numbers", text) == pytest.approx(1 / 3)
    assert measured("dropped_numbers", text) == pytest.approx(1 / 3)
    assert measured("added_numbers", text) == pytest.approx(1 / 3)


def test_a_page_without_numbers_is_left_out() -> None:
    for name in ("silent_numbers", "dropped_numbers", "added_numbers"):
        assert math.isnan(measured(name, "It was 5.", "It was five."))


def test_a_page_that_failed_makes_nothing_up() -> None:
    missing = {
        name: registry.create("metric", name).missing
        for name in ("silent_numbers", "dropped_numbers", "invented_words", "invented_passage")
    }
    assert missing == {
        "silent_numbers": 0.0,
        "dropped_numbers": 1.0,
        "invented_words": 0.0,
        "invented_passage": 0.0,
    }


def test_invented_words_and_passages() -> None:
    short = f"{TRUTH} Insurance premiums doubled."
    long = f"{TRUTH} The insurance premium falls due on the first of November each leap year."
    assert measured("invented_words", short) == pytest.approx(3 / 15)
    assert measured("invented_passage", short) == 0
    assert measured("invented_passage", long) == 1
    assert measured("invented_passage", "a fluent page that nobody wrote on this leaf", "") == 1
    assert measured("invented_words", "", "") == 0
    assert measured("repeated_words", f"{TRUTH} {TRUTH}") == pytest.approx(0.5, abs=0.15)


def answered(name: str, answer: str, page: str, gold: str = "4,812") -> float:
    question = Question(
        "q", "What did it cost?", (gold,), "report", "law", (REF,), "bought for 4,812", "text"
    )
    case = AnswerCase(
        Answer(answer),
        question,
        SCORING["default"],
        {"report": Document("report", "law", [Page(REF, page)])},
        {"report": Document("report", "law", [Page(REF, TRUTH)])},
    )
    return float(registry.create("metric", name).measure(case))


def test_an_answer_with_another_number_is_wrong() -> None:
    assert answered("wrong_number", "It cost 4,872 in all.", TRUTH) == 1
    assert answered("wrong_number", "It cost $4812.00 in 1998.", TRUTH) == 0
    assert answered("wrong_number", "It does not say.", TRUTH) == 0
    assert math.isnan(answered("wrong_number", "4", TRUTH, gold="the pump"))


@pytest.mark.parametrize(
    ("answer", "gold", "is_wrong"),
    [
        ("It cost 3,000,000 euros.", "3 million", 0),
        ("0.5 billion", "500 million", 0),
        ("3 (in millions)", "3 million", 0),
        ("2.5", "2.5 Billion", 0),
        ("3 billion", "3 million", 1),
        ("3,000", "3 million", 1),
        ("three million", "3 million", 0),
        ("3 millionaires", "3 million", 0),
    ],
)
def test_a_scale_after_a_number_belongs_to_it(answer: str, gold: str, is_wrong: int) -> None:
    assert answered("wrong_number", answer, TRUTH, gold=gold) == is_wrong


def test_an_answer_is_misled_only_where_the_number_was_changed() -> None:
    changed = TRUTH.replace("4,812", "4,872")
    for page, answer, was_changed, was_misled in (
        (changed, "4,872", 1, 1),
        (changed, "none given", 1, 0),
        (f"{changed} In all 4,812.", "4,872", 0, 0),
        (TRUTH, "4,872", 0, 0),
        (TRUTH.replace("4,812", ""), "4,872", 0, 0),
    ):
        assert answered("number_changed", answer, page) == was_changed
        assert answered("misled", answer, page) == was_misled
    assert math.isnan(answered("misled", "4", changed, gold="the pump"))
