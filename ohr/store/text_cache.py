"""Caches results that were computed from texts, for repeated texts."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Sequence
from typing import Generic, TypeVar

T = TypeVar("T")

MOST_CHARACTERS = 1 << 25
"""Most characters of all cached texts together: about 10,000 pages."""


class TextCache(Generic[T]):
    """A function of a text that is computed once for equal texts.

    The oldest texts are dropped when all together have more than ``most_characters``, so memory is
    bounded. ``make_many`` computes the results of several texts, in their order, for functions
    that are cheaper for several at once. Threads may share a cache.
    """

    def __init__(
        self,
        make_many: Callable[[Sequence[str]], Iterable[T]],
        most_characters: int = MOST_CHARACTERS,
    ) -> None:
        self._make_many = make_many
        self._most = most_characters
        self._results: dict[str, T] = {}
        self._characters = 0
        self._lock = threading.Lock()

    @classmethod
    def from_function(
        cls, make: Callable[[str], T], most_characters: int = MOST_CHARACTERS
    ) -> TextCache[T]:
        """A cache of a function of one text."""
        return cls(lambda texts: map(make, texts), most_characters)

    def __call__(self, text: str) -> T:
        try:
            return self._results[text]
        except KeyError:
            return self.many([text])[0]

    def many(self, texts: Sequence[str]) -> list[T]:
        """The results for several texts, in their order."""
        with self._lock:
            known_values = {text: self._results[text] for text in texts if text in self._results}
        new = [text for text in dict.fromkeys(texts) if text not in known_values]
        results = dict(zip(new, self._make_many(new), strict=True)) if new else {}
        with self._lock:
            for text, result in results.items():
                if text not in self._results:
                    self._results[text] = result
                    self._characters += len(text)
            while self._characters > self._most:
                oldest = next(iter(self._results))
                del self._results[oldest]
                self._characters -= len(oldest)
        known_values |= results
        return [known_values[text] for text in texts]
