"""What counts as a word: what stands between blanks; where there are none, a run of one script."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable

# Thai, kana and ideographs, and their punctuation: lines of these have no blanks between words.
_RUN = "\u0e00-\u0e7f\u3005-\u3007\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_SIGN = "\u3000-\u3004\u3008-\u303f\uff00-\uffef\u201c\u201d"
_WORD = re.compile(rf"[{_RUN}]+|[{_SIGN}]|[^\s{_RUN}{_SIGN}]+")
_UNIT = re.compile(rf"[{_RUN}{_SIGN}]|[^\s{_RUN}{_SIGN}]+")


def split_words(text: str) -> list[str]:
    """The words of a text, in Unicode's composed form."""
    return _WORD.findall(unicodedata.normalize("NFC", text))


def split_units(text: str) -> list[str]:
    """Words, and letters one by one where a script has no blanks."""
    return _UNIT.findall(unicodedata.normalize("NFC", text))


def lacking(words: Iterable[str], rest: Iterable[str]) -> list[str]:
    """The words that others lack, each as often as it is lacking."""
    return sorted((Counter(words) - Counter(rest)).elements())
