"""Whether the words of yes-no questions tell their answers."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ohr.collection import Dataset
from ohr.datasets import wording
from ohr.datasets.guessing import guessed
from ohr.datasets.verify import GUESSABLE_FROM, verify
from ohr.types import Document, Page, PageRef
from tests.examples import examples
from tests.ohr.datasets.test_verify import PAGES, asked


def yes_no_questions(n: int, wording_tells: bool) -> Dataset:
    """Questions of 40 documents, half of them answered by yes."""
    questions = []
    for i in range(n):
        yes = i // 2 % 2 == 0
        how = ("more" if yes else "less") if wording_tells else "more"
        questions.append(
            asked(
                qid=f"q{i}",
                text=f"Did Arvo Mills make {how} than {i} tonnes in 2021?",
                answers=("Yes" if yes else "No",),
                answer_form="Yes/No",
                doc_id=f"finance/{i % 40}",
            )
        )
    documents = [
        Document(f"finance/{i}", "finance", [Page(PageRef(f"finance/{i}", 0), PAGES[0])])
        for i in range(40)
    ]
    return Dataset(documents, questions, kind="test")


def wording_check(dataset: Dataset) -> tuple[int, list[str]]:
    (result,) = [one for one in verify(dataset).results if one.name == "yes_no_wording"]
    return result.judged, [finding.detail for finding in result.findings]


def test_yes_and_no_that_the_wording_tells_apart() -> None:
    judged, details = wording_check(yes_no_questions(GUESSABLE_FROM, wording_tells=True))
    assert judged == GUESSABLE_FROM
    assert details == ["1.000 of the answers are guessed from the words, 0.500 by one answer"]


def test_yes_and_no_in_the_same_words() -> None:
    assert wording_check(yes_no_questions(GUESSABLE_FROM, wording_tells=False)) == (
        GUESSABLE_FROM,
        [],
    )


def test_numbers_are_all_the_same_word() -> None:
    texts = [f"Is it {'1,240.5' if i % 2 else '88'}?" for i in range(40)]
    yes = [i % 2 == 0 for i in range(40)]
    assert guessed(texts, yes, [str(i // 2) for i in range(40)]) == (0.5, 0.5)


def test_too_few_questions_to_say_whether_the_wording_tells() -> None:
    few = yes_no_questions(GUESSABLE_FROM - 1, wording_tells=True)
    assert wording_check(few) == (0, [])


@examples(25)
@given(st.integers(0, 2**32 - 1))
def test_guesses_are_right_by_chance_where_words_say_nothing(seed: int) -> None:
    rng = np.random.default_rng(seed)
    yes = [bool(one) for one in rng.integers(0, 2, 300)]
    texts = [f"Is it {word} or {word}?" for word in rng.choice(["a", "b", "c"], 300)]
    right, majority = guessed(texts, yes, [str(i % 30) for i in range(300)])
    assert majority == pytest.approx(max(sum(yes), 300 - sum(yes)) / 300)
    # Five standard errors of so many fair guesses.
    assert abs(right - 0.5) < 5 * 0.029
    again = guessed(texts, yes, [str(i % 30) for i in range(300)])
    assert again == (right, majority)


def test_scripts_and_fractions_are_no_digits_of_a_number() -> None:
    assert wording.numbers("45.3¹") == ["45.3"]
    assert wording.numbers("1½") == wording.numbers("1 1/2") != wording.numbers("11/2")
    assert wording.numbers("１２") == ["12"]
    assert wording.is_number("45.3¹ km")
    assert wording.is_number("1½ cups")
