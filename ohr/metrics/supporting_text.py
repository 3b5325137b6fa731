"""Whether a text has what a word may have been read from: what *support* means everywhere here.

Words are compared by their keys, in which look-alikes are one letter
(:mod:`ohr.metrics.word_keys`). A word of fewer than :data:`FEWEST_LETTERS` letters is on any page,
and is not judged. Spaces do not count, since engines cut words and join them. One letter in five
may differ, of words with five letters and more.

Three judges use this, and differ in what they ask besides:

* :mod:`ohr.metrics.invented_text` has the truth. It aligns both texts first, so it judges only
  words that have no place, and by their place too: what stands where text was lost may differ more.
  Pairs of words add nothing there.
* :mod:`ohr.analysis.inventions.hidden` asks whether a word that was covered can still be read
  somewhere. In doubt it can: any letters in a row count.
* :mod:`ohr.quality.support` has another engine's output, which also errs. There, letters in a row
  support a short word only where a word begins or ends: in a whole page any three letters occur. Of
  words of other documents, this rule supports one in eight; letters in a row, one in seven.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property
from itertools import pairwise

from rapidfuzz.distance import Levenshtein
from rapidfuzz.process import extractOne

from ohr.metrics.word_keys import keyed_words

__all__ = ["ALIKE", "FEWEST_ALIKE", "FEWEST_LETTERS", "SupportingText", "most_alike"]

FEWEST_LETTERS = 3
"""Letters of a word that is judged alone."""
ALIKE = 0.2
"""Largest share of the letters in which a word may differ from the one that it was read from."""
FEWEST_ALIKE = 5
"""Letters of a word that may differ at all: a fifth of them is one."""


def most_alike(key: str, keys: Sequence[str], most: float = ALIKE) -> str | None:
    """The first of the keys that are most like one, if at most the share ``most`` of the letters
    of the longer one differ; else None.
    """
    scorer = Levenshtein.normalized_distance
    best = extractOne(key, keys, scorer=scorer, score_cutoff=most)
    return None if best is None else str(best[0])


class SupportingText:
    """The words of a text that may support words of another one, by their keys, in order."""

    def __init__(self, keys: Iterable[str]) -> None:
        self.keys = tuple(key for key in keys if key)

    @classmethod
    def from_texts(cls, texts: Iterable[str]) -> SupportingText:
        """The words of plain texts, joined."""
        return cls(word.key for text in texts for word in keyed_words(text))

    @cached_property
    def words(self) -> frozenset[str]:
        """The different words."""
        return frozenset(self.keys)

    @cached_property
    def letters(self) -> str:
        """All words, without spaces."""
        return "".join(self.keys)

    @cached_property
    def comparable(self) -> list[str]:
        """The different words that are long enough to be like one with :data:`FEWEST_ALIKE`."""
        return [key for key in dict.fromkeys(self.keys) if len(key) >= FEWEST_ALIKE - 1]

    @cached_property
    def _pairs(self) -> list[str]:
        joined = dict.fromkeys(first + second for first, second in pairwise(self.keys))
        return [key for key in joined if len(key) >= FEWEST_ALIKE - 1]

    def similar(self, key: str) -> str | None:
        """The word that is most like one, if at most a fifth of the letters differ."""
        return most_alike(key, self.comparable) if len(key) >= FEWEST_ALIKE else None

    def has_similar_pair(self, key: str) -> bool:
        """Whether a word differs in at most a fifth of the letters from two words that follow one
        another: it was joined, and misread.
        """
        return len(key) >= FEWEST_ALIKE and most_alike(key, self._pairs) is not None

    def supports(self, key: str) -> bool:
        """Whether a word's letters are here in a row, or nearly, whatever the spaces."""
        return key in self.letters or self.similar(key) is not None or self.has_similar_pair(key)
