"""Weighted and stratified rank correlation, against SciPy's plain one."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import rankdata, spearmanr

from ohr.statistics import Clusters, RankCorrelation, rank_correlations

VALUES = st.integers(0, 4)
PAIRS = st.lists(st.tuples(VALUES, VALUES, st.integers(0, 2)), min_size=3, max_size=30)


def spearman(x, y):
    if len(set(x)) < 2 or len(set(y)) < 2:
        return np.nan
    return float(spearmanr(x, y).statistic)


def arrays(pairs):
    x, y, third = (np.array(column, float) for column in zip(*pairs, strict=True))
    return x, y, third.astype(int)


@given(PAIRS)
def test_it_is_spearmans(pairs):
    x, y, _ = arrays(pairs)
    ranked = RankCorrelation(x, y)
    assert ranked.value == pytest.approx(spearman(x, y), nan_ok=True)
    assert ranked.products.mean() == pytest.approx(ranked.value, nan_ok=True)
    rows = rank_correlations(np.stack([x, x]), np.stack([y, -y]))
    assert rows == pytest.approx([spearman(x, y), spearman(x, -y)], nan_ok=True)


@given(PAIRS)
def test_a_weight_of_two_is_the_unit_twice(pairs):
    x, y, weights = arrays(pairs)
    twice = (np.repeat(values, weights) for values in (x, y))
    expected = spearman(*twice) if weights.any() else np.nan
    found = RankCorrelation(x, y).weighted(weights[None].astype(float))[0]
    assert found == pytest.approx(expected, nan_ok=True)


@given(PAIRS)
def test_strata_are_ranked_each_by_itself(pairs):
    x, y, strata = arrays(pairs)

    def grades(values):
        found = np.zeros(len(values))
        for stratum in set(strata):
            own = strata == stratum
            found[own] = (rankdata(values[own]) - 0.5) / own.sum() - 0.5
        return found

    a, b = grades(x), grades(y)
    spread = np.sqrt((a * a).sum() * (b * b).sum())
    expected = (a * b).sum() / spread if spread > 1e-12 else np.nan
    assert RankCorrelation(x, y, strata).value == pytest.approx(expected, nan_ok=True)
    # What sets a stratum apart as a whole has no say.
    shifted = RankCorrelation(x + 10 * strata, y - 7 * strata, strata).value
    assert shifted == pytest.approx(expected, nan_ok=True)


def test_whole_clusters_are_drawn(monkeypatch):
    rng = np.random.default_rng(0)
    x, y, owners = rng.random(40), rng.random(40), np.arange(40) // 8
    clusters = Clusters.from_labels(owners, owners)
    ranked = RankCorrelation(x, y)
    drawn = ranked.resampled(clusters, 50, 3)
    for count, rho in zip(clusters.resampled_counts(50, 3), drawn, strict=True):
        units = np.concatenate(
            [np.flatnonzero(owners == i).repeat(int(count[i])) for i in range(5)]
        )
        assert rho == pytest.approx(spearman(x[units], y[units]))
    monkeypatch.setattr("ohr.statistics.correlation._BLOCK", 100)
    assert np.array_equal(ranked.resampled(clusters, 50, 3), drawn)
