"""Words in a form in which look-alikes are equal, for asking whether a text has a word at all.

Engines take an O for a 0 and ``rn`` for ``m``. A word that differs from one on the page by no more
than that is a misreading of it, and not made up.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import NamedTuple

from ohr.markup.folding import fold
from ohr.markup.writing_systems import CJK, UNSPACED

__all__ = ["KeyedWord", "end_of_word", "keyed_words", "word_key"]

_PART = rf"[^\s{CJK}{UNSPACED}]"
# Of writing without spaces, each letter counts as a word.
_WORD = re.compile(rf"[{CJK}{UNSPACED}]|{_PART}+")
_REST = re.compile(f"{_PART}*")
_LOOK_ALIKES = str.maketrans("0158i", "olsbl")
_OF_ASCII = {
    code: _LOOK_ALIKES.get(code, chr(code)) if chr(code).isalnum() else None for code in range(128)
}
"""The same for ASCII, without signs: most words need no more."""
_PAIRS = (("rn", "m"), ("vv", "w"), ("cl", "d"))


class KeyedWord(NamedTuple):
    """A word of a text: its key, and where it is, as start and end in characters."""

    key: str
    start: int
    end: int


@lru_cache(maxsize=65536)
def word_key(word: str) -> str:
    """A word without case, accents and signs, with look-alikes as one letter; empty if it has
    neither a letter nor a digit.

    ``l``, ``1`` and ``I`` are one, and so are ``O`` and ``0``, ``rn`` and ``m``.
    """
    if word.isascii():
        key = word.lower().translate(_OF_ASCII)
    else:
        folded = unicodedata.normalize("NFKD", fold(word).casefold()).translate(_LOOK_ALIKES)
        key = "".join(char for char in folded if char.isalnum())
    for pair, letter in _PAIRS:
        if pair in key:
            key = key.replace(pair, letter)
    return key


def keyed_words(text: str, start: int = 0, end: int | None = None) -> list[KeyedWord]:
    """The words of ``text[start:end]`` that have a key, in order, at white space; of writing
    without spaces, each letter.
    """
    # Without the constructor, this takes a third less time: every word of every page is one.
    return [
        tuple.__new__(KeyedWord, (key, match.start(), match.end()))
        for match in _WORD.finditer(text, start, len(text) if end is None else end)
        if (key := word_key(match[0]))
    ]


def end_of_word(text: str, position: int) -> int:
    """Where the word ends that ``text[position - 1]`` is part of."""
    match = _REST.match(text, position)
    assert match is not None  # it may be empty
    return match.end()
