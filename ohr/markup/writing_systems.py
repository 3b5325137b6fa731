"""Scripts whose words are more than letters in a row, for whoever cuts text into words."""

from __future__ import annotations

import functools
import logging
import re
import unicodedata
from typing import Any

from ohr.errors import MissingDependencyError

UNSPACED = "\u0e01-\u0eff\u1000-\u109f\u1780-\u17ff"
"""Thai, Lao, Burmese and Khmer, which are written without spaces between words, as ranges of a
character class."""
_MARKED = ((0x483, 0x1AAF), (0x1B00, 0x1CFF), (0xA66F, 0xABFF), (0x10000, 0x11FFF))


def in_marked_script() -> str:
    """The characters of scripts whose words may hold combining marks, as a character class."""
    return "[{}]".format("".join(f"{chr(a)}-{chr(b)}" for a, b in _MARKED))


_OF_THESE = re.compile(in_marked_script())


def may_have_marks(text: str) -> bool:
    """Whether a text has characters of scripts whose words may hold combining marks."""
    return not text.isascii() and _OF_THESE.search(text) is not None


@functools.cache
def marks() -> str:
    """The combining marks of those scripts as a character class: vowel signs, points, viramas.

    Accents that any letter may bear, which NFC composes where it can, are none of them.
    """
    codes = [chr(code) for first, last in _MARKED for code in range(first, last + 1)]
    return "[{}]".format("".join(c for c in codes if unicodedata.category(c) in ("Mn", "Mc")))


@functools.cache
def jieba() -> Any:
    """The package that cuts Chinese text into words, quiet. Raises MissingDependencyError.

    It is imported for Chinese text only: the import and its dictionary take half a second.
    """
    try:
        import jieba as package
    except ImportError as error:
        raise MissingDependencyError(
            "jieba, which cuts Chinese text into words, is not installed: "
            "pip install 'ohr[chinese]'"
        ) from error
    package.setLogLevel(logging.WARNING)
    return package
