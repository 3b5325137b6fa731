"""Values of other types as text, as texts, as page numbers and as rows."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ohr.datasets.values import name_of, page_number_of, rows_of, text_of, texts_of


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, ""), ("", ""), (" a ", " a "), (900, "900"), (900.0, "900"), (-0.5, "-0.5"),
        (1e21, "1000000000000000000000"), (0, "0"),
    ],
)  # fmt: skip
def test_strings_and_numbers_are_text(value: Any, text: str) -> None:
    assert text_of(value, "answers") == text


@given(st.integers(-(2**53), 2**53))
def test_a_whole_float_is_written_as_the_integer_is(number: int) -> None:
    assert text_of(float(number), "x") == text_of(number, "x")


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (True, "answers is the boolean true"),
        (math.nan, r"answers is no number \(nan\)"),
        (math.inf, r"answers is no number \(inf\)"),
        ({"a": 1}, "answers is the dictionary {'a': 1}"),
        (["a"], r"answers is the list \['a'\]"),
        (b"x", "answers is the bytes b'x'"),
        ([["x" * 99]], "answers is the list .*…"),
    ],
)
def test_all_else_is_an_error_that_says_what_it_is(value: Any, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        text_of(value, "answers")


@pytest.mark.parametrize(
    ("value", "texts"),
    [
        ("a", ("a",)), (9.0, ("9",)), (["a", 2, 3.0], ("a", "2", "3")), ([], ()), (None, ("",)),
        ({"text": ["a", "b", "a"], "answer_start": [0, 5, 0]}, ("a", "b")),
        ({"text": "a"}, ("a",)), ({"text": [], "answer_start": []}, ()),
        ([{"text": "a", "answer_start": 1}, {"text": "a", "answer_start": 9}], ("a",)),
    ],
)  # fmt: skip
def test_flat_lists_and_the_form_of_squad_are_texts(value: Any, texts: tuple[str, ...]) -> None:
    assert texts_of(value, "answers") == texts


@pytest.mark.parametrize(
    "value",
    [[["a"]], ["a", True], {"text": [["a"]]}, {"span": "a"}, {"text": "a", "unit": "m"}, [{}]],
)
def test_a_list_in_a_list_is_no_text(value: Any) -> None:
    with pytest.raises(ValueError, match=r"answers(\[\d\])? is the"):
        texts_of(value, "answers")


@pytest.mark.parametrize(
    ("value", "number"), [(3, 3), (3.0, 3), ("3", 3), (" 3.0 ", 3), (0, 0), (1_000_000, 1_000_000)]
)
def test_a_page_number_is_whole(value: Any, number: int) -> None:
    assert page_number_of(value, "page_idx") == number


@pytest.mark.parametrize(
    "value",
    [0.99, True, False, -1, "-1", "", None, "1_0", "three", math.nan, [1], 1_000_001, 10.0**30],
)
def test_what_is_no_page_number_is_not_rounded(value: Any) -> None:
    with pytest.raises(ValueError, match="page_idx is"):
        page_number_of(value, "page_idx")


@pytest.mark.parametrize("value", ["", "  ", None, True, ["a"]])
def test_a_name_is_not_empty(value: Any) -> None:
    with pytest.raises(ValueError, match="ID is"):
        name_of(value, "ID")


def test_columns_are_rows() -> None:
    rows = [{"a": 1, "b": [3]}, {"a": 2, "b": [4]}]
    assert rows_of(rows) == rows
    assert rows_of({"a": [1, 2], "b": [[3], [4]]}) == rows
    assert rows_of({"a": {"0": 1, "1": 2}, "b": {"0": [3], "1": [4]}}) == rows
    assert rows_of(None) == rows_of({}) == []
    for wrong in ("ab", 3, {"a": [1], "b": []}, {"a": 1}):
        with pytest.raises(ValueError, match=r"expected|unequal"):
            rows_of(wrong)
