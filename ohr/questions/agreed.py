"""Text on which OCR outputs agree: questions are never made of what only one engine has read.

A word of the first output is confirmed if it is in another output too, with two of its neighbours:
three successive words in both. So the order in which engines read columns and tables does not
matter. A word that no other output confirms becomes :data:`UNSURE`, and no question asks about, or
quotes, text with such a word.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from ohr.types import PageRef

UNSURE = "\ufffc"
"""Replaces a word on which outputs differ: U+FFFC, which is in no page text."""
NEIGHBOURS = 3
"""Successive words that two outputs must share."""

_TOKEN = re.compile(
    r"(?P<markup>\\(?:begin|end)\{[a-zA-Z*]+\}(?:\[[^\]\n]{0,500}\])?(?:\{[^{}\n]*\})?|\\[a-zA-Z]+|<[^<>\n]*>)"
    r"|(?P<word>[-\u2212(]?[$€£]?\d+(?:[.,:/-]?\d+)*%?|[^\W\d_][^\W_]*)"
)


def agreed_texts(outputs: Sequence[Mapping[PageRef, str]]) -> dict[PageRef, str]:
    """The pages of the first output, with UNSURE for each word that no other output confirms.

    A page that no other output has is left out. Raises ValueError for fewer than two outputs.
    """
    if len(outputs) < 2:
        raise ValueError("at least two OCR outputs are needed to find where they agree")
    first, *rest = outputs
    texts = {}
    for ref, text in first.items():
        again = [other[ref] for other in rest if other.get(ref, "").strip()]
        if again:
            texts[ref] = mark_unsure(text, again)
    return texts


def mark_unsure(text: str, rest: Sequence[str]) -> str:
    """A page's text, with UNSURE for each word that no other output of the page confirms."""
    matches = [match for match in _TOKEN.finditer(text) if match["word"] is not None]
    words = [_key(match["word"]) for match in matches]
    known_values = {run for other in rest for run in _runs(_words(other))}
    sure = [False] * len(words)
    size = min(NEIGHBOURS, max(len(words), 1))
    for position in range(len(words) - size + 1):
        if tuple(words[position : position + size]) in known_values:
            sure[position : position + size] = [True] * size
    pieces, done = [], 0
    for match, is_sure in zip(matches, sure, strict=True):
        if not is_sure:
            pieces += [text[done : match.start()], UNSURE]
            done = match.end()
    return "".join([*pieces, text[done:]])


def _words(text: str) -> list[str]:
    return [_key(match["word"]) for match in _TOKEN.finditer(text) if match["word"] is not None]


def _runs(words: Sequence[str]) -> set[tuple[str, ...]]:
    size = min(NEIGHBOURS, len(words))
    return {tuple(words[position : position + size]) for position in range(len(words) - size + 1)}


def _key(word: str) -> str:
    """A word for comparison: without case, and without the currency sign before a number."""
    return word.casefold().replace("\u2212", "-").translate(_CURRENCY)


_CURRENCY = str.maketrans("", "", "$€£")
