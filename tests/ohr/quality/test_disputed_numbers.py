"""Numbers that differ between two outputs, and what the glyphs say."""

from __future__ import annotations

import re

import pytest

from ohr.quality.disputed_numbers import compare_with_witness, decided, digits_of, spread
from tests.ohr.quality.page_pictures import draw_page

LINES = [
    "The pump number 17 was checked on day 34 and found in order",
    "Revenue rose by 12.5 percent to $4,812 thousand in the year 2023",
]
TEXT = "\n".join(LINES)


@pytest.mark.parametrize(
    ("word", "digits"),
    [
        ("4,812", "4812"),
        ("$(1,204.50)", "120450"),
        ("12%", "12"),
        (".5", "5"),
        ("29-10-2017", "29102017"),
        ("1.2.3.4", "1234"),
        ("A4", ""),
        ("4,8l2", ""),
        ("5-7", ""),
        ("22.4%$", ""),
    ],
)
def test_only_well_formed_numbers_are_numbers(word, digits):
    assert digits_of(word) == digits


def test_the_same_number_written_otherwise_is_the_same():
    other = TEXT.replace("4,812", "4812").replace("12.5", "(12.5)")
    result = compare_with_witness(other, TEXT, None)
    assert (result.compared, result.disputed) == (5, ())


def test_changed_numbers_are_disputed_with_their_place():
    _, words = draw_page(LINES)
    changed = re.sub(r"\d+", lambda m: m[0][:-1] + str((int(m[0][-1]) + 3) % 10), TEXT)
    result = compare_with_witness(changed, TEXT, words)
    assert [(each.own, each.other) for each in result.disputed] == [
        ("10", "17"), ("37", "34"), ("15.8", "12.5"), ("$7,815", "$4,812"), ("2026", "2023"),
    ]  # fmt: skip
    assert all(each.box is not None for each in result.disputed)
    assert "$4,812" in [word.text for word in words if word.box[0] >= result.disputed[3].box[0]]


def test_a_number_that_is_missing_does_not_change_the_next_ones():
    table = "Net sales by region north 410 522 633 748 and total of region"
    result = compare_with_witness(table.replace("410 ", ""), table, None)
    assert not result.disputed


def test_the_glyphs_decide():
    [number] = compare_with_witness(TEXT.replace("34", "84"), TEXT, None).disputed
    assert decided(number, ["on day 34 and", ""]) == "other"
    assert decided(number, ["on day 84 and"]) == "own"
    assert decided(number, ["on day 34", "on day 84"]) == ""
    assert decided(number, ["on day B4"]) == ""
    assert spread([number], 3) == []  # it has no place to be read again
