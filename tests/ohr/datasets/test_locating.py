"""The lines of a page that hold an answer, where nobody says what the evidence is."""

from __future__ import annotations

import unicodedata

import pytest

from ohr.datasets.locating import SearchablePage, lines_with, squeezed_pieces

PAGE = """Section 1.5 of 2015 notes
The fee is 5.
Five or $5,000
Rate: 5.00 % now
North 5.5"""


@pytest.mark.parametrize(
    ("answer", "lines"),
    [
        ("5", ["The fee is 5.", "Rate: 5.00 % now"]),
        ("$5", []),
        ("15", []),
        ("1.5", ["Section 1.5 of 2015 notes"]),
        ("FEE IS", ["The fee is 5."]),
        ("No", []),
        ("yes.", []),
        ("not", ["Section 1.5 of 2015 notes"]),
    ],
)
def test_a_number_is_none_within_another_and_no_stands_in_no_word(answer, lines):
    assert lines_with([answer], PAGE).splitlines() == lines


def test_what_is_written_without_spaces_is_found():
    assert lines_with(["東京", "12"], "彼は東京にいる\n12年間\n112年") == "彼は東京にいる\n12年間"


@pytest.mark.parametrize(
    ("evidence", "page"),
    [
        ("the office files affidavits", "the o\ufb03ce \ufb01les\n a\ufb03davits"),
        ("Wärme für Zürich", unicodedata.normalize("NFD", "Wärme für Zürich")),
        ("hundert Gulden", "hun\u00addert Gul\u200bden"),
        ("non-zero １２", "non\u2011zero 12"),
    ],
)
def test_evidence_is_found_in_other_code_points(evidence, page):
    for sought, text in ((evidence, page), (page, evidence)):
        pieces = squeezed_pieces(sought, [SearchablePage(f"Before.\n{text}. After.")])
        assert pieces is not None
        assert {piece.start for piece in pieces} <= set(range(7, 30))
    assert lines_with([evidence], " ".join(page.split())) != ""
