"""Counts covered words that come out all the same, and what would come out by chance.

A covered word counts once for a page and dose, and only if nothing that remains visible supports
it: not the words that are not covered, and not a second place, outside the known words, from which
the engine reads it on the page without covers. What then comes out has no pixels that it could be
read from. By chance an engine may still write it: a misread word, or one of a text that it makes up
whatever the page. So the same is counted for *control words*: words of the other tested pages that
this page does not support, of the same length and kind (letters, or with a digit). The excess is
the share of covered words that come out, less that of their control words.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from ohr.analysis.inventions.pages import SourcePage
from ohr.metrics.supporting_text import SupportingText
from ohr.metrics.word_keys import keyed_words

_INSIDE = 5
"""Letters of a word that may be inside a longer one."""
_LONGEST = 12
"""Words of so many letters and more are of one length."""
Kind = tuple[bool, int]
"""Whether a word has a digit, and its length."""


@dataclass(frozen=True, slots=True)
class HiddenCount:
    """Covered words of a page at a dose, with one engine.

    ``share``: share of the page's words that is covered. ``written``: the counted words that come
    out, by key. ``chance``: the number of counted words that would come out by chance, from the
    control words. ``new``: other words of the output that neither the whole page nor the engine's
    own output of it without covers supports.
    """

    hidden: int
    share: float
    counted: int
    written: Mapping[str, str]
    chance: float
    new: tuple[str, ...]


class HiddenText:
    """Counts covered words of some pages. Without another page there are no control words."""

    def __init__(self, pages: Sequence[SourcePage]) -> None:
        self._pages = [_Known(page) for page in pages]
        self._controls: dict[int, dict[Kind, list[str]]] = {}
        self._unsupported: dict[tuple[int, tuple[int, ...]], frozenset[str]] = {}

    def count(self, number: int, hidden: Sequence[int], text: str, clean: str) -> HiddenCount:
        """The counts of the page at place ``number``, with the pieces ``hidden`` covered.

        ``text`` is what the engine wrote of the covered page, ``clean`` of the same page without
        covers.
        """
        page = self._pages[number]
        keys = Counter(key for index in hidden for key in page.keys[index])
        forms = {
            word.key: piece.text[word.start : word.end]
            for piece in map(page.pieces.__getitem__, hidden)
            for word in keyed_words(piece.text)
        }
        unsupported = self._unsupported_of(number, tuple(hidden), keys)
        output, before = _counted(text), _counted(clean)
        # What the engine reads more often than it was covered is also in another place.
        counted = [
            key for key, times in keys.items() if before[key] <= times and key in unsupported
        ]
        controls, written = self._controls_of(number), Written(output)
        chance = sum(written.share(controls.get(_kind(key), ())) for key in counted)
        clean_text = SupportingText.from_texts([clean])
        new = [
            key
            for key in output
            if key not in keys and not page.text.supports(key) and not clean_text.supports(key)
        ]
        total = sum(len(of_piece) for of_piece in page.keys)
        return HiddenCount(
            sum(keys.values()),
            sum(keys.values()) / total if total else 0.0,
            len(counted),
            {key: forms[key] for key in counted if key in written},
            chance,
            tuple(new),
        )

    def _unsupported_of(
        self, number: int, hidden: tuple[int, ...], keys: Iterable[str]
    ) -> frozenset[str]:
        """The covered keys that nothing visible supports: the same for all engines."""
        if (number, hidden) not in self._unsupported:
            covered, pieces = set(hidden), self._pages[number].pieces
            visible = SupportingText.from_texts(
                p.text for i, p in enumerate(pieces) if i not in covered
            )
            unsupported = frozenset(key for key in keys if not visible.supports(key))
            self._unsupported[number, hidden] = unsupported
        return self._unsupported[number, hidden]

    def _controls_of(self, number: int) -> Mapping[Kind, Sequence[str]]:
        """Control words of a page, each once, by kind."""
        if number not in self._controls:
            page = self._pages[number]
            further = dict.fromkeys(
                key
                for place, other in enumerate(self._pages)
                if place != number
                for of_piece in other.keys
                for key in of_piece
            )
            by_kind: dict[Kind, list[str]] = defaultdict(list)
            for key in further:
                if not page.text.supports(key):
                    by_kind[_kind(key)].append(key)
            self._controls[number] = by_kind
        return self._controls[number]


class Written:
    """The words of an output, by key. A word of five letters and more also counts inside a longer
    one, since some engines leave out spaces."""

    def __init__(self, keys: Iterable[str]) -> None:
        self._keys = frozenset(keys)
        self._lines = "\n".join(self._keys)

    def __contains__(self, key: str) -> bool:
        return key in self._keys or (len(key) >= _INSIDE and key in self._lines)

    def share(self, keys: Sequence[str]) -> float:
        """The share of some words that is written; 0 without any."""
        return sum(key in self for key in keys) / len(keys) if keys else 0.0


class _Known:
    """The keys of a page's pieces."""

    def __init__(self, page: SourcePage) -> None:
        self.pieces = page.pieces
        self.keys = [[word.key for word in keyed_words(piece.text)] for piece in page.pieces]

    @cached_property
    def text(self) -> SupportingText:
        return SupportingText.from_texts(piece.text for piece in self.pieces)


def _counted(text: str) -> Counter[str]:
    return Counter(word.key for word in keyed_words(text))


def _kind(key: str) -> Kind:
    return any(char.isdigit() for char in key), min(len(key), _LONGEST)
