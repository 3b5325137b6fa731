"""The evidence on a page: in the stretch that has most of its words."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from ohr.report.images import _find_words

PAGE = (
    "the table presents total equity as of march components 12 total equity 280714 279354 less 5 "
    "net income 7"
).split()


def test_the_row_is_found_and_not_words_of_the_text_before():
    assert [
        PAGE[position] for position in _find_words(["total", "equity", "280714", "279354"], PAGE)
    ] == [
        *("total", "equity", "280714", "279354"),
    ]
    assert _find_words(["total", "equity", "280714", "279354"], PAGE)[0] == 10


def test_what_is_mostly_not_there_is_nowhere():
    assert _find_words(["net", "loss", "of", "8"], PAGE) == []
    assert _find_words([], PAGE) == []
    assert _find_words(["net"], []) == []


WORDS = st.lists(st.sampled_from("a b c d e".split()), max_size=30)


@given(WORDS, WORDS)
def test_places_ascend_and_hold_wanted_words(wanted, page):
    places = _find_words(wanted, page)
    assert places == sorted(set(places))
    assert {page[position] for position in places} <= set(wanted)


@given(WORDS.filter(bool), WORDS, WORDS)
def test_what_stands_there_whole_is_found_whole(wanted, before, after):
    wanted = [f"{word}{index}" for index, word in enumerate(wanted)]
    places = _find_words(wanted, [*before, *wanted, *after])
    assert places == list(range(len(before), len(before) + len(wanted)))
