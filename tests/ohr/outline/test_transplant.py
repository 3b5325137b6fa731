"""Headings of one reading in the text of another."""

from hypothesis import given
from hypothesis import strategies as st

from ohr.markup.outline.read import document_tree
from ohr.markup.outline.transplant import transplant_headings
from ohr.markup.outline.tree import DocumentTree
from ohr.types import Document, Page, PageRef


def tree(*pages: str) -> DocumentTree:
    refs = [PageRef("d/a", number) for number in range(len(pages))]
    return document_tree(
        Document("d/a", "d", [Page(ref, text) for ref, text in zip(refs, pages, strict=True)])
    )


def titles(found: DocumentTree) -> list[tuple[int, str]]:
    return [(section.level, section.title) for section in found.sections]


TRUE = (
    "# Report\n\nThe first part is short.\n\n## Costs\n\nRent was 400 that year.",
    "# Aims\n\nMore.",
)
READ = ("Rep0rt\n\nThe firsl part is short.\nCosts\nRent was 4O0 that year.", "# \nM0re.")


def test_the_truths_headings_stand_before_the_words_that_follow_them() -> None:
    mended = transplant_headings(tree(*READ), tree(*TRUE))
    assert titles(document_tree(mended)) == titles(tree(*TRUE))
    first = mended.pages[0].text
    assert first.index("# Report") < first.index("The firsl")
    assert first.index("## Costs") < first.index("Rent was 4O0")
    assert first.index("short.") < first.index("## Costs")


def test_words_stay_as_they_are() -> None:
    mended = transplant_headings(tree(*READ), tree(*TRUE))
    kept = " ".join(mended.pages[0].text.replace("# Report", "").replace("## Costs", "").split())
    assert kept == " ".join(READ[0].split())


def test_a_readings_headings_in_the_true_text() -> None:
    broken = transplant_headings(tree(*TRUE), tree(*READ))
    assert titles(document_tree(broken)) == [(1, "")]
    assert "Report" in broken.pages[0].text
    assert "#" not in broken.pages[0].text


TEXTS = st.lists(
    st.lists(st.sampled_from(["# A", "## B", "x y", "z.", "w"]), max_size=6).map("\n\n".join),
    min_size=1,
    max_size=3,
)


@given(TEXTS, TEXTS)
def test_any_two_readings(one: list[str], other: list[str]) -> None:
    first, second = tree(*one), tree(*other[: len(one)])
    mended = document_tree(transplant_headings(first, second))
    marked = [s.title for s in second.sections]
    assert [s.title for s in mended.sections if s.source == "markup"] == marked
