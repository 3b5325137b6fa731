"""Index terms of a text, as integer ids that are stable within a process.

Words are stemmed once each and texts are analysed once each, so indexing a noisy variant of a
knowledge base costs only its changed pages.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterable

import numpy as np
import Stemmer
from bm25s.stopwords import STOPWORDS_EN_PLUS

_WORD = re.compile(r"\w+")
_CJK = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff"
_CJK_RUN = re.compile(rf"[{_CJK}]+|[^\W{_CJK}]+")
_ASCII_LOWER_WORDS = bytes(
    ord(chr(code).lower()) if code < 128 and _WORD.match(chr(code)) else ord(" ")
    for code in range(256)
)
_STOP_WORDS = frozenset(STOPWORDS_EN_PLUS)
_CACHED_TEXTS = 65536


class _WordIds(dict[str, int]):
    """Word -> id of its stem, or -1 for a stop word; a new word is stemmed on first sight."""

    def __init__(self, stemmer: str) -> None:
        super().__init__(dict.fromkeys(_STOP_WORDS, -1))
        self._stem = Stemmer.Stemmer(stemmer).stemWord
        self._stem_ids: dict[str, int] = {}

    def __missing__(self, word: str) -> int:
        self[word] = self._stem_ids.setdefault(self._stem(word), len(self._stem_ids))
        return self[word]


class Analyser:
    """Turns texts into arrays of term ids: words, less stop words, stemmed."""

    def __init__(self, words: Callable[[str], Iterable[str]], stemmer: str) -> None:
        self._words = words
        self._word_ids = _WordIds(stemmer)
        self.ids = functools.lru_cache(maxsize=_CACHED_TEXTS)(self._ids)

    def _ids(self, text: str) -> np.ndarray:
        """Term ids of a text, an int64 array in the order of its words."""
        # Calling __missing__ through the subscript keeps the loop in C.
        ids = np.fromiter(map(self._word_ids.__getitem__, self._words(text)), np.int64)
        return ids[ids >= 0]


def _split(text: str) -> list[str]:
    r"""Runs of ``\w`` in lower case; on ASCII text a table of bytes is four times as fast."""
    if text.isascii():
        return text.encode("ascii").translate(_ASCII_LOWER_WORDS).decode("ascii").split()
    return _WORD.findall(text.lower())


def _all_words(text: str) -> Iterable[str]:
    """Every word with its repetitions; runs of Chinese or Japanese become character pairs."""
    if text.isascii():
        return _split(text)
    return (word for run in _CJK_RUN.findall(text.lower()) for word in _pairs(run))


def _pairs(run: str) -> Iterable[str]:
    if len(run) < 3 or not "\u3040" <= run[0] <= "\ufaff":
        return (run,)
    return (run[i : i + 2] for i in range(len(run) - 1))


def _distinct_words(text: str) -> Iterable[str]:
    """Each word once, in order of appearance: the published evaluation loses the counts."""
    return dict.fromkeys(_split(text))


ENGLISH = Analyser(_all_words, "english")
REFERENCE = Analyser(_distinct_words, "porter")
