"""Distances between two texts of a page, without mark-up."""

from __future__ import annotations

import math
from collections import Counter
from functools import lru_cache
from itertools import pairwise

from rapidfuzz.distance import Levenshtein

from ohr.markup.strip import strip_markup
from ohr.metrics import default
from ohr.metrics.holes import find_words
from ohr.metrics.matching import assign
from ohr.metrics.reference import collapse
from ohr.metrics.scores import R_NOISE_THRESHOLD

PASSAGE_WORDS = 25
"""Words of a passage, like a short evidence. A passage that lost two words is noisy."""
MOST_UNMATCHED = 1_000_000
"""Most pairs of words that are matched by similarity: 1,000 words on both sides take a second."""


@lru_cache(maxsize=4096)
def content(text: str) -> str:
    """A page's text without mark-up, with collapsed white space."""
    return collapse(strip_markup(text))


@lru_cache(maxsize=4096)
def content_tokens(text: str) -> tuple[str, ...]:
    """The tokens of a page without mark-up, as metrics split them."""
    stripped = content(text)
    return tuple(default.tokens(stripped)) if stripped else ()


def character_distance(first: str, second: str) -> float:
    """Levenshtein distance over the length of the longer text, in [0, 1].

    Mark-up is removed, white space collapsed, and characters that look the same are equal.
    """
    return default.edit_distance(content(first), content(second))


def order_free_distance(text: str, truth: str) -> float:
    """:func:`character_distance` of the words whatever their order, without spaces, in [0, 1].

    Equal words are matched, and then the most similar ones one to one; what is left is charged by
    its characters. More than :data:`MOST_UNMATCHED` pairs are charged without a match.
    """
    predicted, expected = (Counter(_words(content(each))) for each in (text, truth))
    longer = max(sum(len(word) for word in words.elements()) for words in (predicted, expected))
    added = sorted((predicted - expected).elements())
    lost = sorted((expected - predicted).elements())
    pairs = assign(lost, added) if len(added) * len(lost) <= MOST_UNMATCHED else []
    paired = sum(Levenshtein.distance(lost[i], added[j]) for i, j in pairs)
    alone = [word for i, word in enumerate(lost) if i not in {i for i, _ in pairs}]
    extra = [word for j, word in enumerate(added) if j not in {j for _, j in pairs}]
    charged = paired + max(sum(map(len, alone)), sum(map(len, extra)))
    return min(1.0, charged / longer) if longer else 0.0


def _words(text: str) -> list[str]:
    folded = default.characters(text)
    return [folded[start:end] for start, end in find_words(folded)]


def page_r_noise(text: str, truth: str) -> float:
    """r_noise_content of a page, with every passage of the truth as the evidence of a question.

    It is the share of passages of :data:`PASSAGE_WORDS` words of which at most 0.95 are in the
    text, in order. A page without words is noisy (1) if the text has words.
    """
    expected, words = content_tokens(truth), content_tokens(text)
    if not expected:
        return float(bool(words))
    count = max(1, math.floor(len(expected) / PASSAGE_WORDS))
    bounds = [round(len(expected) * place / count) for place in range(count + 1)]
    noisy = [
        default.token_lcs(words, expected[start:end]) <= R_NOISE_THRESHOLD
        for start, end in pairwise(bounds)
    ]
    return sum(noisy) / count
