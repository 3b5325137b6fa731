"""How far two texts of a page are apart once their mark-up is gone."""

from __future__ import annotations

import math
from functools import lru_cache
from itertools import pairwise

from ohr.markup.strip import strip_markup
from ohr.metrics import default
from ohr.metrics.reference import collapse
from ohr.metrics.scores import R_NOISE_THRESHOLD

PASSAGE_WORDS = 25
"""Words of a passage: about a short evidence. One with two words lost is noisy."""


@lru_cache(maxsize=4096)
def content(text: str) -> str:
    """A page without its mark-up, white space collapsed."""
    return collapse(strip_markup(text))


@lru_cache(maxsize=4096)
def content_tokens(text: str) -> tuple[str, ...]:
    """Words and numbers of a page without its mark-up, as the metrics take them."""
    stripped = content(text)
    return tuple(default.tokens(stripped)) if stripped else ()


def character_distance(first: str, second: str) -> float:
    """Levenshtein over the longer text, mark-up removed and white space collapsed, in [0, 1].

    What looks the same in other code points is the same.
    """
    return default.edit_distance(content(first), content(second))


def page_r_noise(text: str, truth: str) -> float:
    """r_noise_content of a page: every passage of the truth taken for a question's evidence.

    The share of its passages of :data:`PASSAGE_WORDS` words of which no more than .95 stand in
    the reading, in order. A page without words is noisy (1) if words are read on it.
    """
    expected, read = content_tokens(truth), content_tokens(text)
    if not expected:
        return float(bool(read))
    count = max(1, math.floor(len(expected) / PASSAGE_WORDS))
    bounds = [round(len(expected) * place / count) for place in range(count + 1)]
    noisy = [
        default.token_lcs(read, expected[start:end]) <= R_NOISE_THRESHOLD
        for start, end in pairwise(bounds)
    ]
    return sum(noisy) / count
