"""The dataset: what it consists of, and what its digest sees."""

from ohr.collection import Dataset
from ohr.types import Document, Holes, Page, PageRef

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
