"""Spellings of one word or number are not charged for; different ones are."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ohr.metrics import reference
from ohr.metrics.answer_forms import answer_tokens
from ohr.metrics.default import em, f1, rouge_l
from ohr.metrics.default_tokens import tokens

SAME = [
    ("U.K.", "UK"), ("the U.K. fleet", "UK fleet"), ("U.K.-built", "UK-built"), ("9 a.m.", "9 am"),
    ("co-owner", "coowner"), ("re\u2010elected", "reelected"), ("well-known", "well known"),
    ("7.0", "7"), ("$7.00", "7"), ("-7.0", "-7"), ("23,45,678", "2,345,678"),
    ("2 345 678", "2,345,678"), ("2\u202f345", "2345"), ("2'345.75", "2,345.75"),
    ("2\u2019345", "2,345"), ("2.345.678", "2345678"), ("C. S. Hall", "CS Hall"),
    ("-2 345", "-2,345"), ("2 345 678 t", "23,45,678 t"),
]  # fmt: skip
OTHERS = [
    ("7.5", "7"), ("7.10", "7.1"), ("-7", "7"), ("70", "7"), ("1 234", "1235"), ("U.K.", "US"),
    ("100 200", "100200300"), ("co-owner", "owner"), ("7.05", "7.5"),
]  # fmt: skip


@pytest.mark.parametrize(("first", "second"), SAME)
def test_one_spelling_is_the_other(first, second):
    for score in (f1, em, rouge_l):
        assert score(first, second) == score(second, first) == 1


@pytest.mark.parametrize(("first", "second"), OTHERS)
def test_other_words_and_numbers_stay_different(first, second):
    assert em(first, second) == em(second, first) == 0


@given(st.integers(0, 10**12))
def test_a_number_is_one_however_its_digits_are_grouped(number):
    plain, commas = str(number), f"{number:,}"
    for form in (commas, commas.replace(",", " "), commas.replace(",", "'"), f"{plain}.0"):
        assert em(form, plain) == em(plain, form) == em(form, commas) == 1


@pytest.mark.parametrize(
    ("form", "plain"),
    [
        ("7 412,5", "7412.5"), ("7.412,5", "7,412.5"), ("7\u202f412,50", "7412.50"),
        ("½", "0.5"), ("4¾", "4.75"), ("2 ¼ miles", "2.25 miles"),
        ("6 million", "6,000,000"), ("2.4 billion", "2400000000"), ("1,200 thousand", "1200000"),
        ("−3.5 million", "-3500000"), ("$6 million", "$6,000,000"),
    ],
)  # fmt: skip
def test_a_number_is_one_however_it_is_spelled(form, plain):
    assert em(form, plain) == em(plain, form) == 1
    assert em(form, form) == 1


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("7,5", "7.5"), ("7,412", "7.412"), ("6 million", "6"), ("6 million", "6,000"),
        ("½", "2"), ("4½", "0.5"), ("7 412,5", "74125"), ("6 millionaires", "6000000"),
    ],
)  # fmt: skip
def test_other_numbers_stay_others(one, other):
    assert em(one, other) == em(other, one) == 0


@given(st.text("ab5.0,' -U½", max_size=20), st.text("ab5.0,' -U½", max_size=20))
def test_answers_with_equal_tokens_stay_equal_and_the_order_does_not_matter(first, second):
    if tokens(first) == tokens(second):
        assert em(first, second) == float(bool(tokens(first)))
    assert answer_tokens(first, second) == answer_tokens(second, first)[::-1]


def test_the_published_scoring_is_untouched():
    assert reference.em("U.K.", "UK") == 1
    assert reference.em("co-owner", "co owner") == 0
    assert reference.em("7.0", "7") == 0
    assert reference.f1("2 345", "2,345") == 0
