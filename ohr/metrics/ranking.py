"""Metrics of the hits for a question."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache, partial

import numpy as np

from ohr import plugins
from ohr.metrics.evidence import EVIDENCE_WORDS
from ohr.metrics.scores import SCORING, ProtocolParams
from ohr.plugins.metric import HitsCase, metric


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
    """``lcs`` without the mark-up of both sides, as in the paper under formatting noise."""

    name = "lcs_stripped"
    version = "7"
    title = "LCS without mark-up"
    needs = frozenset({"evidence", "formats"})
    headline = False

    def measure(self, case: HitsCase) -> float:
        return case.lcs_of(case.scoring.content_tokens)


# Parts of the lcs loss: for each question, lcs and both parts add up to 1.
_lcs_loss = partial(metric, of="hits", needs={"evidence"}, higher_is_better=False, part_of="lcs")


@_lcs_loss(title="page not found")
def page_not_found(case: HitsCase) -> float:
    """1 - hit@k: no page of the evidence is among the hits. The first part of the ``lcs`` loss."""
    return 0.0 if case.evidence_hits else 1.0


@_lcs_loss(title="text missing", missing=0.0)
def text_missing(case: HitsCase) -> float:
    """hit@k - ``lcs``: text missing although a page was found. The second part of the ``lcs`` loss.

    0 if no page was found, since that is the whole loss then.
    """
    return 1.0 - case.lcs if case.evidence_hits else 0.0


@metric(of="hits", title="hit", at_k=True)
def hit(case: HitsCase) -> float:
    """Whether a page of the evidence is among the first k hits."""
    return _scores_of(case)[0]


@metric(of="hits", title="MRR", at_k=True)
def mrr(case: HitsCase) -> float:
    """1 over the rank of the first page of the evidence; 0 if none is among the first k hits."""
    return _scores_of(case)[1]


@metric(of="hits", title="nDCG", at_k=True, version="2")
def ndcg(case: HitsCase) -> float:
    """Normalised discounted cumulative gain of the evidence's pages.

    A page's gain is its relevance, 1 where the data do not grade it.
    """
    return _scores_of(case)[2]


def _scores_of(case: HitsCase) -> tuple[float, float, float]:
    """:func:`ranking_scores` of the pages of a case's hits."""
    question = case.question
    gold = set(question.evidence_pages)
    pages = dict.fromkeys(hit.ref for hit in case.hits)
    if question.relevance:
        grades = dict(zip(question.evidence_pages, question.relevance, strict=True))
        gains = [grades.get(ref, 0.0) for ref in pages]
        return graded_scores(gains, list(grades.values()), case.k)
    return _ranking_scores(tuple(ref in gold for ref in pages), len(gold), case.k)


def ranking_scores(
    relevant: Sequence[bool], n_relevant: int, k: int | None = None
) -> tuple[float, float, float]:
    """Hit, reciprocal rank and nDCG of a ranked list of pages, each page counted once.

    ``relevant[i]``: whether the i-th distinct page has evidence; gains are binary. The ideal
    ranking of ``k`` hits has ``min(n_relevant, k)`` pages of evidence, even if several hits are on
    one page and the list of pages is shorter.
    """
    return _ranking_scores(tuple(relevant), n_relevant, k)


def graded_scores(
    gains: Sequence[float], grades: Sequence[float], k: int | None = None
) -> tuple[float, float, float]:
    """Hit, reciprocal rank and nDCG of a ranked list of pages whose relevance has grades.

    ``gains[i]``: the grade of the i-th distinct page, 0 if it is not relevant; ``grades``: those of
    all relevant pages, in any order. Gains are linear, as in trec_eval: a page of grade 2 counts
    twice as much as one of grade 1. The ideal ranking has the ``k`` highest grades.
    """
    binary = _ranking_scores(tuple(gain > 0 for gain in gains), len(grades), k)
    ideal = sorted(grades, reverse=True)[:k]
    best = _discounted(ideal)
    return (*binary[:2], _discounted(gains) / best if best else 0.0)


def _discounted(gains: Sequence[float]) -> float:
    return float(sum(gain / np.log2(rank + 2) for rank, gain in enumerate(gains)))


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
