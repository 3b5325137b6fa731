"""Whether some text can be what a word was read from."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from itertools import pairwise

from ohr.metrics.word_keys import keyed_words

DIFFERENT = 5
"""One letter in five may differ between a word and what it was read from."""


class SupportingText:
    """A text that may support words, by their keys (:mod:`ohr.metrics.word_keys`).

    It supports a word if the word's letters are in it in a row, whatever the spaces; or if they
    differ from one of its words, or from two that follow one another, in at most a fifth of the
    letters. So neither a misread word counts as made up, nor one that is cut or joined otherwise.
    """

    def __init__(self, texts: Iterable[str]) -> None:
        self.keys = [word.key for text in texts for word in keyed_words(text)]

    @cached_property
    def _letters(self) -> str:
        return "".join(self.keys)

    @cached_property
    def _words(self) -> list[str]:
        pairs = (first + second for first, second in pairwise(self.keys))
        return list(dict.fromkeys([*self.keys, *pairs]))

    def supports(self, key: str) -> bool:
        """Whether the text supports a word with this key."""
        if key in self._letters:
            return True
        most = len(key) // DIFFERENT
        if not most:
            return False
        from rapidfuzz.distance import Levenshtein
        from rapidfuzz.process import extractOne

        near = extractOne(key, self._words, scorer=Levenshtein.distance, score_cutoff=most)
        return near is not None
