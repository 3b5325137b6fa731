"""Whether evidence is where the truth of its page is not known."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ohr.collection import Dataset
from ohr.datasets.holes import (
    NO_ORDER,
    evidence_in_hole,
    join_pages,
    known_lines,
    questions_in_holes,
)
from ohr.types import Document, Holes, Page, PageRef, Question

TEXT = (
    "The lease begins in May. The deposit is 9OO crowns, payable in advance. The tenant hands "
    "over the key when the lease ends. Dogs are allowed."
)
ONE = "1 word in its place on the page may be wrong"


def doubtful(text: str, *words: str) -> Holes:
    return Holes(tuple(sorted((text.index(word), text.index(word) + len(word)) for word in words)))


def about(qid: str, pages: Sequence[PageRef], evidence: str) -> Question:
    return Question(qid, "What?", ("it",), "law/alpha", "law", tuple(pages), evidence, "text")


@given(st.text(max_size=30), st.text(max_size=30))
def test_without_holes_there_is_no_reason(text: str, evidence: str) -> None:
    assert evidence_in_hole(text, None, evidence) == ""
    assert evidence_in_hole(text, Holes(covered=0.5), evidence) == ""


@pytest.mark.parametrize(
    ("evidence", "reason"),
    [
        ("The deposit is 900 crowns, payable in advance.", ONE),  # the layer misreads it
        ("The deposit is 9OO crowns, payable in advance.", ONE),  # copied from the layer
        ("deposit is nine hundred crowns", ONE),
        ("The tenant hands over the key", ""),  # elsewhere
        ("The deposit is due in June, payable to the clerk of the court", ""),  # not there
        ("The ship was sold to the mayor", ""),
        ("900", ""),  # nothing beside it is on the page
        ("9O0", ONE),  # like the doubtful word
        ("", ""),
        ("...", ""),
    ],
)
def test_a_doubtful_word_in_the_place_of_the_evidence(evidence: str, reason: str) -> None:
    assert evidence_in_hole(TEXT, doubtful(TEXT, "9OO"), evidence) == reason


def test_a_doubtful_word_that_the_evidence_lacks() -> None:
    evidence = "The deposit is crowns, payable in advance."
    assert evidence_in_hole(TEXT, doubtful(TEXT, "9OO"), evidence) == ONE


def test_many_doubtful_words_are_not_everything() -> None:
    words = TEXT.split()
    holes = Holes(((0, len(TEXT) // 2),))
    assert evidence_in_hole(TEXT, holes, "The ship was sold to the mayor of the town") == ""
    assert evidence_in_hole(TEXT, holes, " ".join(words[:8])).startswith("8 words")


@pytest.mark.parametrize(
    ("evidence", "reason"),
    [
        ("crowns payable advance in deposit", NO_ORDER),
        ("The deposit is 9OO crowns, payable in advance.", NO_ORDER),
        ("The deposit is due in June, payable to the clerk", ""),
    ],
)
def test_words_in_any_order_where_it_is_not_known(evidence: str, reason: str) -> None:
    assert evidence_in_hole(TEXT, Holes(order_known=False), evidence) == reason


def test_several_pages_are_one() -> None:
    text, holes = join_pages([("one two", None), ("three fo", doubtful("three fo", "fo"))])
    assert text[slice(*holes.doubtful[0])] == "fo"
    assert holes == Holes(((14, 16),))
    assert join_pages([("a", Holes(order_known=False, covered=0.5)), ("b", None)])[1] == Holes(
        order_known=False, covered=0.5
    )
    assert join_pages([]) == ("", Holes())


def test_the_questions_of_a_dataset() -> None:
    refs = [PageRef("law/alpha", number) for number in range(2)]
    document = Document("law/alpha", "law", tuple(Page(ref, TEXT) for ref in refs))
    asked = [
        about("known", refs[:1], "Dogs are allowed."),
        about("doubt", refs[1:], "The deposit is 900 crowns"),
        about("none", [*refs, PageRef("law/alpha", 7)], ""),
    ]
    holes = {refs[1]: doubtful(TEXT, "9OO")}
    dataset = Dataset([document], asked, kind="folder", holes=holes)
    assert questions_in_holes(dataset, asked) == {"doubt": ONE}
    assert questions_in_holes(Dataset([document], asked, kind="folder"), asked) == {}


def test_questions_rest_on_lines_that_are_known():
    text = "Revenue was 12\nCosts were 9OO\nThe rest is profit"
    assert known_lines(text, None) == text
    assert known_lines(text, doubtful(text, "9OO")) == "Revenue was 12\nThe rest is profit"
    assert known_lines(text, Holes(order_known=False)) == ""
