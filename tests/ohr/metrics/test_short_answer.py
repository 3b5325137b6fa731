"""Short answers that say the opposite of an accepted one are wrong, however alike they look."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ohr.metrics.answer_kinds import agree
from ohr.metrics.opposites import opposed
from rag.metrics.short_answer import ShortAnswer
from tests.ohr.metrics.inverted import inversions, variants

METRIC = ShortAnswer()


@pytest.fixture(scope="module")
def golds(data_dir: Path) -> list[str]:
    """Every third accepted answer of OHR-Bench, each once."""
    path = data_dir / "ohrbench" / "qas_dev.json"
    answers = [entry["answers"] for entry in json.loads(path.read_text("utf-8"))]
    flat = [one for some in answers for one in ([some] if isinstance(some, str) else some)]
    return sorted({*flat})[::3]


@pytest.mark.slow
def test_hardly_any_inverted_gold_answer_is_right(golds: list[str]) -> None:
    made = [(gold, how, text) for gold in golds for how, text in inversions(gold)]
    assert len(made) > 1000
    right = [one for one in made if METRIC.score(one[2], one[0])]
    # What is left: answers that read as a refusal, and a year that a text has once more.
    assert len(right) <= 0.004 * len(made), right


@pytest.mark.slow
def test_gold_answers_and_their_harmless_variants_are_right(golds: list[str]) -> None:
    made = [(gold, how, text) for gold in golds for how, text in variants(gold)]
    wrong = [one for one in made if not METRIC.score(one[2], one[0])]
    assert not [one for one in wrong if one[1] == "itself"]
    assert len(wrong) <= 0.002 * len(made), wrong


@pytest.mark.parametrize(
    ("said", "gold"),
    [
        ("The fee shall be paid by the supplier", "The fee shall not be paid by the supplier"),
        ("The supplier can't end the contract early", "The supplier can end the contract early"),
        ("with prior written consent of the owner", "without prior written consent of the owner"),
        ("Revenue decreased in the third quarter", "Revenue increased in the third quarter"),
        ("Decrease", "Increase"),
        ("at most the value of the whole cargo", "at least the value of the whole cargo"),
        ("The clause is invalid under this law", "The clause is valid under this law"),
        ("No, the owner pays the whole rent", "Yes, the owner pays the whole rent"),
        ("A rise of 12 in the price of the metal", "A rise of 12 % in the price of the metal"),
        (
            "a fine of €5 for each late day of delivery",
            "a fine of $5 for each late day of delivery",
        ),
        ("within thirty (30) months of the notice", "within thirty (30) days of the notice"),
        (
            "from 10 to 5 parts of the mixture by weight",
            "from 5 to 10 parts of the mixture by weight",
        ),
        ("four crates of oranges and lemons", "five crates of oranges and lemons"),
        ("crates of oranges and lemons", "five crates of oranges and lemons"),
        (r"$f(x) \geq g(x)$", r"$f(x) \leq g(x)$"),
        (r"$f(x) \neq g(x)$", r"$f(x) = g(x)$"),
        ("$f(x) = h(x)$", "$f(x) = -h(x)$"),
        ("$x_{1} + y^{3}$", "$x_{1} + y^{2}$"),
        ("a+b", "a-b"),
        ("p+q terms of the sum", "p-q terms of the sum"),
        ("no more than 30 days", "no less than 30 days"),
        ("before 5 May for each of the tenants", "after 5 May for each of the tenants"),
        ("the office in November of the same year", "the office in December of the same year"),
    ],
)
def test_opposites_are_wrong(said: str, gold: str) -> None:
    assert METRIC.score(said, gold) == METRIC.score(gold, said) == 0 or not agree(said, gold)
    assert METRIC.score(said, gold) == 0
    assert METRIC.score(gold, gold) == METRIC.score(said, said) == 1


@pytest.mark.parametrize(
    ("said", "gold"),
    [
        ("The fee is paid by supplier.", "the fee is paid by the supplier"),
        ("The supplier cannot end the contract", "The supplier can not end the contract"),
        ("the supplier doesn't pay the fee", "The supplier does not pay the fee"),
        ("No, the owner does not pay the rent", "The owner does not pay the rent"),
        ("within 30 days of the notice", "within thirty (30) days of the notice"),
        ("5 crates of oranges and lemons", "five crates of oranges and lemons"),
        ("a fine of $5,000,000 for the delay of it", "a fine of $5 million for the delay of it"),
        ("a walk of 5 kilometers along the river", "a walk of 5 km along the river"),
        ("a rise of 12 percent in the metal's price", "a rise of 12 % in the metal's price"),
        ("In 2021 there were 509,000 net additions", "There were 509,000 net additions in 2021"),
        ("$f(x) \\le g(x)$", "$f(x) ≤ g(x)$"),
        ("r_{k - 3} + q_k", "r_{k-3} + q_k"),
        ("[* * *]", "[* * *]"),
        ("No more than 30 days", "At most 30 days"),
        ("no fewer than five members of the board", "at least five members of the board"),
        ("8 hrs after the end of the shift", "8 hours after the end of the shift"),
    ],
)
def test_harmless_differences_are_right(said: str, gold: str) -> None:
    assert METRIC.score(said, gold) == METRIC.score(gold, said) == 1


TEXTS = st.lists(
    st.sampled_from(
        "not no increase decrease valid invalid 5 6 % $5 €5 km the fee is with".split()
    ),
    max_size=8,
).map(" ".join)


@given(TEXTS, TEXTS)
def test_opposition_is_symmetric_and_no_text_opposes_itself(first: str, second: str) -> None:
    assert opposed(first, second) == opposed(second, first)
    assert not opposed(first, first)
    assert agree(first, first)
