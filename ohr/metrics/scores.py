"""The two protocols as bundles of functions, which share what they cut texts into."""

from __future__ import annotations

import sys
from collections.abc import Callable

from ohr import plugins
from ohr.markup.strip import strip_markup
from ohr.metrics import default, reference
from ohr.metrics.protocol import Protocol
from ohr.plugins.metric import Scoring
from ohr.text_cache import TextCache

R_NOISE_THRESHOLD = 0.95
"""Evidence with an LCS of at most this counts as hit by noise (OHR-Bench, section 4.3)."""


def _kept(function: Callable[[str], list[str]]) -> TextCache[list[str]]:
    """A function from texts to words that cuts a text that comes again only once.

    A page's ground truth comes once for each engine and condition, its evidence pages once for each
    question. The same word is one object in all lists; they are shared: do not change them.
    """
    return TextCache.of(lambda text: list(map(sys.intern, function(text))))


_PUBLISHED_TOKENS = _kept(reference.tokens)

SCORING: dict[Protocol, Scoring] = {
    "default": Scoring(
        "default",
        _kept(default.tokens),
        _kept(lambda text: default.tokens(strip_markup(text))),
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
        _kept(lambda text: reference.tokens(strip_markup(text))),
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
    """``protocol``: ``default`` is the toolkit's own scoring, ``reference`` that of the published
    evaluation; a study measures by its own ``scoring``."""

    protocol: Protocol = "default"
