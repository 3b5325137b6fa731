"""Scripts whose words are not just letters in a row, for splitting text into words."""

from __future__ import annotations

import functools
import logging
import re
import unicodedata
import warnings
from typing import Any

from ohr.errors import MissingDependencyError

UNSPACED = "\u0e01-\u0eff\u1000-\u109f\u1780-\u17ff"
"""Thai, Lao, Burmese and Khmer, written without spaces between words, as character ranges."""
CJK = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff"
"""Ideographs, kana and hangul syllables, as character ranges."""
UNSPACED_LETTERS = (
    "\u0e01-\u0e3a\u0e40-\u0e4e\u0e81-\u0ecd\u0edc-\u0eff\u1000-\u103f\u1050-\u1089"
    "\u1780-\u17d3\u3041-\u309a\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff\u3400-\u4dbf"
    "\u4e00-\u9fff\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003ffff"
)
"""Letters, with their marks, of all scripts without spaces between words, as character ranges:
those of :data:`UNSPACED`, ideographs and kana. Hangul is written with spaces."""
_MARKED = ((0x483, 0x1AAF), (0x1B00, 0x1CFF), (0xA66F, 0xABFF), (0x10000, 0x11FFF))


def marked_script_class() -> str:
    """A character class: the characters of scripts whose words may contain combining marks."""
    return "[{}]".format("".join(f"{chr(a)}-{chr(b)}" for a, b in _MARKED))


_OF_THESE = re.compile(marked_script_class())


def may_have_marks(text: str) -> bool:
    """Whether a text has characters of scripts whose words may contain combining marks."""
    return not text.isascii() and _OF_THESE.search(text) is not None


@functools.cache
def marks() -> str:
    """A character class: the combining marks of those scripts (vowel signs, points, viramas).

    Accents, which may be on any letter and which NFC composes, are not included.
    """
    codes = [chr(code) for first, last in _MARKED for code in range(first, last + 1)]
    return "[{}]".format("".join(c for c in codes if unicodedata.category(c) in ("Mn", "Mc")))


_UNSPACED_LETTER = re.compile(f"[{UNSPACED_LETTERS}]")


def has_unspaced(text: str) -> bool:
    """Whether a text has letters of scripts without spaces between words."""
    return not text.isascii() and _UNSPACED_LETTER.search(text) is not None


@functools.cache
def _unspaced_token() -> re.Pattern[str]:
    """A letter or a stretch of other characters, with the punctuation that cannot part from it:
    no line ends with an opening bracket or begins with a full stop."""
    signs: dict[bool, list[str]] = {True: [], False: []}
    for char in map(chr, range(0x80, 0x10000)):
        if (category := unicodedata.category(char)).startswith("P"):
            signs[category in ("Ps", "Pi")].append(char)
    opening, closing = (f"[{''.join(signs[is_opening])}]" for is_opening in (True, False))
    # Sara am is a mark on the letter before it, and a letter after that.
    attached = "".join(
        char
        for first, last in _MARKED
        for char in map(chr, range(first, last + 1))
        if unicodedata.category(unicodedata.normalize("NFKC", char)[0]) in ("Mn", "Mc")
    )
    other = rf"[^\s{UNSPACED_LETTERS}{opening[1:-1]}{closing[1:-1]}]"
    return re.compile(
        rf"{opening}*(?:[{UNSPACED_LETTERS}][{attached}]*|{other}+){closing}*|{opening}+|{closing}+"
    )


def unspaced_tokens(text: str) -> list[tuple[int, int]]:
    """Where the tokens of a text with unspaced letters begin and end; white space is in none.

    A letter with its marks is a token, as it is where words are scored; so is a stretch of other
    characters, such as a number. Punctuation belongs to the token before it, an opening bracket or
    quotation mark to the one after it.
    """
    return [match.span() for match in _unspaced_token().finditer(text)]


_SYMBOLS = re.compile("[\u00aa\u00b5\u00ba\u2000-\u2bff\U0001d400-\U0001d7ff]")
"""Letters that stand for themselves: of units, ordinals and mathematical fonts."""


@functools.lru_cache(maxsize=1 << 14)
def script_of(char: str) -> str:
    """The script of a letter by the first word of its Unicode name, such as ``CYRILLIC``.

    Empty for Latin letters, for signs, and for letters that stand for themselves (``µ``).
    """
    if char.isascii() or not char.isalpha() or _SYMBOLS.match(char):
        return ""
    words = unicodedata.name(char, "").split()
    if words and words[0] in ("FULLWIDTH", "HALFWIDTH"):
        del words[0]
    # KATAKANA-HIRAGANA is the mark of a long vowel.
    script = words[0].partition("-")[0] if words else ""
    return {"LATIN": "", "MODIFIER": "", "IDEOGRAPHIC": "CJK"}.get(script, script)


def writing_system(char: str) -> str:
    """The name of a letter's writing system for people: ``Latin``, ``Chinese and Japanese``.

    Empty for signs.
    """
    script = script_of(char)
    if script in ("CJK", "HIRAGANA", "KATAKANA", "BOPOMOFO"):
        return "Chinese and Japanese"
    if script:
        return script.title()
    return "Latin" if char.isalpha() else ""


@functools.cache
def jieba() -> Any:
    """The package that cuts Chinese text into words, quiet. Raises MissingDependencyError.

    It is imported for Chinese text only: the import and its dictionary take half a second.
    """
    try:
        with warnings.catch_warnings():
            # Python 3.12 warns of escapes in its source, when it is compiled.
            warnings.simplefilter("ignore", SyntaxWarning)
            import jieba as package
    except ImportError as error:
        raise MissingDependencyError(
            "jieba, which cuts Chinese text into words, is not installed: "
            "pip install 'ohr[chinese]'"
        ) from error
    package.setLogLevel(logging.WARNING)
    return package
