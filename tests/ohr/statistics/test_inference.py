"""One test for a family of comparisons: stars, intervals and p that cannot disagree."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.inference import KINDS, simulate
from ohr.statistics import DOCUMENT, Clusters, Paired, holm, infer, sign_flip_test
from ohr.statistics.flips import smallest_p
from ohr.statistics.inference import unseen_share


@st.composite
def families(draw):
    """Comparisons of the same documents, some on a part of the questions, some without effect."""
    documents, count = draw(st.integers(3, 15)), draw(st.integers(1, 5))
    rng = np.random.default_rng(draw(st.integers(0, 10_000)))
    owners = np.repeat(np.arange(documents), rng.integers(1, 6, documents))
    every = Clusters(owners, documents, DOCUMENT)
    family = []
    for _ in range(count):
        effect = draw(st.sampled_from([0.0, 0.0, 0.05, 0.4]))
        values = rng.choice([0.0, 0.25, -0.25], len(owners)) + effect
        kept = rng.random(len(owners)) < draw(st.sampled_from([1.0, 0.7]))
        kept[0] = True
        family.append(Paired(values[kept], every.only(kept)))
    return family


@given(families())
def test_an_interval_excludes_0_exactly_if_the_difference_is_shown(family):
    for paired, result in zip(family, infer(family, flips=499), strict=True):
        if not paired.clusters.unit:
            assert math.isnan(result.p_adjusted)
            continue
        low, high = result.interval.low, result.interval.high
        assert result.is_shown == (low > 0 or high < 0)
        assert low <= result.difference <= high
        assert result.p_adjusted >= result.p
        if paired.clusters.size < 6:
            assert not result.is_shown


@given(families(), st.randoms(use_true_random=False))
def test_neither_the_order_of_comparisons_nor_their_sign_matters(family, random):
    order = list(range(len(family)))
    random.shuffle(order)
    before = infer(family, flips=499)
    after = infer([Paired(-family[i].differences, family[i].clusters) for i in order], flips=499)
    for place, result in zip(order, after, strict=True):
        same = before[place]
        assert (result.p, result.p_adjusted) == pytest.approx(
            (same.p, same.p_adjusted), nan_ok=True
        )
        assert (-result.interval.high, -result.interval.low) == pytest.approx(
            (same.interval.low, same.interval.high), abs=1e-6, nan_ok=True
        )


@given(families())
def test_a_comparison_alone_has_the_p_of_the_sign_flip_test(family):
    paired = family[0]
    [alone] = infer([paired], flips=499)
    if paired.clusters.unit:
        assert alone.p == alone.p_adjusted
        assert alone.p == sign_flip_test(paired.differences, paired.clusters, flips=499)


def test_rows_in_another_order_change_nothing():
    rng = np.random.default_rng(0)
    owners, values = np.repeat(np.arange(20), 3), rng.normal(0.05, 0.1, 60)
    turned = rng.permutation(60)
    one = infer([Paired(values, Clusters.from_labels(owners, owners))])
    other = infer([Paired(values[turned], Clusters.from_labels(owners[turned], owners[turned]))])
    assert (one[0].p, one[0].interval.low) == pytest.approx((other[0].p, other[0].interval.low))


def test_eight_documents_that_agree_show_every_one_of_nine_comparisons():
    """After Holm the smallest p of nine comparisons would be .070."""
    owners = np.repeat(np.arange(8), 5)
    rng = np.random.default_rng(1)
    clusters = Clusters(owners, 8, DOCUMENT)
    family = [Paired(-0.3 + rng.normal(0, 0.01, 40), clusters) for _ in range(9)]
    results = infer(family)
    assert [result.p for result in results] == [smallest_p(8)] * 9
    assert holm(np.array([result.p for result in results])).min() == pytest.approx(9 / 128)
    assert all(result.is_shown for result in results)


def test_equal_scores_say_no_more_than_the_number_of_documents_allows():
    clusters = Clusters(np.repeat(np.arange(8), 5), 8, DOCUMENT)
    [result] = infer([Paired(np.zeros(40), clusters)])
    assert (result.difference, result.p_adjusted) == (0, 1)
    assert result.interval.high == -result.interval.low == unseen_share(8)
    assert unseen_share(8) == pytest.approx(0.312, abs=1e-3)


def test_no_end_leaves_the_possible_range():
    clusters = Clusters(np.repeat(np.arange(5), 5), 5, DOCUMENT)
    values = np.full(25, -0.9) + np.linspace(0, 0.1, 25)
    [result] = infer([Paired(values, clusters)])
    assert (result.interval.low, result.interval.high) == (-1, 1)
    [free] = infer([Paired(values, clusters)], largest=math.inf)
    assert math.isinf(free.interval.low)
    assert math.isinf(free.interval.high)


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("documents", [8, 20])
def test_false_statements_are_rare(kind, documents):
    rates = simulate(kind, documents, 120, population=20_000)
    assert rates["error"] <= 0.05 + 3 * 0.02
    if "lost" not in kind:  # few documents may have none of the rare ones
        assert rates["coverage"] >= 0.93 - 3 * 0.02
