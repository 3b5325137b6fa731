"""Boxes become columns and lines whatever order the detector gave them in."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ohr.documents.reading_order import page_text

Box = list[float]


def box(x: float, y: float, width: float, height: float = 25.0) -> list[Box]:
    return [[x, y], [x + width, y], [x + width, y + height], [x, y + height]]


TABLE = {
    "Revenue": box(50, 100, 200),
    "10": box(500, 103, 60, 20),
    "—": box(700, 110, 40, 8),
    "12": box(900, 98, 60, 28),
    "A note over the whole width of the page": box(50, 132, 1100),
    "Costs": box(50, 164, 150),
    "7": box(500, 165, 20),
}
EXPECTED = "Revenue 10 — 12\nA note over the whole width of the page\nCosts 7"


WORDS = "several words of running text in column"


def column(name: str, x: float, y: float, lines: int, width: float = 500) -> dict[str, list[Box]]:
    """Lines of text 40 pixels apart; the last one is short."""
    last = lines - 1
    return {
        f"{WORDS} {name}{n}": box(x, y + 40 * n, width if n < last else width / 3)
        for n in range(lines)
    }


def turned(boxes: dict[str, list[Box]], degrees: float) -> np.ndarray:
    angle = math.radians(degrees)
    turn = np.array([[math.cos(angle), math.sin(angle)], [-math.sin(angle), math.cos(angle)]])
    return np.array(list(boxes.values())) @ turn


def order(boxes: dict[str, list[Box]], degrees: float = 0) -> list[str]:
    """What stands in each line, without the words that every line of text has."""
    text = page_text(turned(boxes, degrees), list(boxes))
    return text.replace(f"{WORDS} ", "").split("\n")


def names(name: str, lines: int) -> list[str]:
    return [f"{name}{n}" for n in range(lines)]


PAPER = (
    {"A headline over both columns of the page": box(50, 20, 1060, 50)}
    | column("a", 50, 100, 9)
    | column("b", 610, 113, 7)
    | {"The caption of a figure that is as wide as the page": box(100, 600, 900)}
    | column("c", 50, 700, 5)
    | column("d", 610, 700, 5)
)
PAPER_ORDER = [
    "A headline over both columns of the page",
    *names("a", 9),
    *names("b", 7),
    "The caption of a figure that is as wide as the page",
    *names("c", 5),
    *names("d", 5),
]


@given(st.permutations(list(PAPER)))
def test_columns_are_read_one_after_the_other(shuffled: list[str]) -> None:
    assert order({name: PAPER[name] for name in shuffled}) == PAPER_ORDER


@pytest.mark.parametrize("degrees", [-4, -1.5, 1.5, 4])
def test_columns_of_a_skewed_page(degrees: float) -> None:
    assert order(PAPER, degrees) == PAPER_ORDER


def test_a_headline_over_two_of_three_columns() -> None:
    page = (
        {"A headline over the first two columns": box(50, 20, 700, 50)}
        | column("a", 50, 100, 8, 350)
        | column("b", 430, 100, 8, 350)
        | column("c", 810, 20, 10, 350)
    )
    expected = ["A headline over the first two columns", *names("a", 8), *names("b", 8)]
    assert order(page) == [*expected, *names("c", 10)]


def test_a_table_in_a_column_keeps_its_rows() -> None:
    table = {
        name: box(x, y, width)
        for row in range(6)
        for name, x, y, width in (
            (f"Item number {row} of the operating expenses", 50, 300 + 40 * row, 280),
            (f"{row},125", 380, 300 + 40 * row, 60),
            (f"{row},340", 480, 300 + 40 * row, 60),
        )
    }
    page = column("a", 50, 100, 5) | table | column("b", 610, 100, 12)
    rows = [f"Item number {n} of the operating expenses {n},125 {n},340" for n in range(6)]
    assert order(page) == [*names("a", 5), *rows, *names("b", 12)]


def test_a_column_of_labels_beside_numbers_is_a_table() -> None:
    page = {
        name: box(x, 100 + 40 * row, width)
        for row in range(20)
        for name, x, width in (
            (f"Provision for losses on outstanding loans, year {row}", 50, 500),
            (f"$ {row},340,125", 700, 300),
        )
    }
    expected = [
        f"Provision for losses on outstanding loans, year {n} $ {n},340,125" for n in range(20)
    ]
    assert order(page) == expected


def test_chinese_columns() -> None:
    line = "这一行文字在中文报纸的一栏里面"
    page = {
        f"{line}{name}{n}": box(x, 100 + 40 * n, 400)
        for name, x in (("甲", 50), ("乙", 480))
        for n in range(6)
    }
    assert [text[-2:] for text in order(page)] == [*names("甲", 6), *names("乙", 6)]


@given(st.permutations(list(TABLE)))
def test_order_of_the_boxes_does_not_matter(shuffled: list[str]) -> None:
    boxes = np.array([TABLE[name] for name in shuffled])
    assert page_text(boxes, shuffled) == EXPECTED


@pytest.mark.parametrize("degrees", [-3, -1, 1, 3])
def test_skew_is_followed(degrees: float) -> None:
    assert page_text(turned(TABLE, degrees), list(TABLE)) == EXPECTED


def test_vertical_stamp_joins_no_line() -> None:
    boxes = {"stamp": box(5, 80, 25, 400)} | TABLE
    lines = page_text(np.array(list(boxes.values())), list(boxes)).split("\n")
    assert "stamp" in lines
    assert [line for line in lines if line != "stamp"] == EXPECTED.split("\n")


def test_nothing() -> None:
    assert page_text(np.zeros((0, 4, 2)), []) == ""


def test_points_do_not_divide_by_zero() -> None:
    assert page_text(np.zeros((2, 4, 2)), ["a", "b"]).split() == ["a", "b"]


def test_columns_of_chinese_run_down_from_right_to_left() -> None:
    def box(left_edge: int, top: int, right: int, bottom: int) -> list[list[int]]:
        return [[left_edge, top], [right, top], [right, bottom], [left_edge, bottom]]

    columns = [box(10, 10, 40, 400), box(60, 10, 90, 400), box(110, 10, 140, 200),
               box(110, 220, 140, 400)]  # fmt: skip
    texts = ["港口有三百名工人", "灯塔建于一八七四年", "木材鱼盐", "不进口煤炭"]
    assert page_text(np.array(columns), texts) == (
        "木材鱼盐 不进口煤炭\n灯塔建于一八七四年\n港口有三百名工人"
    )
    # A stamp beside lines that run across turns nothing.
    lines = [box(10, 10, 400, 40), box(10, 60, 400, 90), box(420, 10, 450, 90)]
    text = page_text(np.array(lines), ["港口有三百名工人", "灯塔建于一八七四年", "机密"])
    assert text.startswith("港口有三百名工人")
