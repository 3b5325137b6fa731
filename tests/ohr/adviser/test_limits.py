"""What a comparison cannot show, before any page is read."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ohr.adviser.recommend.limits import END, floor_lines, limit_of, too_few_clusters
from ohr.statistics.clusters import DOCUMENT, PAGE
from ohr.statistics.flips import smallest_p
from ohr.statistics.inference import ALPHA


@pytest.mark.parametrize(
    ("counts", "lines"),
    [
        ((8, 8, 3), ["Retrieval, 8 documents, 3 engines: the smallest possible p is 0.008."]),
        (
            (5, 40, 2),
            [
                "Retrieval, 5 documents: the smallest possible p is 0.063, so nothing can be shown "
                "over documents; use 6 or more."
            ],
        ),
        (
            (60, 60, 2),
            ["Retrieval, 60 documents, 2 engines: the smallest possible p is below 0.001."],
        ),
        (
            (0, 1, 2),
            ["Errors, 1 page: too few to compare engines, at least 8 are needed."],
        ),
        (
            (8, 8, 1),
            ["Fewer than two engines of page images: nothing can be compared (--engines)."],
        ),
    ],
)
def test_the_floor_is_known_before_a_page_is_read(counts, lines):
    assert floor_lines(*counts) == lines


@given(st.integers(1, 200), st.integers(8, 400), st.integers(2, 9))
def test_the_floor_says_that_nothing_can_be_shown_exactly_if_it_is_so(documents, pages, engines):
    said = " ".join(floor_lines(documents, pages, engines))
    assert ("nothing can be shown" in said) == (smallest_p(documents) > ALPHA)


@given(st.lists(st.floats(0, 1), min_size=2, max_size=6))
def test_a_limit_is_that_all_means_are_near_the_same_end(means):
    limit = limit_of(means, is_error=False)
    assert (limit == "ceiling") == (min(means) >= 1 - END)
    assert (limit == "floor") == (max(means) <= END)
    assert limit_of(means[:1], is_error=False) == ""
    other = {"ceiling": "floor", "floor": "ceiling", "": ""}
    assert limit_of(means, is_error=True) == other[limit]


def test_clusters_that_can_show_nothing_are_named_by_their_unit():
    assert too_few_clusters(4, DOCUMENT, 4) == "4 documents: the smallest possible p is 0.125"
    assert too_few_clusters(3, PAGE, 1) == "3 pages: the smallest possible p is 0.250"
    assert too_few_clusters(1, "", 2) == (
        "2 documents with fewer than 3 pages: nothing can be tested"
    )
    assert too_few_clusters(6, DOCUMENT, 6) == too_few_clusters(20, PAGE, 2) == ""
