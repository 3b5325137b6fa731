"""What functions of single texts give, kept for texts that come again."""

from __future__ import annotations

import sys
from collections import OrderedDict
from collections.abc import Callable, Iterable

KEPT_CHARACTERS = 2**25
"""Characters of the texts whose tokens are kept: some 10,000 pages, in about 100 MB."""


class TokenCache:
    """A function from texts to tokens that cuts a text that comes again only once.

    A page's ground truth comes once for each engine and condition, its evidence pages once for each
    question. Those asked for last are kept, of texts of at most ``characters`` together. The same
    word is one object in all lists. The lists are shared: do not change them.
    """

    def __init__(
        self, function: Callable[[str], Iterable[str]], characters: int = KEPT_CHARACTERS
    ) -> None:
        self._function, self._most, self._held = function, characters, 0
        self._kept: OrderedDict[str, list[str]] = OrderedDict()

    def __call__(self, text: str) -> list[str]:
        """The tokens of a text."""
        kept = self._kept.get(text)
        if kept is not None:
            self._kept.move_to_end(text)
            return kept
        tokens = list(map(sys.intern, self._function(text)))
        if len(text) <= self._most:
            self._kept[text] = tokens
            self._held += len(text)
            while self._held > self._most:
                self._held -= len(self._kept.popitem(last=False)[0])
        return tokens

    @property
    def held(self) -> int:
        """Characters of the texts whose tokens are at hand."""
        return self._held
