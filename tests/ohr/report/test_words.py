"""Texts side by side: what differs is marked, and what is made up is marked apart."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ohr.report.made_up import made_up_spans
from ohr.report.words import side_by_side

TRUTH = "The pump of the northern valley cost 4,812 in **May** and was in order."


def made_up(text: str, truth: str = TRUTH) -> str:
    return "".join(piece for kind, piece in side_by_side(truth, text)[1] if kind == 2).strip()


def test_invented_words_and_changed_numbers_are_made_up() -> None:
    invented = "The insurance premium falls due on the first of November."
    assert made_up(f"{TRUTH} {invented}") == invented
    assert made_up(TRUTH.replace("4,812", "4,872")) == "4,872"
    assert made_up(TRUTH.replace("**May**", "May").replace("pump", "pumq")) == ""


def test_other_differences_are_marked_as_before() -> None:
    right = side_by_side(TRUTH, TRUTH.replace("valley", "va11ey"))[1]
    assert [piece.strip() for kind, piece in right if kind == 1] == ["va11ey"]


def test_spans_are_places_of_the_page_text() -> None:
    text = "## The pump\n\n**cost** $5,000 in May, and insurance doubled."
    spans = made_up_spans(text, "The pump cost $4,000 in May.")
    assert {text[start:end] for start, end in spans} >= {"$5,000", "insurance", "doubled."}


@given(st.text(max_size=60), st.text(max_size=60))
def test_the_pieces_are_the_texts(truth: str, output: str) -> None:
    first, second = side_by_side(truth, output)
    assert "".join(piece for _, piece in first).split() == truth.split()
    assert "".join(piece for _, piece in second).split() == output.split()


def test_case_is_no_difference_where_the_truth_has_only_capitals():
    truth, output = "TOTAL RM 9.00", "Total Rm 9.00"
    assert side_by_side(truth, output) == ([(0, truth)], [(0, output)])
    mixed, _ = side_by_side("Total RM 9.00", output)
    assert (1, "RM ") in mixed


@pytest.mark.parametrize(
    ("truth", "output", "lost", "read"),
    [
        ("**Total** 45", "Total 45", [(3, "**Total** "), (0, "45")], [(3, "Total "), (0, "45")]),
        ("a “word”", 'a "word"', [(0, "a "), (3, "“word”")], [(0, "a "), (3, '"word"')]),
        ("## Head", "Head", [(3, "## "), (0, "Head")], [(0, "Head")]),
        (r"\textbf{sum} x", "sum x", [(3, r"\textbf{sum} "), (0, "x")], [(3, "sum "), (0, "x")]),
        # Signs that change what is said are no mark-up.
        ("paid $5 now", "paid 5 now", [(0, "paid "), (1, "$5 "), (0, "now")], None),
        ("is -4 now", "is 4 now", [(0, "is "), (1, "-4 "), (0, "now")], None),
        ("a word here", "a ward here", [(0, "a "), (1, "word "), (0, "here")], None),
    ],
)
def test_mark_up_is_marked_apart_from_wrong_words(truth, output, lost, read):
    left_side, right = side_by_side(truth, output)
    assert left_side == lost
    assert read is None or right == read
