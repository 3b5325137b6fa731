"""Which candidate is best, and which are shown to be worse, on the data that chose it."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.best import EQUAL, FAILING, HALF, HOLM, INTERVAL, ONE_LOWER, OURS, rates
from ohr.statistics import DOCUMENT, BestOf, Clusters, compare_with_best, sign_flip_test
from ohr.statistics.inference import unseen_share


def documents(count: int, each: int = 3) -> Clusters:
    return Clusters(np.repeat(np.arange(count), each), count, DOCUMENT)


def one(scores: np.ndarray, clusters: Clusters, **more: float) -> BestOf:
    [found] = compare_with_best([scores], clusters, **more)
    return found


def drawn(candidates: int, documents: int, most: int, seed: int) -> np.ndarray:
    """Whole scores up to ``most``, so that ties and equal candidates come up."""
    rng = np.random.default_rng(seed)
    return rng.integers(0, most + 1, (candidates, 3 * documents)).astype(float)


scores = st.builds(
    drawn, st.integers(2, 5), st.integers(3, 15), st.integers(0, 8), st.integers(0, 2**32)
)


@given(scores)
def test_what_is_shown_to_be_worse_lies_behind_in_its_interval(values):
    found = one(values, documents(values.shape[1] // 3), flips=999)
    assert found.standings[found.first].p == 1
    assert found.first in found.may_be_best
    for standing in found.standings:
        assert standing.interval.low <= standing.behind + 1e-9
        assert standing.interval.high >= standing.behind - 1e-9
        assert standing.from_first.low <= found.standings[found.first].mean - standing.mean + 1e-9
        assert standing.is_worse == (standing.interval.low > 1e-7)


@given(scores, st.integers(0, 99))
def test_neither_the_order_of_candidates_nor_hard_questions_matter(values, seed):
    rng = np.random.default_rng(seed)
    order = rng.permutation(len(values))
    clusters = documents(values.shape[1] // 3)
    before = one(values, clusters, flips=499)
    after = one(values[order] + rng.integers(0, 5, values.shape[1]), clusters, flips=499)
    for place, candidate in enumerate(order):
        assert after.standings[place].p == before.standings[candidate].p
        assert after.standings[place].behind == pytest.approx(before.standings[candidate].behind)


@given(scores)
def test_a_larger_family_says_no_more(values):
    clusters = documents(values.shape[1] // 3)
    alone = one(values, clusters, flips=499)
    more = np.random.default_rng(0).normal(size=(3, values.shape[1]))
    among, _ = compare_with_best([values, more], clusters, flips=499)
    assert all(b.p >= a.p for a, b in zip(alone.standings, among.standings, strict=True))
    assert set(among.worse) <= set(alone.worse)


@pytest.mark.parametrize("count", [4, 8, 12, 30])
def test_two_candidates_have_the_p_of_the_sign_flip_test(count):
    values = np.random.default_rng(count).normal(size=(2, 3 * count))
    clusters = documents(count)
    found = one(values, clusters)
    worse = 1 - found.first
    assert found.standings[worse].p == sign_flip_test(values[1] - values[0], clusters)


@pytest.mark.parametrize("count", [3, 4, 5])
def test_with_five_documents_nothing_is_shown(count):
    values = np.array([[1.0], [0.9], [0.0]]).repeat(3 * count, axis=1)
    values += np.random.default_rng(0).normal(0, 1e-3, values.shape)
    assert one(values, documents(count)).worse == []


def test_without_clusters_nothing_is_said_of_chance():
    found = one(np.array([[1.0, 0.5], [0.0, 0.0]]), Clusters(np.zeros(2, dtype=int), 1, ""))
    assert (found.first, found.worse, found.unit) == (0, [], "")
    assert found.standings[1].behind == 0.75
    assert math.isnan(found.standings[1].p)
    assert math.isnan(found.standings[1].interval.bound)


def test_equal_candidates_are_equally_good():
    values = np.random.default_rng(1).uniform(size=24)
    found = one(np.stack([values, values, values - 1]), documents(8), largest=1.0)
    assert found.worse == [2]
    assert found.standings[1].p == 1
    reach = unseen_share(8)
    assert (found.standings[1].interval.low, found.standings[1].interval.high) == (-reach, reach)


def test_questions_without_every_score_are_left_out():
    values = np.random.default_rng(2).uniform(size=(3, 36))
    holed = np.concatenate([values, np.full((3, 3), 0.5)], axis=1)
    holed[0, -3:] = math.nan
    found = one(holed, documents(13))
    assert found.n == 36
    assert found.standings[1].mean == pytest.approx(values[1].mean())
    assert found.standings[1].behind == pytest.approx(
        one(values, documents(12)).standings[1].behind
    )
    with pytest.raises(ValueError, match="no unit"):
        one(np.full((2, 9), math.nan), documents(3))


def test_one_large_document_among_few_makes_the_interval_wide():
    owners = np.repeat(np.arange(6), [60, 1, 1, 1, 1, 1])
    values = np.random.default_rng(3).uniform(size=(2, len(owners)))
    values[0] += 1
    found = one(values, Clusters(owners, 6, DOCUMENT), largest=2.0)
    assert found.worse == [1], "all six documents agree"
    assert 0 < found.standings[1].interval.low < 1 < found.standings[1].interval.high < 2


@pytest.mark.slow
@pytest.mark.parametrize(
    ("setting", "candidates", "count"),
    [(EQUAL, 3, 8), (EQUAL, 9, 20), (FAILING, 9, 20), (HALF, 5, 10)],
)
def test_a_true_best_is_rarely_called_worse(setting, candidates, count):
    assert rates(setting, candidates, count, 200)[OURS] <= 0.09


@pytest.mark.slow
def test_the_rule_that_forgot_the_choice_called_it_worse_more_often():
    shares = rates(FAILING, 9, 20, 200)
    assert shares[INTERVAL] > shares[HOLM] > 0.09 >= shares[OURS]


def test_a_real_difference_is_found():
    assert rates(ONE_LOWER, 3, 60, 60)[OURS] > 0.9


def test_a_candidate_alone_is_compared_with_none():
    values = np.random.default_rng(4).uniform(size=(1, 24))
    alone, pair = compare_with_best([values, np.concatenate([values, values - 1])], documents(8))
    assert (alone.first, alone.worse) == (0, [])
    assert math.isnan(alone.standings[0].behind)
    assert pair.worse == [1]
    assert one(values, documents(8)).worse == []


@given(scores, st.integers(2, 6))
def test_several_comparisons_together_show_less(values, comparisons):
    clusters = documents(values.shape[1] // 3)
    alone = one(values, clusters, flips=999)
    together = one(values, clusters, flips=999, comparisons=comparisons)
    assert set(together.worse) <= set(alone.worse)
    for first, second in zip(alone.standings, together.standings, strict=True):
        assert second.p >= first.p, "fewer steps are taken"
        assert second.interval.low <= first.interval.low
        assert second.interval.high >= first.interval.high
