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
_MARKED = ((0x483, 0x1AAF), (0x1B00, 0x1CFF), (0xA66F, 0xABFF), (0x10000, 0x11FFF))


def in_marked_script() -> str:
    """A character class: the characters of scripts whose words may contain combining marks."""
    return "[{}]".format("".join(f"{chr(a)}-{chr(b)}" for a, b in _MARKED))


_OF_THESE = re.compile(in_marked_script())


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
