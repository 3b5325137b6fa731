"""Whether a repaired page is read better than the page as it was: by the words that are read."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from ohr.quality.garbage import is_garbage
from ohr.types import Word

SURE = 0.75
"""Least confidence of a word that counts. Engines rate most of what they read on pages that lie on
their side below it."""
LEAST_GAIN = 8
"""Least number of letters by which a repair must win ..."""
LEAST_SHARE = 0.03
"""... and least share of the letters that were read before. On a page that needs nothing, what is
read twice differs by about 1 %."""
GAIN_OVER_LOSS = 1.5
"""Least number of new letters for each that is no longer read. A cut or a turn that is wrong loses
words for those that it wins; two page images of equal worth exchange as many."""
_PART = re.compile(r"\w+")
_UNSPACED = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff]")
"""Letters of scripts without spaces between words: they count one by one."""


@dataclass(frozen=True)
class Evidence:
    """What was read of a page: its words, and those of them that lie level, each with its count.

    Engines also read lines that run up or down a page, but then mistake their order.
    """

    words: Counter[str] = field(default_factory=Counter)
    level: Counter[str] = field(default_factory=Counter)


def confident_words(words: Iterable[Word]) -> Evidence:
    """The words that an engine is sure of."""
    sure = [word for word in words if word.confidence >= SURE]
    return Evidence(
        _counted(word.text for word in sure),
        _counted(word.text for word in sure if _is_level(word)),
    )


def _is_level(word: Word) -> bool:
    """Whether a word is wider than high; of one or two letters that cannot be said."""
    left, top, right, bottom = word.box
    return len(word.text) < 3 or right - left >= bottom - top


def likely_words(text: str) -> Evidence:
    """The words of a text that look like words, for engines that give no confidence."""
    words = _counted(word for word in text.split() if not is_garbage(word))
    return Evidence(words, words)


def _counted(words: Iterable[str]) -> Counter[str]:
    """The parts of words, without signs and case. A single letter of a spaced script is no word:
    engines are sure of many that are strokes.
    """
    counts: Counter[str] = Counter()
    for word in words:
        for part in _PART.findall(unicodedata.normalize("NFKC", word).casefold()):
            if _UNSPACED.search(part):
                counts.update(part)
            elif len(part) > 1:
                counts[part] += 1
    return counts


def is_better(before: Evidence, after: Evidence) -> bool:
    """Whether clearly more level words are read after a repair, and not fewer words in all.

    Words count by their letters. The gain is what only the repaired page has, the loss what only
    the page before it has.
    """
    gain, loss = _changes(before.level, after.level)
    least = max(LEAST_GAIN, LEAST_SHARE * _letters(before.level))
    if gain - loss < least or gain < GAIN_OVER_LOSS * loss:
        return False
    gain, loss = _changes(before.words, after.words)
    return gain >= loss or loss <= LEAST_SHARE * _letters(before.words)


def _changes(before: Counter[str], after: Counter[str]) -> tuple[int, int]:
    return _letters(after - before), _letters(before - after)


def _letters(words: Counter[str]) -> int:
    return sum(len(word) * count for word, count in words.items())
