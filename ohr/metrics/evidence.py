"""Metrics of a question's evidence in a knowledge base: is it still there?"""

from __future__ import annotations

from abc import ABC, abstractmethod

from ohr import plugins
from ohr.metrics.scores import R_NOISE_THRESHOLD
from ohr.plugins.metric import EvidenceCase

EVIDENCE_WORDS = "words of the evidence"
"""The basis of every metric that counts how many of the evidence's words are there."""


class EvidenceLcs(plugins.Metric):
    """Word-level LCS of the evidence with its pages, over the evidence's words."""

    name = "evidence_lcs"
    version = "5"
    of = "evidence"
    title = "LCS of evidence and page"
    basis = EVIDENCE_WORDS

    def measure(self, case: EvidenceCase) -> float:
        return case.lcs


class _Noise(plugins.Metric, ABC, abstract=True):
    version = "5"
    of = "evidence"
    higher_is_better = False
    basis = EVIDENCE_WORDS

    @abstractmethod
    def lcs(self, case: EvidenceCase) -> float:
        """The LCS of the evidence with its pages."""

    def measure(self, case: EvidenceCase) -> float:
        return float(self.lcs(case) <= R_NOISE_THRESHOLD)


class RNoise(_Noise):
    """Whether noise hit the evidence: its LCS with its pages, as they stand, is .95 or less."""

    name = "r_noise"
    title = "r_noise"
    headline = True

    def lcs(self, case: EvidenceCase) -> float:
        return case.lcs


class ContentRNoise(_Noise):
    """``r_noise`` with mark-up left out on both sides."""

    name = "r_noise_content"
    version = "7"
    title = "r_noise of the content"

    def lcs(self, case: EvidenceCase) -> float:
        return case.lcs_of(case.scoring.content_tokens)


class ReferenceRNoise(_Noise):
    """``r_noise`` by the tokens of the published evaluation."""

    name = "r_noise_reference"
    version = "1"
    title = "published r_noise"
    protocols = frozenset({"default"})

    def lcs(self, case: EvidenceCase) -> float:
        return case.lcs_of(case.scoring.published_tokens)
