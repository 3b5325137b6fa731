"""Corrects misspelt words by a dictionary, and changes no number and no name."""

from __future__ import annotations

import re
from functools import cached_property, lru_cache
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path
from typing import Any

from pydantic import Field

from ohr.errors import ConfigError, MissingDependencyError
from ohr.plugins import Params, TextRepair
from ohr.store.identity import file_digest

_WORD = re.compile(r"(?<![^\W_])(?<!\\)[a-z]+(?![^\W_])")
"""A run of small ASCII letters, no part of a longer word, number or LaTeX command."""
_MARKUP = re.compile(r"<[^<>\n]*>|\$(?![\s\d])[^$\n]*\$(?!\d)|https?://\S+|\S+@\S+")
"""Tags, formulas and addresses. A dollar before a digit is money."""
_SMALL_WORD = re.compile(r"(?<![^\W_])(?<!\\)[^\W\d_]{2,}(?![^\W_])")
"""A word of any letters: those of small letters alone show a text's language."""
_PARAGRAPHS = re.compile(r"(\n\s*\n)")
ENOUGH, FEW = 8, 4
"""Words from which a text is judged by ``least_known``, and from which it is judged at all."""
LEAST_OF_FEW = 0.35
"""Least share of known words in a text of fewer than :data:`ENOUGH` words."""


class CorrectParams(Params):
    """``dictionary``: a file with a word and its count on each line, by default symspellpy's
    English one. ``shortest``: words with fewer letters stay. ``edits``: most letters to change.
    ``least_known``: least share of a text's words of small letters that the dictionary must have,
    so that text in another language stays as it is; 0 corrects every text. English OCR output with
    5 % wrong letters has .74 or more, French .6 or less, German about .2.
    """

    dictionary: Path | None = None
    shortest: int = Field(4, ge=2, le=50)
    edits: int = Field(1, ge=1, le=2)
    least_known: float = Field(0.7, ge=0, le=1)


class Correct(TextRepair[CorrectParams]):
    """Replaces unknown words by the most frequent word of the dictionary that is one edit away.

    Only words of small letters alone are changed, so numbers, codes, names and acronyms stay, and
    so do formulas, tags and addresses. Pages and paragraphs of which too few words are in the
    dictionary stay too: they are in another language. Library: symspellpy (Garbe's symmetric
    deletions).
    """

    name = "correct"
    version = "3"
    install = "pip install 'ohr[correct]'"

    def __init__(self, params: CorrectParams | None = None) -> None:
        super().__init__(params)
        self.suggestion = lru_cache(100_000)(self._suggestion)

    def repair(self, text: str) -> str:
        if self.reason(text):
            return text
        # A pair of a paragraph and the blank lines after it.
        parts = _PARAGRAPHS.split(text)
        parts[::2] = [
            part if self._is_foreign(*self._known_words(part)) else self._repaired(part)
            for part in parts[::2]
        ]
        return "".join(parts)

    def reason(self, text: str) -> str:
        known_values, words = self._known_words(text)
        if not self._is_foreign(known_values, words):
            return ""
        return f"left as it is: {known_values} of {words} words are in the dictionary"

    def _repaired(self, text: str) -> str:
        pieces, end = [], 0
        for markup in _MARKUP.finditer(text):
            pieces += [self._corrected(text[end : markup.start()]), markup[0]]
            end = markup.end()
        return "".join([*pieces, self._corrected(text[end:])])

    def _known_words(self, text: str) -> tuple[int, int]:
        """The number of words of small letters that the dictionary has, and of all such words."""
        prose = _MARKUP.sub(" ", text)
        words = [word for word in _SMALL_WORD.findall(prose) if word.islower()]
        return sum(word in self._speller.words for word in words), len(words)

    def _is_foreign(self, known_values: int, words: int) -> bool:
        """Whether a text with so many known words is not in the dictionary's language."""
        least = self.params.least_known
        if words < ENOUGH:
            least = min(least, LEAST_OF_FEW)
        return words >= FEW and known_values < least * words

    def _corrected(self, prose: str) -> str:
        return _WORD.sub(lambda match: self.suggestion(match[0]), prose)

    def _suggestion(self, word: str) -> str:
        if len(word) < self.params.shortest:
            return word
        from symspellpy import Verbosity

        best = self._speller.lookup(word, Verbosity.TOP, self.params.edits)
        return str(best[0].term) if best else word

    @cached_property
    def _speller(self) -> Any:
        from symspellpy import SymSpell

        speller = SymSpell(self.params.edits)
        if not speller.load_dictionary(self._dictionary, 0, 1) or not speller.words:
            raise ConfigError(f"correct: no words and counts in {self._dictionary}")
        return speller

    @cached_property
    def _dictionary(self) -> Path:
        """The dictionary's file. Raises MissingDependencyError, and ConfigError without a file."""
        try:
            own = Path(str(files("symspellpy"))) / "frequency_dictionary_en_82_765.txt"
        except ModuleNotFoundError as error:
            raise MissingDependencyError(f"correct needs symspellpy: {self.install}") from error
        path = self.params.dictionary or own
        if not path.is_file():
            raise ConfigError(f"correct: no dictionary {path}")
        return path

    def identity(self) -> dict[str, object]:
        """Also the version of symspellpy and the digest of the dictionary."""
        dictionary = file_digest(self._dictionary)
        return super().identity() | {"symspellpy": version("symspellpy"), "digest": dictionary}
