"""Text on which readings agree: what one engine alone has read is no ground for a question.

A word of the first reading is confirmed if it stands, with two of its neighbours, in another
reading too: three words that follow each other in both. So it does not matter in which order
two engines read columns and tables. A word that nothing confirms becomes :data:`UNSURE`, and what
holds one is asked about by no question and quoted by none.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from ohr.types import PageRef

UNSURE = "\ufffc"
"""Stands for a word of which readings differ: U+FFFC, which no text has of its own."""
NEIGHBOURS = 3
"""Words in a row that two readings must share."""

_TOKEN = re.compile(
    r"(?P<markup>\\(?:begin|end)\{[a-zA-Z*]+\}(?:\[[^\]\n]{0,500}\])?(?:\{[^{}\n]*\})?|\\[a-zA-Z]+|<[^<>\n]*>)"
    r"|(?P<word>[-\u2212(]?[$€£]?\d+(?:[.,:/-]?\d+)*%?|[^\W\d_][^\W_]*)"
)


def agreed(readings: Sequence[Mapping[PageRef, str]]) -> dict[PageRef, str]:
    """Each page of the first reading, words that no other reading has replaced by UNSURE.

    A page that no other reading has is left out. Raises ValueError for fewer than two readings.
    """
    if len(readings) < 2:
        raise ValueError("readings agree or differ where there are two at least")
    first, *others = readings
    texts = {}
    for ref, text in first.items():
        again = [other[ref] for other in others if other.get(ref, "").strip()]
        if again:
            texts[ref] = confirmed(text, again)
    return texts


def confirmed(text: str, others: Sequence[str]) -> str:
    """A page's text with the words that none of the other readings of it confirms replaced."""
    found = [match for match in _TOKEN.finditer(text) if match["word"] is not None]
    words = [_key(match["word"]) for match in found]
    known = {run for other in others for run in _runs(_words(other))}
    sure = [False] * len(words)
    size = min(NEIGHBOURS, max(len(words), 1))
    for at in range(len(words) - size + 1):
        if tuple(words[at : at + size]) in known:
            sure[at : at + size] = [True] * size
    pieces, done = [], 0
    for match, is_sure in zip(found, sure, strict=True):
        if not is_sure:
            pieces += [text[done : match.start()], UNSURE]
            done = match.end()
    return "".join([*pieces, text[done:]])


def _words(text: str) -> list[str]:
    return [_key(match["word"]) for match in _TOKEN.finditer(text) if match["word"] is not None]


def _runs(words: Sequence[str]) -> set[tuple[str, ...]]:
    size = min(NEIGHBOURS, len(words))
    return {tuple(words[at : at + size]) for at in range(len(words) - size + 1)}


def _key(word: str) -> str:
    """A word as it is compared: case does not matter, nor the currency sign before a number."""
    return word.casefold().replace("\u2212", "-").translate(_CURRENCY)


_CURRENCY = str.maketrans("", "", "$€£")
