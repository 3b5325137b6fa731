"""Structure that a reading kept, beside that of the ground truth."""

from functools import lru_cache
from math import isnan

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from rapidfuzz.distance import Levenshtein

from ohr.markup.outline.read import document_tree
from ohr.markup.outline.tree import DocumentTree
from ohr.metrics.outlines import LARGEST, compare_trees
from ohr.types import Document, Page, PageRef
from tests.patience import ends


def tree(*pages: str) -> DocumentTree:
    refs = [PageRef("d/a", number) for number in range(len(pages))]
    return document_tree(
        Document("d/a", "d", [Page(ref, text) for ref, text in zip(refs, pages, strict=True)])
    )


TRUE = tree(
    "# Report\n\nText.\n\n## Costs\n\nTable 1: Costs by year\n\n"
    "| Year | Cost |\n| - | - |\n| 2020 | 14 |\n",
    "## Aims\n\nMore text.\n\nFigure 1: The house from above.\n",
)


def test_a_reading_like_the_truth_is_perfect() -> None:
    scores = compare_trees(TRUE, TRUE)
    assert (scores.headings, scores.tables, scores.captions) == (3, 1, 2)
    assert scores.heading_recall == scores.heading_precision == scores.parent_agreement == 1
    assert scores.section_overlap == pytest.approx(1)
    assert scores.table_recall == scores.table_precision == 1
    assert scores.caption_recall == scores.caption_precision == 1
    assert scores.tree_distance == 0


def test_a_heading_with_a_slip_is_found_and_one_of_lost_words_is_not() -> None:
    read = tree("# Rep0rt\n\nText.\n\n## \n\nText.", "# Aims\n\nMore text.")
    scores = compare_trees(read, TRUE)
    assert scores.heading_recall == pytest.approx(2 / 3)
    assert scores.heading_precision == pytest.approx(2 / 3)
    assert scores.parent_agreement == 0.5
    assert scores.table_recall == 0
    assert isnan(scores.table_precision)
    assert 0 < scores.section_overlap < 1
    # One slip in six letters, a title lost, and a heading that moved out of another.
    assert 0 < scores.tree_distance < 1


def test_headings_on_other_pages_are_other_headings() -> None:
    assert compare_trees(tree("Text.", "# Costs"), tree("# Costs", "Text.")).heading_recall == 0


def test_nothing_to_measure() -> None:
    scores = compare_trees(tree("Text."), tree("Text."))
    assert isnan(scores.heading_recall)
    assert isnan(scores.section_overlap)
    assert isnan(scores.tree_distance)
    assert compare_trees(tree("# A\n\nText."), tree("Text.")).tree_distance == 1


LEVELS = st.lists(
    st.tuples(st.integers(1, 4), st.sampled_from(["a", "b", "ab"])), min_size=1, max_size=9
)


Forest = tuple[tuple[str, "Forest"], ...]


def forest(sections: DocumentTree, inside: int = 0) -> Forest:
    return tuple(
        (section.title, forest(sections, section.number))
        for section in sections.sections
        if section.parent == inside
    )


def size(trees: Forest) -> int:
    return sum(1 + size(below) for _, below in trees)


@lru_cache(maxsize=100_000)
def distance(one: Forest, other: Forest) -> float:
    """By the definition: the last tree's root goes, comes, or becomes the other's."""
    if not one or not other:
        return size(one) + size(other)
    (title, below), (wanted, inside) = one[-1], other[-1]
    return min(
        distance(one[:-1] + below, other) + 1,
        distance(one, other[:-1] + inside) + 1,
        distance(one[:-1], other[:-1])
        + distance(below, inside)
        + Levenshtein.normalized_distance(title, wanted),
    )


@given(LEVELS, LEVELS)
@example(  # where the package apted finds 4, and 3.5 is possible
    [(1, "a"), (1, "a"), (2, "a"), (1, "a")],
    [(1, "ab"), (2, "b"), (1, "a"), (2, "a"), (2, "a")],
)
def test_the_tree_distance_is_that_of_its_definition(
    one: list[tuple[int, str]], other: list[tuple[int, str]]
) -> None:
    first, second = (
        tree("\n\n".join(f"{'#' * level} {title}" for level, title in levels))
        for levels in (one, other)
    )
    expected = distance(forest(first), forest(second))
    got = compare_trees(first, second).tree_distance * (len(one) + len(other))
    assert got == pytest.approx(expected)
    assert compare_trees(second, first).tree_distance == pytest.approx(
        compare_trees(first, second).tree_distance
    )


@pytest.mark.slow
def test_many_headings_side_by_side_take_no_longer_than_their_texts() -> None:
    titles = [f"Note {number}" for number in range(LARGEST)]
    true, read = (
        tree("\n\n".join(f"# {title}" for title in some)) for some in (titles, titles[:-300])
    )
    with ends(cpu_s=20):
        assert compare_trees(read, true).tree_distance == pytest.approx(300 / (2 * LARGEST - 300))
