"""The dataset: what it consists of, and what its digest sees."""

from ohr.collection import Dataset
from ohr.types import Document, Holes, Page, PageRef

REF = PageRef("law/alpha", 0)


def with_holes(holes: dict[PageRef, Holes] | None) -> Dataset:
    document = Document("law/alpha", "law", (Page(REF, "one two three"),))
    return Dataset([document], [], kind="folder", holes=holes)


def test_holes_are_part_of_the_digest_where_there_are_any() -> None:
    without = with_holes(None).digest()
    assert with_holes({}).digest() == without
    doubtful = with_holes({REF: Holes(doubtful=((0, 3),))}).digest()
    unordered = with_holes({REF: Holes(order_known=False)}).digest()
    assert len({without, doubtful, unordered}) == 3


def test_by_default_there_are_no_holes() -> None:
    assert with_holes(None).holes == {}
    assert Holes() == Holes(doubtful=(), order_known=True, covered=1.0)
