"""The metrics as plug-ins, and the two protocols as bundles of functions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from ohr import plugins
from ohr.metrics import default, reference

Protocol = Literal["default", "reference"]
TextScore = Callable[[str, str], float]

R_NOISE_THRESHOLD = 0.95
"""Evidence with an LCS of at most this counts as hit by noise (OHR-Bench, section 4.3)."""


@dataclass(frozen=True)
class Scoring:
    """One protocol's functions; every score takes (prediction, reference)."""

    name: Protocol
    tokens: Callable[[str], list[str]]
    token_lcs: Callable[[Sequence[str], Sequence[str]], float]
    f1: TextScore
    em: TextScore
    rouge_l: TextScore
    lcs: TextScore
    edit_distance: TextScore


SCORING: dict[Protocol, Scoring] = {
    "default": Scoring(
        "default",
        default.tokens,
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
        reference.token_lcs,
        reference.f1,
        reference.em,
        reference.rouge_l,
        reference.lcs,
        reference.edit_distance,
    ),
}


class ProtocolParams(plugins.Params):
    """``default`` is the toolkit's own scoring; ``reference`` that of the published evaluation."""

    protocol: Protocol = "default"


class _Score(plugins.Metric[ProtocolParams], abstract=True):
    version = "2"
    argument = "protocol"
    missing = 0.0

    def score(self, prediction: str, reference: str) -> float:
        scoring = SCORING[self.params.protocol]
        function: TextScore = getattr(scoring, self.name)
        return function(prediction, reference)


class F1(_Score):
    """Token F1 of an answer."""

    name = "f1"


class ExactMatch(_Score):
    """Whether an answer matches exactly."""

    name = "em"


class RougeL(_Score):
    """ROUGE-L of an answer: F1 of the longest common subsequence of its tokens."""

    name = "rouge_l"


class Lcs(_Score):
    """Word-level longest common subsequence over the reference's words."""

    name = "lcs"


class EditDistance(_Score):
    """Levenshtein distance over the longer text."""

    name = "edit_distance"
    version = "1"
    missing = 1.0
    higher_is_better = False
