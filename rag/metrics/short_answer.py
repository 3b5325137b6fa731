"""Whether a short answer is right, by rule or by similarity of meaning."""

from __future__ import annotations

from functools import cached_property
from typing import Annotated

from pydantic import BeforeValidator, Field

from ohr import plugins, registry
from ohr.errors import ConfigError
from ohr.metrics.answer_kinds import agree, kind_of, ngram_cosine, same_by_rule
from ohr.metrics.default import characters
from ohr.plugins import Retriever
from ohr.plugins.metric import AnswerCase
from ohr.registry import PluginSpec
from ohr.types import Chunk, PageRef

Spec = Annotated[PluginSpec, BeforeValidator(PluginSpec.parse)]
_PROBE = "A text and itself have the cosine 1."
_NEAR = 0.02
"""Rounding in half precision stays below this."""


class ShortAnswerParams(plugins.Params):
    """``encoder``: a dense retriever, such as ``minilm``, whose score of two texts is the cosine
    of their embeddings; without one, the cosine of their counts of three characters in a row.
    ``threshold``: the least cosine at which a text is right.
    """

    encoder: Spec | None = None
    threshold: float = Field(0.5, ge=0, le=1)


class ShortAnswer(plugins.Metric[ShortAnswerParams]):
    """Whether a short answer is right; the best accepted answer counts.

    Binary answers, numbers and time spans are compared by rule (:mod:`ohr.metrics.answer_kinds`).
    Text is right if the cosine of its embedding reaches the threshold and it contradicts no number,
    unit, currency, sign or negation of the accepted answer
    (:func:`ohr.metrics.answer_kinds.agree`). The second check is needed because the embedding of
    a text is close to that of its negation. Source: Noe, Breier and Nuredini, who use the
    threshold .5 without that check.
    """

    name = "short_answer"
    version = "9"
    title = "short answer accuracy"
    beside = ("f1", "em")

    def measure(self, case: AnswerCase) -> float:
        return max(self.score(case.answer.text, answer) for answer in case.question.answers)

    def score(self, prediction: str, reference: str) -> float:
        kind = kind_of(reference)
        if kind != "text":
            return float(same_by_rule(prediction, reference, kind))
        if characters(prediction).casefold() == characters(reference).casefold():
            return 1.0
        if not agree(prediction, reference):
            return 0.0
        return float(self._cosine(prediction, reference) >= self.params.threshold)

    def _cosine(self, prediction: str, reference: str) -> float:
        encoder = self._encoder
        if encoder is None:
            return ngram_cosine(prediction, reference)
        return _score(encoder, prediction, reference) if prediction.strip() else 0.0

    @cached_property
    def _encoder(self) -> Retriever | None:
        if self.params.encoder is None:
            return None
        encoder = registry.create("retriever", self.params.encoder)
        label = self.params.encoder.label
        if not isinstance(encoder, Retriever):
            raise ConfigError(
                f"short_answer: {label!r} embeds no text: name a dense retriever, such as minilm"
            )
        self_score = _score(encoder, _PROBE, _PROBE)
        if abs(self_score - 1) > _NEAR:
            raise ConfigError(
                f"short_answer: {label!r} does not score by cosine: a text scores "
                f"{self_score:.3g} with itself; name a dense retriever, such as minilm"
            )
        return encoder


def _score(encoder: Retriever, text: str, other: str) -> float:
    encoder.index([Chunk(PageRef("", 0), 0, len(other), other)])
    hits = encoder.search(text, 1)
    return hits[0].score if hits else 0.0
