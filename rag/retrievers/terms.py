"""Index terms of a text, as integer ids that are stable within a process.

Words are stemmed or not, cut by spaces or by jieba; or they are cut into n-grams of characters.
The same text in other code points has the same terms (:mod:`ohr.markup.folding`), except in the
terms of the published evaluation.

Each word is stemmed once and each text is analysed once, so indexing a noisy variant of a
knowledge base takes time only for its changed pages.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Protocol

import numpy as np
import Stemmer
from bm25s.stopwords import STOPWORDS_EN_PLUS, STOPWORDS_GERMAN

from ohr.markup.folding import fold
from ohr.markup.writing_systems import UNSPACED, jieba, marked_script_class, marks, may_have_marks
from ohr.store.text_cache import TextCache
from rag.retrievers._term_kinds import Terms

_WORD = re.compile(r"\w+")
_CJK = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff"
_CJK_RUN = re.compile(rf"[{_CJK}]+|[^\W{_CJK}]+")
_IDEOGRAPH, _UNSPACED = re.compile(f"[{_CJK}]"), re.compile(f"[{UNSPACED}]")
_FIRST_IN_PAIRS = UNSPACED[0]
"""No character before it is of a script without spaces."""
_ASCII_LOWER_WORDS = bytes(
    ord(chr(code).lower()) if code < 128 and _WORD.match(chr(code)) else ord(" ")
    for code in range(256)
)
_STOP_WORDS = frozenset(STOPWORDS_EN_PLUS)
_UTF8_LOWER_WORDS = _ASCII_LOWER_WORDS[:128] + bytes(range(128, 256))
_IN_SCRIPTS = re.compile(f"[{_CJK}{UNSPACED}]|{marked_script_class()}")
"""Characters whose words are more than a run of letters."""
_SURROGATE = re.compile("[\ud800-\udfff]")
_FEWEST_TOGETHER = 100
"""Texts from which it pays to read them together."""
_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)


class Analyser(Protocol):
    """Turns texts into terms."""

    ids: TextCache[np.ndarray]
    """Ids of a text's terms, in order, with repetitions: int64, at least 0."""


class _WordIds(dict[str, int]):
    """Word -> id of its stem, or -1 for a stop word; a word is stemmed when it first occurs."""

    def __init__(self, stem: Callable[[str], str], stop_words: Iterable[str]) -> None:
        super().__init__(dict.fromkeys(stop_words, -1))
        self._stem = stem
        self._stem_ids: dict[str, int] = {}

    def __missing__(self, word: str) -> int:
        self[word] = self._stem_ids.setdefault(self._stem(word), len(self._stem_ids))
        return self[word]


class Words:
    """Words without stop words, stemmed unless ``stemmer`` is None.

    ``spaced`` gives a text whose words are what white space separates, for most texts; for the
    others it gives None, and ``words`` gives their words. With ``distinct``, a word counts once in
    a text, where it first appears.
    """

    def __init__(
        self,
        words: Callable[[str], Iterable[str]],
        stemmer: str | None,
        stop_words: Iterable[str] = _STOP_WORDS,
        *,
        spaced: Callable[[str], str | None] = lambda _: None,
        distinct: bool = False,
    ) -> None:
        self._words, self._spaced, self._distinct = words, spaced, distinct
        # Without a cache of its own: no word comes twice.
        stem = str if stemmer is None else Stemmer.Stemmer(stemmer, 0).stemWord
        self._word_ids = _WordIds(stem, stop_words)
        self.ids = TextCache(self._ids_of_texts)
        """Ids of a text's terms, in order, with repetitions: int64, at least 0."""

    def _ids_of_texts(self, texts: Sequence[str]) -> Iterable[np.ndarray]:
        if len(texts) < _FEWEST_TOGETHER:
            return map(self._ids, texts)
        spaced = [self._spaced(text) for text in texts]
        spaced = [words if words is not None and _has_utf8(words) else None for words in spaced]
        together = self._ids_together([words for words in spaced if words is not None])
        return (
            self._ids(text) if words is None else next(together)
            for text, words in zip(texts, spaced, strict=True)
        )

    def _ids(self, text: str) -> np.ndarray:
        words = self._words(text)
        # Calling __missing__ through the subscript keeps the loop in C.
        ids = map(self._word_ids.__getitem__, dict.fromkeys(words) if self._distinct else words)
        numbers = np.fromiter(ids, np.int64)
        return numbers[numbers >= 0]

    def _ids_together(self, texts: Sequence[str]) -> Iterator[np.ndarray]:
        """:meth:`_ids` of texts whose words are what ASCII white space separates, by Arrow."""
        import pyarrow as pa
        import pyarrow.compute as pc

        lists = pc.ascii_split_whitespace(pa.array(texts, pa.large_string()))
        coded = lists.values.dictionary_encode()
        words = coded.dictionary.to_pylist()
        self._word_ids.setdefault("", -1)  # beside white space at the end of a text
        ids_of_codes = np.array([self._word_ids[word] for word in words], np.int64)
        codes = coded.indices.to_numpy()
        ids = ids_of_codes[codes]
        for start, end in pairwise(lists.offsets.to_numpy().tolist()):
            if self._distinct:
                first = np.array(list(dict.fromkeys(codes[start:end].tolist())), np.int64)
                numbers = ids_of_codes[first]
            else:
                numbers = ids[start:end]
            yield numbers[numbers >= 0]


class CharacterNgrams:
    """Runs of n characters within words, with one space at either end of a word.

    A misread letter spoils the n runs that contain it; the word's other runs still match.
    """

    def __init__(self, n: int) -> None:
        self._n = n
        self.ids = TextCache.from_function(self._ids)

    def _ids(self, text: str) -> np.ndarray:
        padded = f" {' '.join(_words(fold(text).lower()))} "
        codes = np.frombuffer(padded.encode("utf-32-le", "surrogatepass"), np.uint32)
        windows = len(codes) - self._n + 1
        if windows < 1:
            return np.array([], dtype=np.int64)
        # Hashes of 63 bits: even among millions of n-grams a collision is very unlikely.
        hashes = np.zeros(windows, np.uint64)
        within = np.ones(windows, dtype=bool)
        space = codes == ord(" ")
        for position in range(self._n):
            hashes = (hashes ^ codes[position : position + windows]) * _MULTIPLIER
            hashes ^= hashes >> np.uint64(29)
            if 0 < position < self._n - 1:
                within &= ~space[position : position + windows]
        return (hashes[within] >> np.uint64(1)).astype(np.int64)


def _split(text: str) -> list[str]:
    r"""Runs of ``\w`` in lower case."""
    return _spaced(text).split()


def _spaced(text: str) -> str:
    r"""Runs of ``\w`` in lower case, separated by spaces; on ASCII text a table of bytes is four
    times as fast.
    """
    if text.isascii():
        return text.encode("ascii").translate(_ASCII_LOWER_WORDS).decode("ascii")
    return _spaced_lower(text.lower())


def _spaced_lower(text: str) -> str:
    r"""Runs of ``\w`` of a lower-case text, separated by spaces: a table of bytes replaces ASCII
    characters; other characters that are not part of words are replaced one by one.
    """
    for char in set(text):
        if char > "\x7f" and not _WORD.match(char):
            text = text.replace(char, " ")
    data = text.encode("utf-8", "surrogatepass").translate(_UTF8_LOWER_WORDS)
    return data.decode("utf-8", "surrogatepass")


def _has_utf8(text: str) -> bool:
    """Whether a text has no lone surrogates, which Arrow refuses."""
    return text.isascii() or not _SURROGATE.search(text)


def _all_words(text: str) -> Iterable[str]:
    """Every word, with repetitions; runs of Chinese, Japanese or another script without spaces,
    such as Thai, become pairs of characters, each with its marks.
    """
    if text.isascii():
        return _split(text)
    text = fold(text).lower()
    if not _IN_SCRIPTS.search(text):
        return _spaced_lower(text).split()
    runs = _marked_runs().findall(text) if may_have_marks(text) else _CJK_RUN.findall(text)
    return (word for run in runs for word in _pairs(run))


def _all_words_spaced(text: str) -> str | None:
    """:func:`_all_words` of a text, separated by spaces; None if it has other scripts."""
    if text.isascii():
        return _spaced(text)
    text = fold(text).lower()
    return None if _IN_SCRIPTS.search(text) else _spaced_lower(text)


def _words(text: str) -> list[str]:
    r"""Runs of ``\w`` and of the marks that belong to them."""
    return _marked_word().findall(text) if may_have_marks(text) else _WORD.findall(text)


@functools.cache
def _marked_word() -> re.Pattern[str]:
    return re.compile(rf"\w+(?:{marks()}+\w*)*")


@functools.cache
def _marked_runs() -> re.Pattern[str]:
    other = rf"(?:[^\W{_CJK}{UNSPACED}]|\d)"
    return re.compile(rf"[{_CJK}]+|(?:{_character()})+|{other}+(?:{marks()}+{other}*)*")


def _character() -> str:
    """A letter of a script without spaces, with its marks; digits and stops are not letters."""
    return rf"(?=[^\W\d_])[{UNSPACED}]{marks()}*"


@functools.cache
def _characters() -> re.Pattern[str]:
    return re.compile(_character())


def _pairs(run: str) -> Iterable[str]:
    if len(run) < 3 or run[0] < _FIRST_IN_PAIRS:
        return (run,)
    if _IDEOGRAPH.match(run):
        return map("".join, pairwise(run))
    if _UNSPACED.match(run) and len(characters := _characters().findall(run)) > 2:
        return map("".join, pairwise(characters))
    return (run,)


def _jieba_words(text: str) -> Iterable[str]:
    """Words by jieba's dictionary; long words also in parts."""
    return filter(_WORD.fullmatch, jieba().cut_for_search(fold(text).lower()))


ENGLISH = Words(_all_words, "english", spaced=_all_words_spaced)
REFERENCE = Words(_split, "porter", spaced=_spaced, distinct=True)
"""Each word once: the published evaluation loses the counts."""


@functools.cache
def analyser(terms: Terms, n: int) -> Analyser:
    """The analyser for a kind of terms; only ``ngrams`` uses ``n``."""
    if terms == "ngrams":
        return CharacterNgrams(n)
    if terms == "chinese":
        return Words(_jieba_words, "english")
    if terms == "german":
        return Words(_all_words, "german", STOPWORDS_GERMAN, spaced=_all_words_spaced)
    return ENGLISH if terms == "english" else Words(_all_words, None, spaced=_all_words_spaced)
