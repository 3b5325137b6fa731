"""Glyphs are compared with what the layer says they are."""

from __future__ import annotations

import numpy as np
import pytest

from ohr.documents.layers.faces import SIZE, own_faces
from ohr.documents.layers.glyphs import Glyph, Judgement, claims_rank, compare
from ohr.documents.layers.page import LayerWord, TextLayer
from ohr.documents.layers.shapes import Shapes, likeness, shape
from ohr.documents.layers.specimens import looks_alike
from ohr.documents.layers.states import glyph_states, suspects
from tests.ohr.documents.layers.sheets import Sheet, layer_of
from tests.ohr.documents.layers.texts import NOTICE

SANS, SERIF = own_faces()[:2]
LETTERS = "abcdefghijklmnopqrst"


def shape_of(text, face=SANS):
    ink, baseline = face.draw(text)
    return shape(ink, baseline, SIZE)


@pytest.mark.parametrize("face", [SANS, SERIF], ids=["sans", "serif"])
@pytest.mark.parametrize("letters", ["abcdefghijklmnopqrstuvwxyz", "0123456789", "äéčżшчящфάήω"])
def test_letters_look_like_themselves(face, letters):
    looks = {letter: compare(shape_of(letter, face), letter).look for letter in letters}
    assert set(looks.values()) == {"right"}, looks


@pytest.mark.parametrize(
    ("shown", "claimed"),
    [
        ("h", "k"),
        ("1", "7"),
        ("3", "8"),
        ("é", "й"),
        ("д", "ä"),
        ("a", "q"),
        ("ﬁ", "H"),
        ("ﬁ", "\x00"),
    ],
)
def test_a_glyph_that_is_another_letter_is_wrong(shown, claimed):
    judgement = compare(shape_of(shown), claimed)
    assert judgement.look == "wrong"
    assert looks_alike(judgement.other, shown)
    assert judgement.likeness > 0.82
    assert judgement.seen is not None


@pytest.mark.parametrize("claimed", "ae7щ")
def test_an_ornament_is_unknown(claimed):
    ink = np.zeros((40, 40), np.uint8)
    for ring in range(0, 40, 8):
        ink[ring : ring + 3, ring : 40 - ring] = ink[ring : 40 - ring, ring : ring + 3] = 255
    assert compare(shape(ink, 30, SIZE), claimed).look == "unknown"


def test_a_character_that_no_face_has_is_unknown():
    assert compare(shape_of("#"), "\U0001e900").look in ("unknown", "wrong")
    assert compare(shape_of("#"), "\U0001e900").claim != compare(shape_of("#"), "#").claim


@pytest.mark.parametrize(
    ("first", "second", "alike"),
    [
        ("a", "а", True),  # Latin and Cyrillic
        ("ﬁ", "fi", True),
        ("-", "–", True),
        ("O", "0", True),
        ("a", "o", False),
        ("6", "9", False),
        ("e", "é", False),
        ("rn", "m", False),
    ],
)
def test_what_the_eye_cannot_distinguish_looks_alike(first, second, alike):
    assert looks_alike(first, second) == looks_alike(second, first) == alike


@pytest.mark.parametrize(("first", "second"), [("s", "S"), (",", "'"), ("o", "O"), ("-", "_")])
def test_size_and_place_distinguish_what_has_the_same_form(first, second):
    glyph = shape_of(first)
    own, other = likeness(glyph, Shapes([glyph, shape_of(second)])).tolist()
    assert own == pytest.approx(1, abs=1e-3)
    assert other < own - 0.1


def test_claims_that_have_nothing_to_do_with_the_shapes_are_no_better_than_chance():
    honest = {letter: shape_of(letter) for letter in LETTERS}
    shifted = {letter: honest[LETTERS[n - 7]] for n, letter in enumerate(LETTERS)}
    rank, count = claims_rank(honest)
    assert (round(rank, 2), count) == (0.0, len(LETTERS))
    assert claims_rank(shifted)[0] > 0.3
    assert claims_rank({"a": shape_of("a")}) is None


def strange_layer(claim_of):
    """A layer whose letters look like no reference; they are shapes of ``claim_of``'s letters."""
    glyphs = tuple(
        (
            Glyph("Fancy/1", letter, (number,)),
            Judgement("unknown", 0.4, "q", 0.5, shape_of(claim_of(letter), SERIF)),
        )
        for number, letter in enumerate(LETTERS)
    )
    words = (LayerWord(LETTERS, 0, (0, 0, 1, 0.1), tuple(range(len(LETTERS)))),)
    return TextLayer(LETTERS, words, glyphs=glyphs)


def test_a_decorative_font_is_unknown_unless_its_letters_are_more_like_others():
    right = strange_layer(lambda letter: letter)
    wrong = strange_layer(lambda letter: LETTERS[LETTERS.index(letter) - 7])
    assert set(glyph_states([right], {}).values()) == {"unknown"}
    assert set(glyph_states([wrong], {}).values()) == {"wrong"}


def test_what_is_known_of_one_document_changes_nothing_in_another(tmp_path):
    """Both have the same font; in the first a stroke lies on each line."""
    strokes = "".join(f"20 {262 - 12 * n} 300 2 re f " for n in range(len(NOTICE)))
    spoilt = layer_of(Sheet().lines(20, 260, NOTICE).draw(strokes), tmp_path)
    clean = layer_of(Sheet().lines(20, 260, NOTICE), tmp_path)
    assert [glyph for glyph, _ in spoilt.glyphs] == [glyph for glyph, _ in clean.glyphs]
    assert len(suspects([spoilt])) > len(suspects([clean])) == 0
