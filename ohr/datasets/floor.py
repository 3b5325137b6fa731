"""The floor of r_noise: how much of the evidence a truth itself lacks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ohr.metrics.scores import R_NOISE_THRESHOLD, SCORING
from ohr.plugins.metric import EvidenceCase
from ohr.types import Page, PageRef, Question

NOISY_TRUTH = 0.1
"""A truth with a larger floor is named wherever it is used."""
ALL = "all"


def truth_floor(
    questions: Iterable[Question], pages: Mapping[PageRef, Page]
) -> dict[str, tuple[float, int]]:
    """The published r_noise of the truth against itself: ``all`` first, then each domain.

    It is the share of questions whose evidence is not on its own page of the truth (their LCS is
    .95 or less), in [0, 1], with the number of questions. Questions without evidence, and those
    whose pages the truth lacks, are left out; a dataset without any gives an empty mapping.
    """
    damaged: dict[str, list[bool]] = {}
    scoring = SCORING["default"]
    for question in questions:
        texts = tuple(pages[ref].text for ref in question.evidence_pages if ref in pages)
        if not texts or not question.evidence_text.strip():
            continue
        lcs = EvidenceCase(texts, question, scoring).lcs_of(scoring.published_tokens)
        for group in (ALL, question.domain):
            damaged.setdefault(group, []).append(lcs <= R_NOISE_THRESHOLD)
    return {group: (sum(values) / len(values), len(values)) for group, values in damaged.items()}
