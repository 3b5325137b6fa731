"""Metrics of a question's evidence in a knowledge base: is it still there?"""

from __future__ import annotations

from functools import partial

from ohr.metrics.labels import CONTENT_R_NOISE, DEFAULT_R_NOISE, R_NOISE
from ohr.metrics.scores import R_NOISE_THRESHOLD
from ohr.plugins.metric import EvidenceCase, metric

EVIDENCE_WORDS = "words of the evidence"
"""The basis of every metric that counts how many of the evidence's words are there."""

_noise_ratio = partial(metric, of="evidence", higher_is_better=False, basis=EVIDENCE_WORDS)


@metric(of="evidence", title="evidence LCS", version="5", basis=EVIDENCE_WORDS)
def evidence_lcs(case: EvidenceCase) -> float:
    """Word-level LCS of the evidence with its pages, over the evidence's words."""
    return case.lcs


@_noise_ratio(title=DEFAULT_R_NOISE, version="5", headline=True)
def r_noise(case: EvidenceCase) -> float:
    """Whether noise damaged the evidence: its LCS with its pages, with mark-up, is .95 or less."""
    return float(case.lcs <= R_NOISE_THRESHOLD)


@_noise_ratio(title=CONTENT_R_NOISE, version="7")
def r_noise_content(case: EvidenceCase) -> float:
    """``r_noise`` without the mark-up of both sides."""
    return float(case.lcs_of(case.scoring.content_tokens) <= R_NOISE_THRESHOLD)


@_noise_ratio(title=R_NOISE, protocols=frozenset({"default"}))
def r_noise_reference(case: EvidenceCase) -> float:
    """``r_noise`` by the tokens of the published evaluation."""
    return float(case.lcs_of(case.scoring.published_tokens) <= R_NOISE_THRESHOLD)
