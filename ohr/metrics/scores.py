"""The two protocols as bundles of functions."""

from __future__ import annotations

from ohr import plugins
from ohr.markup.strip import strip_markup
from ohr.metrics import default, reference
from ohr.metrics.protocol import Protocol
from ohr.plugins.metric import Scoring

R_NOISE_THRESHOLD = 0.95
"""Evidence with an LCS of at most this counts as hit by noise (OHR-Bench, section 4.3)."""


SCORING: dict[Protocol, Scoring] = {
    "default": Scoring(
        "default",
        default.tokens,
        lambda text: default.tokens(strip_markup(text)),
        reference.tokens,
        default.token_lcs,
        default.f1,
        default.em,
        default.rouge_l,
        default.lcs,
        default.edit_distance,
    ),
    "reference": Scoring(
        "reference",
        reference.tokens,
        lambda text: reference.tokens(strip_markup(text)),
        reference.tokens,
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
