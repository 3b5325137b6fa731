"""The dataset: what it consists of, and what its digest sees."""

import pytest

from ohr.collection import Dataset
from ohr.plugins.metric import PageCase
from ohr.scoring.cases import page_cases
from ohr.scoring.units import Units
from ohr.types import Document, Holes, KnowledgeBase, Outcome, Page, PageRef

REF = PageRef("law/alpha", 0)


def make_dataset(holes: dict[PageRef, Holes] | None) -> Dataset:
    document = Document("law/alpha", "law", (Page(REF, "one two three"),))
    return Dataset([document], [], kind="folder", holes=holes)


def test_holes_are_part_of_the_digest_where_there_are_any() -> None:
    without = make_dataset(None).digest()
    assert make_dataset({}).digest() == without
    doubtful = make_dataset({REF: Holes(doubtful=((0, 3),))}).digest()
    unordered = make_dataset({REF: Holes(order_known=False)}).digest()
    assert len({without, doubtful, unordered}) == 3


def test_by_default_there_are_no_holes() -> None:
    assert make_dataset(None).holes == {}
    assert Holes() == Holes(doubtful=(), order_known=True, covered=1.0)


@pytest.mark.parametrize(
    ("texts", "known"),
    [
        (["TOTAL 9.00 " * 30], False),
        (["TOTAL 9.00"], True),  # too little to tell
        (["TOTAL 9.00 " * 30, "Total 9.00"], True),
        (["TOTAL 9.00 " * 3] * 40 + ["one slip"], False),
        (["1 2 3 4 " * 100], True),
        (["漢字" * 300], True),
    ],
)
def test_a_truth_in_capitals_knows_no_case(texts, known) -> None:
    documents = [
        Document(f"a/{n}", "a", (Page(PageRef(f"a/{n}", 0), text),)) for n, text in enumerate(texts)
    ]
    dataset = Dataset(documents, (), kind="test")
    assert dataset.case_known is known


@pytest.mark.parametrize(("protocol", "equal"), [("default", True), ("reference", False)])
def test_case_is_folded_where_the_truth_has_none(protocol, equal) -> None:
    ref = PageRef("a/1", 0)
    dataset = Dataset([Document("a/1", "a", (Page(ref, "TO LET " * 50),))], (), kind="test")
    units = Units(dataset, (), (ref,), protocol)
    kb = KnowledgeBase({ref: Outcome("To Let " * 50)}, {})
    [case] = page_cases(units, kb).cases
    assert isinstance(case, PageCase)
    assert (case.text == case.truth) is equal
