from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from ohr.statistics import (
    Clusters,
    cliffs_delta,
    cohens_dz,
    compare_paired,
    further_clusters,
    sign_flip_test,
)
from ohr.statistics.paired import NOTHING_SHARED
from tests.examples import examples


def clusters(*labels: int) -> Clusters:
    index = np.array(labels)
    return Clusters(index, int(index.max()) + 1, "document")


def test_few_clusters_are_flipped_in_every_way():
    # Of the 8 sign patterns only +++ and --- reach the observed sum of 3.
    assert sign_flip_test(np.ones(3), clusters(0, 1, 2)) == 2 / 8
    # Two clusters with sums 2 and 1: only ++ and -- of 4.
    assert sign_flip_test(np.ones(3), clusters(0, 0, 1)) == 2 / 4
    # Sums 3, -1, 1: |+-3 +-1 +-1| >= 3 in 6 of 8 patterns.
    assert sign_flip_test(np.array([3.0, -1.0, 1.0]), clusters(0, 1, 2)) == 6 / 8
    assert sign_flip_test(np.zeros(4), clusters(0, 1, 2, 3)) == 1.0


def scipys(sums: np.ndarray) -> float:
    """The p-value over all sign patterns of some clusters' sums."""
    return stats.permutation_test(
        (sums, np.zeros(len(sums))),
        lambda a, b, axis: (a - b).sum(axis),
        permutation_type="samples",
        vectorized=True,
        n_resamples=np.inf,
    ).pvalue


@examples(50)
@given(
    st.lists(
        st.lists(st.integers(-4, 4), min_size=1, max_size=4),  # exact in floating point
        min_size=2,
        max_size=9,
    )
)
def test_p_is_scipys(documents):
    values = np.concatenate(documents).astype(float)
    units = clusters(*np.repeat(np.arange(len(documents)), [len(each) for each in documents]))
    sums = np.array([sum(each) for each in documents], dtype=float)
    assert sign_flip_test(values, units) == pytest.approx(scipys(sums))


def test_random_flips_come_near_scipys_p_over_all():
    rng = np.random.default_rng(3)
    for shift in (0.1, 0.3, 0.6):
        values = rng.normal(shift, size=14)  # more clusters than are flipped in every way
        p = sign_flip_test(values, clusters(*range(14)))
        assert p == pytest.approx(scipys(values), abs=0.02)  # four standard errors


def test_random_flips_agree_with_the_normal_distribution_and_repeat():
    values = np.random.default_rng(1).normal(0.12, size=300)
    units = clusters(*range(300))
    p = sign_flip_test(values, units)
    assert math.isclose(p, stats.ttest_1samp(values, 0).pvalue, abs_tol=0.01)
    assert p == sign_flip_test(values, units)
    assert sign_flip_test(values + 9, units) == 1 / 10_000


def test_false_positives_are_as_rare_as_promised_only_if_clusters_flip_together():
    rng = np.random.default_rng(5)
    documents = np.repeat(np.arange(15), 20)
    together = clusters(*documents)
    apart = clusters(*range(300))
    found = np.zeros(2)
    for _ in range(150):
        values = rng.normal(size=15)[documents] + 0.2 * rng.normal(size=300)
        found += [sign_flip_test(values, c, flips=199) <= 0.05 for c in (together, apart)]
    assert found[0] / 150 <= 0.1
    assert found[1] / 150 >= 0.4


def test_effect_sizes_by_hand():
    assert math.isclose(cohens_dz(np.array([1.0, 2.0, 3.0])), 2.0)
    assert cohens_dz(np.zeros(3)) == 0.0
    assert math.isnan(cohens_dz(np.array([0.5])))
    assert math.isnan(cohens_dz(np.full(3, 0.1)))  # equal but for rounding
    assert math.isnan(cohens_dz(np.full(4, 0.5)))
    assert cliffs_delta(np.array([0.3, 0.1, -0.2, 0.0])) == 0.25


def test_one_cluster_has_a_difference_and_nothing_else():
    found = compare_paired(np.array([0.0, 1.0]), Clusters.from_labels(np.zeros(2), np.zeros(2)))
    assert found.difference == 0.5
    assert math.isnan(found.p)
    assert math.isnan(found.interval.low)


def test_five_documents_prove_nothing_by_signs():
    owners = np.repeat(np.arange(5), 20)
    clusters = Clusters.from_labels(owners, np.arange(100))
    found = compare_paired(np.full(100, 0.5) + 0.01 * owners, clusters)
    assert found.p == pytest.approx(2 / 2**5)
    assert (found.interval.low, found.interval.high) == (-1, 1), "so nothing is excluded either"


differences = st.lists(st.sampled_from([-1.0, -0.5, 0.0, 0.25, 1.0]), min_size=3, max_size=30)


@given(differences, st.integers(3, 20))
def test_turning_the_comparison_round_turns_everything_round(values, n):
    array = np.array(values)
    units = Clusters.from_labels(np.arange(len(array)) % n, np.arange(len(array)))
    one = compare_paired(array, units)
    other = compare_paired(-array, units)
    assert 0 < one.p <= 1
    assert one.p == other.p
    assert one.cliffs_delta == -other.cliffs_delta
    assert -1 <= one.cliffs_delta <= 1
    assert one.interval.low <= one.interval.high
    assert one.interval.low == pytest.approx(-other.interval.high, abs=1e-9)
    assert np.isnan(one.cohens_dz) or one.cohens_dz == pytest.approx(-other.cohens_dz)


def test_a_difference_that_is_not_there_has_no_test():
    values = np.linspace(0, 1, 8)
    values[3] = np.nan
    assert np.isnan(sign_flip_test(values, clusters(*range(8))))


@given(st.integers(6, 40), st.integers(1, 20), st.floats(0.01, 0.5), st.integers(0, 99))
def test_further_clusters_are_enough_for_the_difference_to_be_shown(size, tests, shift, seed):
    values = np.random.default_rng(seed).normal(shift, 0.3, size)
    comparison = compare_paired(values, clusters(*range(size)))
    further = further_clusters(comparison, tests)
    assert further >= 0
    assert further >= further_clusters(comparison, 1)
    needed = size + further
    error = comparison.standard_error * (size / needed) ** 0.5
    noncentral = abs(comparison.difference) / error
    power = stats.norm.sf(stats.norm.isf(0.025 / tests) - noncentral)
    assert power >= 0.8 - 1e-9
    assert needed >= 6


def test_no_difference_takes_forever_and_no_interval_says_nothing():
    even = compare_paired(np.tile([-1.0, 1.0], 4), clusters(*range(8)))
    assert further_clusters(even) == np.inf
    alone = Clusters.from_labels(np.zeros(2), np.zeros(2))
    assert np.isnan(further_clusters(compare_paired(np.array([0.1, 0.3]), alone)))


def test_changes_that_cancel_are_no_equality():
    units = Clusters.from_labels(np.arange(12) % 6, np.arange(12))
    cancelling = compare_paired(np.tile([0.5, -0.5], 6), units)
    assert (cancelling.difference, cancelling.n_changed) == (0.0, 12)
    assert not cancelling.is_equal
    same = compare_paired(np.zeros(12), units)
    assert same.is_equal
    assert same.n_changed == 0
    assert not NOTHING_SHARED.is_equal
