"""Scores of a ranked list of pages."""

from math import log2

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ohr.metrics.ranking import ranking_scores


def test_the_ideal_ranking_does_not_shrink_where_several_chunks_are_of_one_page():
    ideal = 1 / log2(2) + 1 / log2(3)
    assert ranking_scores([True], 2) == pytest.approx((1, 1, 1 / ideal))
    assert ranking_scores([True], 2)[2] == pytest.approx(0.613, abs=5e-4)
    assert ranking_scores([True], 2, k=1)[2] == 1, "one hit finds one page at best"
    assert ranking_scores([True, False], 3, k=2)[2] == pytest.approx(1 / ideal)
    assert ranking_scores([False, True], 1, k=2)[2] == pytest.approx(1 / log2(3))
    assert ranking_scores([], 2, k=2) == (0, 0, 0)


@given(st.lists(st.booleans(), max_size=10), st.integers(0, 5), st.integers(0, 5))
def test_ndcg_is_the_textbook_s(relevant, missed, more_hits):
    n_relevant, k = sum(relevant) + missed, len(relevant) + more_hits
    gained = sum(1 / log2(rank + 1) for rank, hit in enumerate(relevant, 1) if hit)
    ideal = sum(1 / log2(rank + 1) for rank in range(1, min(n_relevant, k) + 1))
    hit, reciprocal, ndcg = ranking_scores(relevant, n_relevant, k)
    assert ndcg == pytest.approx(gained / ideal if ideal else 0)
    assert hit == any(relevant)
    assert reciprocal == (1 / (relevant.index(True) + 1) if any(relevant) else 0)
