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


class CorrectParams(Params):
    """``dictionary``: a file with a word and its count on each line, by default symspellpy's
    English one. ``shortest``: words with fewer letters stay. ``edits``: most letters to change.
    """

    dictionary: Path | None = None
    shortest: int = Field(4, ge=2, le=50)
    edits: int = Field(1, ge=1, le=2)


class Correct(TextRepair[CorrectParams]):
    """Replaces unknown words by the most frequent word of the dictionary that is one edit away.

    Only words of small letters alone are changed, so numbers, codes, names and acronyms stay, and
    so do formulas, tags and addresses. Library: symspellpy (Garbe's symmetric deletions).
    """

    name = "correct"
    install = "pip install 'ohr[correct]'"

    def __init__(self, params: CorrectParams | None = None) -> None:
        super().__init__(params)
        self.suggestion = lru_cache(100_000)(self._suggestion)

    def repair(self, text: str) -> str:
        pieces, end = [], 0
        for markup in _MARKUP.finditer(text):
            pieces += [self._corrected(text[end : markup.start()]), markup[0]]
            end = markup.end()
        return "".join([*pieces, self._corrected(text[end:])])

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
