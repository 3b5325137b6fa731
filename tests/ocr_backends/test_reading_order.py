"""Boxes become lines whatever order the detector gave them in."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ocr_backends.reading_order import page_text


def box(x: float, y: float, width: float, height: float = 25.0) -> list[list[float]]:
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


@given(st.permutations(list(TABLE)))
def test_order_of_the_boxes_does_not_matter(names: list[str]) -> None:
    assert page_text(np.array([TABLE[name] for name in names]), names) == EXPECTED


@pytest.mark.parametrize("degrees", [-3, -1, 1, 3])
def test_skew_is_followed(degrees: float) -> None:
    angle = math.radians(degrees)
    turn = np.array([[math.cos(angle), math.sin(angle)], [-math.sin(angle), math.cos(angle)]])
    assert page_text(np.array(list(TABLE.values())) @ turn, list(TABLE)) == EXPECTED


def test_vertical_stamp_joins_no_line() -> None:
    boxes = {"stamp": box(5, 80, 25, 400)} | TABLE
    lines = page_text(np.array(list(boxes.values())), list(boxes)).split("\n")
    assert "stamp" in lines
    assert [line for line in lines if line != "stamp"] == EXPECTED.split("\n")


def test_nothing() -> None:
    assert page_text(np.zeros((0, 4, 2)), []) == ""


def test_points_do_not_divide_by_zero() -> None:
    assert page_text(np.zeros((2, 4, 2)), ["a", "b"]).split() == ["a", "b"]
