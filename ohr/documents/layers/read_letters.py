"""What engines read where a layer has letters of joined scripts.

The glyphs of these scripts are not compared with letters: a letter has many shapes. An engine that
reads the script settles what its letters are.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from typing import Literal

from ohr.documents.layers.glyphs import Glyph
from ohr.documents.layers.lines import Testimony
from ohr.documents.layers.specimens import is_accented

State = Literal["right", "wrong", "doubtful", "unknown"]

OFTEN = 3
"""A letter is wrong if an engine reads another one in its place nearly always, and this often."""
TWICE = 2
"""A glyph lacks an accent if an engine reads the letter with it nearly always, and this often."""

Letters = Mapping[tuple[str, str], Mapping[str, Testimony]]
"""By font and letter: what each witness says."""


class ReadLetters:
    """The letters of joined scripts that engines have read."""

    def __init__(self, letters: Letters) -> None:
        self._letters = letters
        self._wrong = {
            letter: other
            for letter, testimony in letters.items()
            if _has_letters(letter[1]) and (other := _other(testimony))
        }
        self._wrong_fonts = {font for font, _ in self._wrong}

    def others(self, glyph: Glyph) -> dict[str, str]:
        """The wrong letters of a glyph, each with what is read in its place."""
        return {c: self._wrong[glyph.font, c] for c in glyph.text if (glyph.font, c) in self._wrong}

    def state(self, glyph: Glyph, testimony: Mapping[str, Testimony]) -> State | None:
        """What is known of a glyph by what was read in its place; None: nothing."""
        letters = [(glyph.font, c) for c in glyph.text if _has_letters(c)]
        if any(letter in self._wrong for letter in letters) or _lacks_accent(glyph, testimony):
            return "wrong"
        confirmed = [
            any(item.confirms for item in self._letters.get(letter, {}).values())
            for letter in letters
        ]
        if letters and all(confirmed):
            return "right"
        # What else a font says of which some letters are wrong is believed only if it is read.
        return "doubtful" if glyph.font in self._wrong_fonts and letters else None


def _has_letters(character: str) -> bool:
    return unicodedata.category(character)[0] in "LMN"


def _other(testimony: Mapping[str, Testimony]) -> str:
    """The one other letter that all witnesses read nearly always; empty if there is none."""
    others = {item.other if item.total >= OFTEN else "" for item in testimony.values()}
    return others.pop() if len(others) == 1 else ""


def _lacks_accent(glyph: Glyph, testimony: Mapping[str, Testimony]) -> bool:
    """Whether witnesses read a letter with more marks than the layer has, more than once.

    Engines often leave marks out, and rarely add some.
    """
    return len(glyph.text) == 1 and any(
        item.total >= TWICE and is_accented(item.variant, glyph.text) for item in testimony.values()
    )
