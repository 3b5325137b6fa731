"""Which letters of words in scripts of joined letters stand for another letter?

A glyph of these scripts cannot be compared with a letter, but the words that have the letter can be
drawn once more with another letter in its place. If nearly all of them then look more like the page
than as the layer has them, the layer says one letter and the page shows another.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Mapping, Sequence

import numpy as np

FEWEST_WORDS = 4
"""Fewest different words with a letter by which it is judged, ..."""
MOST_WORDS = 8
"""... and most."""
GAIN = 0.12
"""Likeness that words gain on the median if the other letter is drawn: letters that differ in dots
alone gain up to 0.09 on right pages, and other letters from 0.17 on wrong ones, ..."""
SHARE = 0.85
"""... and the share of the words that must gain."""

SLACK = 0.05
"""A letter is looked at unless its words are more like the page than most words by more."""

Likeness = Callable[[int, str], float]
"""How much the picture of a word, by its number, is like a text; NaN if no face draws it."""


def swapped_letters(texts: Sequence[str], likeness: Likeness) -> Mapping[str, str]:
    """The letters that stand for another one, each with the one that the page shows.

    ``texts`` are different words of one font, as the layer has them. The other letters are those of
    these words, so that what is looked for is a layer that takes one of its letters for another.
    """
    own = [likeness(number, text) for number, text in enumerate(texts)]
    if len(own) < FEWEST_WORDS or np.isnan(own).all():
        return {}
    usual = float(np.nanmedian(own))
    numbers: dict[str, list[int]] = {}
    for number, text in enumerate(texts):
        for letter in dict.fromkeys(text):
            if unicodedata.category(letter)[0] in "LM" and not np.isnan(own[number]):
                numbers.setdefault(letter, []).append(number)
    edges: dict[str, dict[str, float]] = {}
    # Words that are as like the page as most others give no reason to look further, ...
    queue = [
        letter
        for letter, words in numbers.items()
        if np.median([own[number] for number in words]) <= usual + SLACK
    ]
    for letter in queue:
        chosen = numbers[letter][:MOST_WORDS]
        if len(chosen) < FEWEST_WORDS:
            continue
        for other in numbers:
            if other != letter and _kind(other) == _kind(letter):
                gains = np.array(_gains(letter, other, chosen, texts, own, likeness))
                if np.median(gains) >= GAIN and (gains > 0).mean() >= SHARE:
                    edges.setdefault(letter, {})[other] = float(np.median(gains))
                    if other not in queue:  # ... unless their letter is what another one shows
                        queue.append(other)
    # Two letters have not one shape: what a letter is taken for must itself be taken for another.
    while open_ends := [
        letter for letter, others in edges.items() if not any(other in edges for other in others)
    ]:
        for letter in open_ends:
            del edges[letter]
    return {
        letter: max((o for o in others if o in edges), key=lambda other: others[other])
        for letter, others in edges.items()
    }


def _kind(letter: str) -> str:
    """Whether a character is a letter or a mark."""
    return unicodedata.category(letter)[0]


def _gains(
    letter: str,
    other: str,
    words: Sequence[int],
    texts: Sequence[str],
    own: Sequence[float],
    likeness: Likeness,
) -> list[float]:
    """By how much words are more like the page with another letter; stops where most are not."""
    # Exchanged, since words may have both.
    exchange = str.maketrans(letter + other, other + letter)
    gains: list[float] = []
    for number in words:
        gain = likeness(number, texts[number].translate(exchange)) - own[number]
        gains.append(-1.0 if np.isnan(gain) else gain)
        if sum(value <= 0 for value in gains) > (1 - SHARE) * len(words):
            return [-1.0]
    return gains
