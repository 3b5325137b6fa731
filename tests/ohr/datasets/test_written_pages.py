"""Page numbers as people write them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ohr.datasets.written_pages import is_plain, names_pages, pages_of


@pytest.mark.parametrize(
    ("written", "pages"),
    [
        ("12", (12,)), ("12.0", (12,)), ("p. 12", (12,)), ("p12", (12,)), ("P.12", (12,)),
        ("S. 12", (12,)), ("Seite 12", (12,)), ("page 12", (12,)), ("#12", (12,)),
        ("12-13", (12, 13)), ("pp. 12\u201314", (12, 13, 14)), ("12,13", (12, 13)),
        ("12, 13 and 15", (12, 13, 15)), ("12, and 13", (12, 13)), ("12 und 13", (12, 13)),
        ("S. 12 bis 14", (12, 13, 14)), ("pages 3 to 5", (3, 4, 5)), ("p. 1, p. 3", (1, 3)),
        ("[12, 13]", (12, 13)), ("12;12", (12,)), ("13,12", (13, 12)),
        ("", ()), ("none", ()), (" n/a ", ()), ("-", ()), ("\u2014", ()),
    ],
)  # fmt: skip
def test_pages_are_read(written: str, pages: tuple[int, ...]) -> None:
    assert pages_of(written) == pages
    assert names_pages(written) == bool(pages)


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("nine", "no number from 1 on"), ("xii", "no number"), ("12.5", "no number"),
        ("12f", "no number"), ("12/13", "no number"), ("12-Dez", "no number"), ("-1", "no number"),
        ("0", "add 1"), ("0-3", "add 1"), ("13-12", "runs backwards: write 12-13"),
        ("1-5000", "more than 1000 pages"), ("1,200", "write 1200 or '1, 200'"),
        ("9" * 20, "no number"),
    ],
)  # fmt: skip
def test_what_is_no_page_or_may_be_two_is_an_error(written: str, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        pages_of(written)
    assert not names_pages(written)


@given(st.lists(st.integers(1, 999_999_999), min_size=1, unique=True))
def test_a_list_of_pages_is_read_as_it_was_written(pages: list[int]) -> None:
    assert pages_of(", ".join(map(str, pages))) == tuple(pages)
    assert is_plain(str(pages[0]))


@given(st.text(max_size=40))
def test_any_text_is_pages_or_an_error(text: str) -> None:
    if names_pages(text):
        assert min(pages_of(text)) >= 1
