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
"""Least confidence of a word that the engine is sure of. Engines rate most of what they read on
pages that lie on their side below it."""
LEAST_WEIGHT = 0.3
"""Words with less confidence weigh nothing. The others weigh their letters times the confidence: of
the measures that were tried on twelve scanned receipts, this weight and the letters above .3 told
best whether a level page is read better; the letters of sure words alone hardly did."""
LEAST_GAIN = 10.0
"""Least weight by which a repair must win ..."""
LEAST_SHARE = 0.02
"""... and least share of the weight before it. On those receipts, what gained 10 or more was read
better, and what gained up to 8 was not."""
EXCHANGED = 0.8
"""Least letters of sure words that are new, for each that is no longer read. A cut that is wrong
loses words for nothing; two page images of equal worth exchange about as many."""
LOST = 0.03
"""Most of the weight of all words, level or not, that may be lost."""
_PART = re.compile(r"\w+")
_UNSPACED = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff]")
"""Letters of scripts without spaces between words: they count one by one."""


@dataclass(frozen=True)
class Evidence:
    """What was read of a page: the level words that the engine is sure of, each with its count;
    the weight of the level words, and of all words.

    Engines also read lines that run up or down a page, but then mistake their order.
    """

    sure: Counter[str] = field(default_factory=Counter)
    level: float = 0.0
    weight: float = 0.0


def confident_words(words: Iterable[Word]) -> Evidence:
    """The evidence of words with confidences."""
    sure: Counter[str] = Counter()
    level = weight = 0.0
    for word in words:
        if word.confidence < LEAST_WEIGHT:
            continue
        parts = _counted([word.text])
        worth = word.confidence * _letters(parts)
        weight += worth
        if _is_level(word):
            level += worth
            if word.confidence >= SURE:
                sure.update(parts)
    return Evidence(sure, level, weight)


def _is_level(word: Word) -> bool:
    """Whether a word is wider than high; of one or two letters that cannot be said."""
    left_edge, top, right, bottom = word.box
    return len(word.text) < 3 or right - left_edge >= bottom - top


def likely_words(text: str) -> Evidence:
    """The evidence of a text without confidences: the words that look like words."""
    words = _counted(word for word in text.split() if not is_garbage(word))
    letters = float(_letters(words))
    return Evidence(words, letters, letters)


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
    """Whether a page is clearly read better after a repair: its level words weigh more, and neither
    sure words nor words that are not level are lost for it.
    """
    if after.level - before.level < max(LEAST_GAIN, LEAST_SHARE * before.level):
        return False
    gain, loss = _letters(after.sure - before.sure), _letters(before.sure - after.sure)
    return gain >= EXCHANGED * loss and after.weight >= (1 - LOST) * before.weight


def _letters(words: Counter[str]) -> int:
    return sum(len(word) * count for word, count in words.items())
