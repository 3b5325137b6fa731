"""The language of the other documents: their words, and a model of their characters.

It is made of all pages except those of one document, so that a document is not compared with
itself. It comes from OCR output, so an error that recurs in several documents counts as a word.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

ORDER = 5
"""Longest run of characters in the model."""
FEWEST_CHARACTERS = 20_000
"""Least number of characters of other documents."""
FEWEST_PAGES = 2
"""Least number of pages of other documents with a known word."""
_BUCKETS = 1 << 20
_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)
_ALPHABET = 256
_WORD = re.compile(r"[^\W\d_]{3,}")


def lexical_words(text: str) -> list[str]:
    """Words of three or more letters, in lower case, without those next to a digit (codes)."""
    return [
        match[0].lower()
        for match in _WORD.finditer(text)
        if not _is_digit(text, match.start() - 1) and not _is_digit(text, match.end())
    ]


def _is_digit(text: str, place: int) -> bool:
    return 0 <= place < len(text) and text[place].isdigit()


@dataclass
class Corpus:
    """The page texts of several documents, with which each document is compared.

    ``pages`` are the texts by document, without mark-up, one string per page.
    """

    pages: Mapping[str, Sequence[str]]

    def __post_init__(self) -> None:
        self._words = {
            doc_id: Counter(word for page in pages for word in set(lexical_words(page)))
            for doc_id, pages in self.pages.items()
        }
        self._all_words: Counter[str] = Counter()
        for words in self._words.values():
            self._all_words.update(words)
        self._codes = {doc_id: _ngrams(pages) for doc_id, pages in self.pages.items()}
        self._total = np.zeros((ORDER, _BUCKETS), dtype=np.int64)
        for own in self._codes.values():
            for total, codes in zip(self._total, own, strict=True):
                total += np.bincount(codes, minlength=_BUCKETS)

    def leave_out(self, doc_id: str) -> Language | None:
        """The language of all documents except one; None if the others have too little text."""
        own = self._codes.get(doc_id, [_NONE] * ORDER)
        characters = int(self._total[0].sum()) - len(own[0])
        if characters < FEWEST_CHARACTERS:
            return None
        own_words = self._words.get(doc_id, Counter())
        return Language(characters, self._all_words, own_words, self._total, own)


_NONE = np.zeros(0, dtype=np.int32)


def _ngrams(pages: Iterable[str]) -> list[np.ndarray]:
    """Buckets of the runs of 1 to :data:`ORDER` characters of some pages, by length, sorted."""
    parts = [_codes(page) for page in pages]
    return [
        np.sort(np.concatenate([part[order] for part in parts] or [_NONE]))
        for order in range(ORDER)
    ]


def _codes(text: str) -> list[np.ndarray]:
    """For each length of run, the bucket of the run that ends at each character."""
    signs = np.frombuffer(
        text.lower().encode("utf-32-le", "surrogatepass"), dtype=np.uint32
    ).astype(np.uint64)
    key = np.zeros(len(signs), dtype=np.uint64)
    codes = []
    for order in range(ORDER):
        earlier = np.concatenate([np.zeros(order, dtype=np.uint64), signs])[: len(signs)]
        with np.errstate(over="ignore"):
            key = (key ^ (earlier + np.uint64(order + 1))) * _MULTIPLIER
            key ^= key >> np.uint64(29)
        codes.append((key % np.uint64(_BUCKETS)).astype(np.int32))
    return codes


@dataclass(frozen=True)
class Language:
    """Words, and runs of 1 to :data:`ORDER` characters, of all documents except one.

    It has the counts of all documents, which languages share, and subtracts those of the document
    when they are looked up. ``words`` and ``own_words`` are numbers of pages by word, ``total``
    counts by length of run and bucket, ``own`` the document's buckets by length, sorted.
    """

    characters: int
    words: Mapping[str, int]
    own_words: Mapping[str, int]
    total: np.ndarray
    own: Sequence[np.ndarray]

    def is_known(self, word: str) -> bool:
        """Whether enough pages of other documents have a word (in lower case)."""
        return self.words.get(word, 0) - self.own_words.get(word, 0) >= FEWEST_PAGES

    def counts(self, order: int, codes: np.ndarray) -> np.ndarray:
        """Counts, in the other documents, of the runs of ``order + 1`` characters by bucket."""
        own = self.own[order]
        last, first = (np.searchsorted(own, codes, side) for side in ("right", "left"))
        rest: np.ndarray = self.total[order][codes] - (last - first)
        return rest

    def unknown_share(self, text: str) -> float:
        """Share of the words of three or more letters that are unknown; NaN without words."""
        words = lexical_words(text)
        return sum(not self.is_known(word) for word in words) / len(words) if words else np.nan

    def surprise(self, text: str) -> float:
        """Mean bits per character; NaN for an empty text.

        Each order is interpolated with the one below, after Witten and Bell (1991), with the
        context's own count for the number of its successors.
        """
        if not text:
            return float("nan")
        codes = _codes(text)
        chance = (self.counts(0, codes[0]) + 1) / (float(self.characters) + _ALPHABET)
        for order in range(1, ORDER):
            # The context of a run of n characters is the run of n - 1 that ends one before.
            context = np.concatenate([_NONE, codes[order - 1][:-1]])
            seen = np.concatenate([[0], self.counts(order - 1, context)])[: len(codes[0])]
            run = self.counts(order, codes[order])
            weight = seen / (seen + 5.0)
            share = np.minimum(1.0, run / np.maximum(seen, 1))
            chance = weight * share + (1 - weight) * chance
        return float(-np.log2(np.maximum(chance, 1e-9)).mean())
