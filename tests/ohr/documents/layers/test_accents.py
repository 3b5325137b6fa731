"""Accents are compared by themselves, since they are a small part of a letter's picture."""

from __future__ import annotations

import pytest

from ohr.documents.layers.accents import accent_of, accents_differ, other_accent, others_of
from ohr.documents.layers.faces import own_faces
from ohr.documents.layers.specimens import is_accented, looks_alike
from tests.ohr.documents.layers.sheets import SERIF, Sheet, verdict_on

FACES = own_faces()[:2]


def accent(letter, face):
    ink, _ = face.draw(letter)
    return accent_of(ink)


@pytest.mark.parametrize("face", FACES, ids=["sans", "serif"])
@pytest.mark.parametrize(("shown", "claimed"), ["ăã", "őõ", "ûů", "ěè", "ńñ"])
def test_another_accent_is_named(face, shown, claimed):
    other, alike, claim = other_accent(accent(shown, face), claimed)
    assert other == shown
    assert alike >= max(0.85, claim + 0.15)


@pytest.mark.parametrize("face", FACES, ids=["sans", "serif"])
@pytest.mark.parametrize("letter", "àáâãäåāăèéêëěñńňõőùúûüůűýÿčćžźżşйёїώή")
def test_a_letter_has_its_own_accent(face, letter):
    seen = accent(letter, face)
    assert seen is None or other_accent(seen, letter) is None


def test_letters_without_an_accent_above_are_not_compared():
    assert accent("a", FACES[0]) is None
    assert (
        others_of("a")
        == others_of("ç")
        == others_of("ạ")
        == others_of("ab")
        == others_of("ế")
        == ()
    )
    assert other_accent(accent("ă", FACES[0]), "a") is None
    assert "ă" in others_of("ã")


def test_an_engine_that_reads_another_accent_does_not_confirm_the_claim():
    assert accents_differ("ã", "ă")
    assert not looks_alike("ã", "ă")
    assert not accents_differ("ã", "a")


LINES = (
    "The mayor said that jam and dam are",
    "words of the north, and that cam is",
    "a fruit that nobody sells in August.",
)


@pytest.mark.parametrize(("shown", "claimed"), ["ńñ", "ůù"])
def test_words_with_another_accent_than_the_page_shows_are_doubtful(tmp_path, shown, claimed):
    lines = [line.replace("am ", f"{shown}m ") for line in LINES]
    sheet = Sheet((500, 300)).font("F", SERIF, {shown: claimed}).lines(20, 260, lines)
    verdict = verdict_on(sheet, tmp_path)
    assert [word.text for word in verdict.doubtful] == [f"{c}{claimed}m" for c in "jdc"]


@pytest.mark.parametrize(
    ("first", "second", "accented"),
    [
        ("\u00e1", "a", True),
        ("\u0623", "\u0627", True),
        ("a", "\u00e1", False),
        ("", "a", False),
        ("fi", "f", False),
        ("\uac01", "\uac00", False),  # a syllable of Hangul with one letter more
    ],
)
def test_an_accent_is_a_mark_and_not_a_further_letter(first, second, accented):
    assert is_accented(first, second) == accented
