"""QASPER's evaluation, against cases that were worked out by hand."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ohr.metrics.qasper import (
    Prediction,
    Reference,
    answer_f1,
    answer_f1_by_type,
    answerable,
    evaluate,
    evidence_f1,
)


@pytest.mark.parametrize(
    ("prediction", "answer", "f1"),
    [
        ("The red boat", "a red boat", 1.0),  # case and articles
        ("red, boat!", "red boat", 1.0),  # punctuation
        ("state-of-the-art", "stateoftheart", 1.0),  # it is deleted, before articles are
        ("red boat", "red boat at noon", 2 * 1 * 0.5 / 1.5),
        ("red red boat", "red boat", 2 * (2 / 3) * 1 / (5 / 3)),  # a word counts as often as it is
        ("Yes", "No", 0.0),
        ("Yes, it is", "Yes", 2 * (1 / 3) * 1 / (4 / 3)),  # no special case
        ("", "", 0.0),
        ("the", "a", 0.0),  # nothing is left of either
        ("Unanswerable", "unanswerable.", 1.0),
    ],
)
def test_answers_are_compared_by_their_words(prediction: str, answer: str, f1: float) -> None:
    assert answer_f1(prediction, answer) == pytest.approx(f1)


@pytest.mark.parametrize(
    ("predicted", "gold", "f1"),
    [
        ([], [], 1.0),  # unanswerable, and nothing named
        (["p"], [], 0.0),
        ([], ["p"], 0.0),
        (["p", "q"], ["q"], 2 * 0.5 * 1 / 1.5),
        (["q", "q"], ["q"], 2 * 0.5 * 1 / 1.5),  # said twice is a wrong one
        (["p "], ["p"], 0.0),  # to the letter
    ],
)
def test_evidence_is_compared_by_paragraphs(
    predicted: list[str], gold: list[str], f1: float
) -> None:
    assert evidence_f1(predicted, gold) == pytest.approx(f1)


GOLD = {
    "spans": [
        Reference("red boat, green boat", "extractive", ("p1",)),
        Reference("two boats", "abstractive", ("p1", "p2")),
    ],
    "verdict": [Reference("Yes", "boolean", ("p3",)), Reference("No", "boolean", ("p4",))],
    "nothing": [Reference("Unanswerable", "none")],
    "mixed": [Reference("Unanswerable", "none"), Reference("at noon", "extractive", ("p5",))],
    "figure": [Reference("12", "extractive", ("FLOAT SELECTED: Table 1", "p6"))],
}
PREDICTIONS = {
    "spans": Prediction("two red boats", ("p1",)),
    "verdict": Prediction("no", ("p3",)),
    "nothing": Prediction("Unanswerable"),
    "figure": Prediction("13", ("p6",)),
    "another question": Prediction("passed over"),
}


def test_the_best_annotator_counts_for_answer_and_evidence_apart() -> None:
    # spans: "two red boats" shares "red" with four words (2/7), "two", "boats" with two (4/5).
    scores = evaluate(GOLD, PREDICTIONS)
    assert scores.answer_f1 == pytest.approx((0.8 + 1 + 1 + 0 + 0) / 5)
    # spans, verdict: the first annotator's; nothing: none named; mixed is missing; figure 2/3.
    assert scores.evidence_f1 == pytest.approx((1 + 1 + 1 + 0 + 2 / 3) / 5)
    assert scores.missing == 1
    assert scores.questions == 5
    assert scores.of_type == {"extractive": 1, "abstractive": 1, "boolean": 1, "none": 1}
    assert scores.by_type["abstractive"] == pytest.approx(0.8), "the type of the nearest answer"
    assert scores.by_type["extractive"] == 0, "a missing prediction has no type"


def test_text_evidence_alone_leaves_figures_and_tables_out() -> None:
    scores = evaluate(GOLD, PREDICTIONS, text_evidence_only=True)
    assert scores.evidence_f1 == pytest.approx((1 + 1 + 1 + 0 + 1) / 5)


def test_of_equally_near_answers_the_first_one_gives_the_type() -> None:
    gold = {"q": [Reference("x", "abstractive"), Reference("y", "extractive")]}
    assert evaluate(gold, {"q": Prediction("z")}).of_type["abstractive"] == 1


def test_unanswerable_answers_can_be_dropped() -> None:
    kept = answerable(GOLD)
    assert set(kept) == {"spans", "verdict", "mixed", "figure"}
    assert [one.type for one in kept["mixed"]] == ["extractive"]
    predicted = PREDICTIONS | {"mixed": Prediction("Unanswerable")}
    assert evaluate(kept, predicted).answer_f1 == pytest.approx((0.8 + 1 + 0 + 0) / 4)


def test_the_drc_paper_scores_each_type_that_an_annotator_gave() -> None:
    found = answer_f1_by_type("two red boats", GOLD["spans"])
    assert found == {"extractive": pytest.approx(2 / 7), "abstractive": pytest.approx(0.8)}


def test_nothing_to_score_is_nothing() -> None:
    scores = evaluate({}, {})
    assert (scores.answer_f1, scores.evidence_f1, scores.questions) == (0, 0, 0)


@given(st.text(max_size=40), st.text(max_size=40))
def test_scores_are_shares_and_symmetric(one: str, other: str) -> None:
    assert 0 <= answer_f1(one, other) <= 1
    assert answer_f1(one, other) == pytest.approx(answer_f1(other, one))
