"""Metrics of the hits for a question."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from ohr import plugins
from ohr.metrics.evidence import EVIDENCE_WORDS
from ohr.metrics.scores import SCORING, ProtocolParams
from ohr.plugins.metric import HitsCase


class Lcs(plugins.Metric[ProtocolParams]):
    """Word-level LCS of the evidence with the retrieved text of its pages, over its words."""

    name = "lcs"
    version = "5"
    argument = "protocol"
    of = "hits"
    title = "LCS"
    needs = frozenset({"evidence"})
    headline = True
    basis = EVIDENCE_WORDS

    def score(self, prediction: str, reference: str) -> float:
        return SCORING[self.params.protocol].lcs(prediction, reference)

    def measure(self, case: HitsCase) -> float:
        return case.lcs


class StrippedLcs(Lcs):
    """``lcs`` with mark-up left out on both sides, as the paper has it under formatting noise."""

    name = "lcs_stripped"
    version = "7"
    title = "LCS without mark-up"
    needs = frozenset({"evidence", "formats"})
    headline = False

    def measure(self, case: HitsCase) -> float:
        return case.lcs_of(case.scoring.content_tokens)


class _LcsLoss(plugins.Metric, abstract=True):
    """A part of what ``lcs`` lacks of 1: for each question, ``lcs`` and both parts add up to 1."""

    of = "hits"
    needs = frozenset({"evidence"})
    higher_is_better = False
    part_of = "lcs"


class PageNotFound(_LcsLoss):
    """1 - hit@k: no page of the evidence is among the hits. The first part of the ``lcs`` loss."""

    name = "page_not_found"
    title = "page not found"

    def measure(self, case: HitsCase) -> float:
        return 0.0 if case.evidence_hits else 1.0


class TextMissing(_LcsLoss):
    """hit@k - ``lcs``: text missing where a page was found. The second part of the ``lcs`` loss.

    Without any hit it is 0: the page was not found, and that is the whole loss.
    """

    name = "text_missing"
    title = "text missing"
    missing = 0.0

    def measure(self, case: HitsCase) -> float:
        return 1.0 - case.lcs if case.evidence_hits else 0.0


class _Rank(plugins.Metric, abstract=True):
    of = "hits"
    at_k = True
    place = 0

    def measure(self, case: HitsCase) -> float:
        gold = set(case.question.evidence_pages)
        pages = dict.fromkeys(hit.ref for hit in case.hits)
        return _ranking_scores(tuple(ref in gold for ref in pages), len(gold), case.k)[self.place]


class HitRate(_Rank):
    """Whether a page of the evidence is among the first k hits."""

    name = "hit"
    title = "hit"


class ReciprocalRank(_Rank):
    """1 over the rank of the first page of the evidence; 0 if none is among the first k hits."""

    name = "mrr"
    title = "MRR"
    place = 1


class Ndcg(_Rank):
    """Normalised discounted cumulative gain of the evidence's pages, with binary gains."""

    name = "ndcg"
    version = "2"
    title = "nDCG"
    place = 2


def ranking_scores(
    relevant: Sequence[bool], n_relevant: int, k: int | None = None
) -> tuple[float, float, float]:
    """Hit, reciprocal rank and nDCG of a ranked list of pages, each page counted once.

    ``relevant[i]`` says whether the i-th distinct page carries evidence; gains are binary. ``k``
    hits were asked for, so the ideal ranking has ``min(n_relevant, k)`` pages of evidence, also
    where several of the hits are of one page and the list is shorter.
    """
    return _ranking_scores(tuple(relevant), n_relevant, k)


@lru_cache(maxsize=4096)
def _ranking_scores(
    relevant: tuple[bool, ...], n_relevant: int, k: int | None
) -> tuple[float, float, float]:
    if not any(relevant):
        return 0.0, 0.0, 0.0
    first = relevant.index(True)
    n_ideal = n_relevant if k is None else min(n_relevant, k)
    discounts = 1 / np.log2(np.arange(max(len(relevant), n_ideal)) + 2)
    gained = float(np.sum(discounts[: len(relevant)][np.array(relevant, dtype=bool)]))
    return 1.0, 1 / (first + 1), gained / float(np.sum(discounts[:n_ideal]))
