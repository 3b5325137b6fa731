"""The functions of the two protocols, with shared caches of tokens."""

from __future__ import annotations

from collections.abc import Callable

from ohr import plugins
from ohr.markup.strip import strip_markup
from ohr.metrics import default, reference
from ohr.metrics.protocol import Protocol
from ohr.plugins.metric import Scoring
from ohr.store.text_cache import TextCache

_MOST_WORDS = 1 << 20
"""Most distinct words that the lists of one cache share."""
R_NOISE_THRESHOLD = 0.95
"""Evidence with an LCS of at most this counts as hit by noise (OHR-Bench, section 4.3)."""


def cached_tokens(function: Callable[[str], list[str]]) -> TextCache[list[str]]:
    """A tokeniser with a cache: a repeated text is split only once.

    A page's ground truth is needed for each engine and condition, an evidence page for each
    question. The lists are shared, so do not change them; equal words are mostly one object.
    """
    words: dict[str, str] = {}

    def tokens(text: str) -> list[str]:
        if len(words) > _MOST_WORDS:
            words.clear()
        new = function(text)
        return list(map(words.setdefault, new, new))

    return TextCache.from_function(tokens)


_PUBLISHED_TOKENS = cached_tokens(reference.tokens)

SCORING: dict[Protocol, Scoring] = {
    "default": Scoring(
        "default",
        cached_tokens(default.tokens),
        cached_tokens(lambda text: default.tokens(strip_markup(text))),
        _PUBLISHED_TOKENS,
        default.token_lcs,
        default.f1,
        default.em,
        default.rouge_l,
        default.lcs,
        default.edit_distance,
    ),
    "reference": Scoring(
        "reference",
        _PUBLISHED_TOKENS,
        cached_tokens(lambda text: reference.tokens(strip_markup(text))),
        _PUBLISHED_TOKENS,
        reference.token_lcs,
        reference.f1,
        reference.em,
        reference.rouge_l,
        reference.lcs,
        reference.edit_distance,
    ),
}


class ProtocolParams(plugins.Params):
    """``protocol``: ``default`` is the toolkit's own scoring, ``reference`` the published
    evaluation's. In a study, its option ``scoring`` counts instead."""

    protocol: Protocol = "default"
