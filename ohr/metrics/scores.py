"""The two protocols as bundles of functions, which share what they cut texts into."""

from __future__ import annotations

from typing import Literal

from ohr import plugins
from ohr.markup.strip import strip_markup
from ohr.metrics import default, reference
from ohr.metrics.text_cache import TokenCache
from ohr.plugins.metric import Scoring

Protocol = Literal["default", "reference"]

R_NOISE_THRESHOLD = 0.95
"""Evidence with an LCS of at most this counts as hit by noise (OHR-Bench, section 4.3)."""

_PUBLISHED_TOKENS = TokenCache(reference.tokens)

SCORING: dict[Protocol, Scoring] = {
    "default": Scoring(
        "default",
        TokenCache(default.tokens),
        TokenCache(lambda text: default.tokens(strip_markup(text))),
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
        TokenCache(lambda text: reference.tokens(strip_markup(text))),
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
