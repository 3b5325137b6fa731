from __future__ import annotations

from ohr.types import Hit, PageRef
from rag.systems._passages import Passage, Piece

REF = PageRef("law/act", 3)


def test_a_piece_is_a_sure_hit_at_its_place():
    piece = Piece(REF, 40, "ten words", ())
    assert piece.hit == Hit(REF, "ten words", 1.0, 0, (40, 49))


def test_a_passage_is_indexed_under_its_first_page():
    following = Piece(PageRef("law/act", 4), 0, "more", ())
    chunk = Passage((Piece(REF, 40, "ten words", ()), following), ("Title",)).chunk
    assert (chunk.ref, chunk.start, chunk.text) == (REF, 40, "ten words\nmore")
    assert chunk.end == 40 + len("ten words\nmore")


def test_headings_hold_from_their_character_on():
    piece = Piece(REF, 0, "abcdef", ((0, ("A",)), (3, ("A", "B"))))
    assert [piece.path_at(position) for position in (0, 2, 3, 5)] == [
        ("A",),
        ("A",),
        ("A", "B"),
        ("A", "B"),
    ]
    assert Piece(REF, 0, "abc", ()).path_at(1) == ()
