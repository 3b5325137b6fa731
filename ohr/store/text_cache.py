"""What was made of texts, kept for texts that come again."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Sequence
from typing import Generic, TypeVar

T = TypeVar("T")

MOST_CHARACTERS = 1 << 25
"""Characters of all kept texts together: some 10,000 pages."""


class TextCache(Generic[T]):
    """A function of a text that is worked out once for equal texts.

    The texts that came first are forgotten first, once all have more than ``most_characters``; so
    the memory is bounded, however long the texts are. ``make_many`` makes the results of several
    texts at once, in their order, where that is cheaper. Threads may share a cache.
    """

    def __init__(
        self,
        make_many: Callable[[Sequence[str]], Iterable[T]],
        most_characters: int = MOST_CHARACTERS,
    ) -> None:
        self._make_many = make_many
        self._most = most_characters
        self._kept: dict[str, T] = {}
        self._characters = 0
        self._lock = threading.Lock()

    @classmethod
    def of(cls, make: Callable[[str], T], most_characters: int = MOST_CHARACTERS) -> TextCache[T]:
        """A cache of a function of one text."""
        return cls(lambda texts: map(make, texts), most_characters)

    def __call__(self, text: str) -> T:
        try:
            return self._kept[text]
        except KeyError:
            return self.many([text])[0]

    def many(self, texts: Sequence[str]) -> list[T]:
        """The results for several texts, in their order."""
        with self._lock:
            known = {text: self._kept[text] for text in texts if text in self._kept}
        new = [text for text in dict.fromkeys(texts) if text not in known]
        made = dict(zip(new, self._make_many(new), strict=True)) if new else {}
        with self._lock:
            for text, result in made.items():
                if text not in self._kept:
                    self._kept[text] = result
                    self._characters += len(text)
            while self._characters > self._most:
                oldest = next(iter(self._kept))
                del self._kept[oldest]
                self._characters -= len(oldest)
        known |= made
        return [known[text] for text in texts]
