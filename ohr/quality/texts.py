"""Distances between two texts of a page, without mark-up."""

from __future__ import annotations

import math
from functools import lru_cache
from itertools import pairwise

from ohr.markup.strip import strip_markup
from ohr.metrics import default
from ohr.metrics.reference import collapse
from ohr.metrics.scores import R_NOISE_THRESHOLD

PASSAGE_WORDS = 25
"""Words of a passage, like a short evidence. A passage that lost two words is noisy."""


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


def page_r_noise(text: str, truth: str) -> float:
    """r_noise_content of a page, with every passage of the truth as the evidence of a question.

    It is the share of passages of :data:`PASSAGE_WORDS` words of which at most .95 are in the
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
