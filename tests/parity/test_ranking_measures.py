"""Hit, reciprocal rank and nDCG against ir_measures, which runs trec_eval."""

from __future__ import annotations

import ir_measures
import pytest
from hypothesis import given
from hypothesis import strategies as st
from ir_measures import RR, Qrel, ScoredDoc, Success, nDCG

from ohr.metrics.ranking import ranking_scores

RELEVANT = st.lists(st.booleans(), max_size=10)


def theirs(relevant: list[bool], missed: int, k: int) -> tuple[float, float, float]:
    """A ranking of as many pages, and ``missed`` relevant pages that it lacks."""
    pages = [f"page {rank}" for rank in range(len(relevant))]
    evidence = [page for page, hit in zip(pages, relevant, strict=True) if hit]
    evidence += [f"missed {number}" for number in range(missed)]
    qrels = [Qrel("q", page, 1) for page in evidence]
    run = [ScoredDoc("q", page, -float(rank)) for rank, page in enumerate(pages)]
    measures = Success @ k, RR @ k, nDCG @ k
    values = ir_measures.calc_aggregate(measures, qrels, run)
    return values[measures[0]], values[measures[1]], values[measures[2]]


@given(RELEVANT, st.integers(0, 5), st.integers(0, 5))
def test_scores_are_those_of_trec_eval(relevant: list[bool], missed: int, more: int) -> None:
    n_relevant = sum(relevant) + missed
    if n_relevant:
        k = max(len(relevant) + more, 1)
        assert ranking_scores(relevant, n_relevant, k) == pytest.approx(theirs(relevant, missed, k))
    else:  # no question lacks evidence; trec_eval leaves such a one out
        assert ranking_scores(relevant, 0) == (0, 0, 0)
