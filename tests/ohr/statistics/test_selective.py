"""Selective answering: known values, promises that hold, and scores that are useless."""

from __future__ import annotations

import math

import numpy as np
import pytest

from ohr.statistics import Clusters
from ohr.statistics.selective import (
    Ordered,
    calibration_error,
    cross_fitted,
    estimate,
    fold_of_clusters,
    logistic,
    oracle_aurc,
    promised_threshold,
)


def clusters_of(documents: np.ndarray) -> Clusters:
    return Clusters.from_labels(documents, documents)


def simulate(
    rng: np.random.Generator, documents: int, each: int
) -> tuple[np.ndarray, np.ndarray, Clusters]:
    """Scores that say something, and wrong answers that come together in documents."""
    of = np.repeat(np.arange(documents), each)
    hard = rng.normal(0, 0.7, documents)[of]
    scores = rng.normal(0, 1, len(of))
    chance = 1 / (1 + np.exp(-(-0.5 - 1.5 * scores + hard)))
    return scores, rng.random(len(of)) < chance, clusters_of(of)


def test_four_answers_by_hand():
    order = Ordered(np.array([0.9, 0.8, 0.7, 0.6]), np.array([False, True, False, True]))
    ones = np.ones(4)
    assert order.aurc(ones) == pytest.approx((0 + 1 / 2 + 1 / 3 + 2 / 4) / 4)
    assert order.coverage(ones, 0.34) == 0.75
    assert order.coverage(ones, 0.1) == 0.25
    assert order.share_found(ones, 0.25) == 0.5
    assert order.auroc(ones) == 0.75


def test_equal_scores_are_let_through_together():
    order = Ordered(np.full(4, 0.5), np.array([False, False, True, True]))
    ones = np.ones(4)
    assert order.auroc(ones) == 0.5
    assert order.aurc(ones) == 0.5
    assert order.coverage(ones, 0.4) == 0.0
    assert order.share_found(ones, 0.25) == pytest.approx(0.25)


def test_a_weight_of_two_is_an_answer_that_comes_twice():
    rng = np.random.default_rng(0)
    scores, wrong = rng.random(30).round(1), rng.random(30) < 0.4
    weights = rng.integers(0, 3, 30)
    weighted = Ordered(scores, wrong)
    repeated = Ordered(np.repeat(scores, weights), np.repeat(wrong, weights))
    ones = np.ones(weights.sum())
    for name, arguments in (
        ("aurc", ()),
        ("auroc", ()),
        ("coverage", (0.3,)),
        ("share_found", (0.1,)),
    ):
        mine = getattr(weighted, name)(weights.astype(float), *arguments)
        assert mine == pytest.approx(getattr(repeated, name)(ones, *arguments))


def test_the_oracle_has_no_excess():
    wrong = np.arange(2000) % 5 == 0
    order = Ordered(np.where(wrong, -1.0, 0.0) + np.linspace(0, 0.1, 2000), wrong)
    assert order.aurc(np.ones(2000)) == pytest.approx(oracle_aurc(0.2), abs=1e-3)
    assert order.excess(np.ones(2000)) == pytest.approx(0, abs=1e-3)
    assert oracle_aurc(1.0) == 1.0


@pytest.mark.slow
def test_a_useless_score_has_an_auroc_near_one_half():
    rng = np.random.default_rng(1)
    inside = 0
    for _ in range(40):
        of = np.repeat(np.arange(40), 20)
        wrong = rng.random(800) < rng.beta(2, 3, 40)[of]
        order = Ordered(rng.random(800), wrong)
        measured = estimate(order.auroc, clusters_of(of))
        inside += measured.interval.low <= 0.5 <= measured.interval.high
        assert abs(measured.value - 0.5) < 0.1
    assert inside >= 34


def test_a_fit_on_other_documents_learns_nothing_from_noise():
    rng = np.random.default_rng(2)
    of = np.repeat(np.arange(50), 20)
    wrong = rng.random(1000) < 0.5
    clusters = clusters_of(of)
    features = rng.normal(size=(1000, 5))
    chances = cross_fitted(features, ~wrong, fold_of_clusters(clusters, 5))
    assert Ordered(chances, wrong).auroc(np.ones(1000)) == pytest.approx(0.5, abs=0.06)


def test_documents_stay_in_one_fold():
    of = np.repeat(np.arange(23), 7)
    folds = fold_of_clusters(clusters_of(of), 5)
    assert all(len(set(folds[of == document])) == 1 for document in range(23))
    assert set(folds) == set(range(5))


def test_a_logistic_fit_finds_the_chances_and_takes_missing_values():
    rng = np.random.default_rng(3)
    x = rng.normal(size=(5000, 1))
    right = rng.random(5000) < 1 / (1 + np.exp(-(0.3 + 1.2 * x[:, 0])))
    x[:500] = np.nan
    right[:500] = rng.random(500) < 0.9
    fitted = logistic(x, right.astype(float))
    assert fitted(np.array([[0.0]]))[0] == pytest.approx(1 / (1 + math.exp(-0.3)), abs=0.03)
    assert fitted(np.array([[np.nan]]))[0] == pytest.approx(0.9, abs=0.04)


def test_honest_confidence_has_a_small_calibration_error():
    rng = np.random.default_rng(4)
    confidence = rng.random(5000)
    right = rng.random(5000) < confidence
    ones = np.ones(5000)
    assert calibration_error(confidence, right, ones) < 0.03
    assert calibration_error(np.full(5000, 0.9), right, ones) == pytest.approx(0.4, abs=0.03)


@pytest.mark.slow
@pytest.mark.parametrize(("documents", "least"), [(20, 40), (60, 250), (200, 300)])
def test_the_promise_holds_on_further_documents(documents, least):
    """The mean over studies of (wrong - risk x answered) of a further document is at most 0."""
    rng = np.random.default_rng([5, documents])
    risk, excess, answered, wrong_answers, thresholds = 0.2, [], 0, 0, 0
    for _ in range(300):
        scores, wrong, clusters = simulate(rng, documents, 10)
        threshold = promised_threshold(scores, wrong, clusters, risk)
        thresholds += math.isfinite(threshold)
        further, is_wrong, _ = simulate(rng, 20, 10)
        is_in = further >= threshold
        excess.append((is_wrong[is_in] - risk).sum())
        answered, wrong_answers = answered + is_in.sum(), wrong_answers + is_wrong[is_in].sum()
    error = np.std(excess) / math.sqrt(len(excess))
    assert thresholds >= least
    assert np.mean(excess) <= 2 * error
    assert wrong_answers / answered <= risk + 0.005
    assert documents < 200 or wrong_answers / answered >= risk - 0.03  # gives away little


def test_nothing_is_promised_with_too_few_or_only_wrong_answers():
    of = np.repeat(np.arange(3), 4)
    scores = np.linspace(0, 1, 12)
    assert promised_threshold(scores, np.zeros(12, bool), clusters_of(of), 0.05) == math.inf
    many = np.repeat(np.arange(50), 4)
    scores = np.linspace(0, 1, 200)
    assert promised_threshold(scores, np.ones(200, bool), clusters_of(many), 0.2) == math.inf
    assert promised_threshold(scores, np.zeros(200, bool), clusters_of(many), 0.2) == 0.0
