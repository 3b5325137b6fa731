"""Noise curves read backwards: what is promised holds on further documents."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ohr.statistics.clusters import Clusters
from ohr.statistics.curves import NoiseCurve
from ohr.statistics.loss_budgets import SURE, budget_coverage, loss_budget, promises


def curve_of(losses: np.ndarray, noise: tuple[float, ...], documents: int) -> NoiseCurve:
    """Of scores whose loss is given, float ``(levels, n)``; the clean score is 1."""
    n = losses.shape[1]
    labels = np.arange(n) % documents
    quality = np.vstack([np.ones(n), 1 - losses])
    return NoiseCurve(
        np.repeat(np.array([0.0, *noise])[:, None], n, axis=1),
        quality,
        np.zeros(n),
        Clusters.from_labels(labels, labels),
    )


def drawn(means: tuple[float, ...], documents: int, seed: int, spread: float = 0.03) -> np.ndarray:
    """Losses of 5 questions per document: the document's own, and noise of each question."""
    rng = np.random.default_rng(seed)
    own = rng.normal(0, spread, documents)
    each = rng.normal(0, 0.05, (len(means), 5 * documents))
    return np.array(means)[:, None] + own[np.arange(5 * documents) % documents] + each


def test_the_largest_noise_that_keeps_the_promise_is_named():
    losses = drawn((0.2, 0.01, 0.02, 0.09), 40, 0)
    budget = loss_budget(curve_of(losses, (0.9, 0.1, 0.2, 0.4), 40), 0.05)
    assert budget.kind == "within"
    assert budget.largest is not None
    assert budget.largest.noise == pytest.approx(0.2)
    assert budget.largest.loss <= budget.largest.bound <= 0.05
    assert budget.next is not None
    assert budget.next.noise == pytest.approx(0.4)


def test_a_level_after_one_that_fails_does_not_count():
    losses = drawn((0.1, 0.0), 40, 0)
    budget = loss_budget(curve_of(losses, (0.1, 0.5), 40), 0.05)
    assert (budget.kind, budget.largest) == ("exceeded", None)


def test_few_documents_promise_nothing():
    near = drawn((0.04,), 6, 1)
    assert loss_budget(curve_of(near, (0.1,), 6), 0.05).kind == "undecided"
    assert loss_budget(curve_of(near, (0.1,), 1), 0.05).kind == "few"
    nothing = curve_of(near, (0.1,), 6)
    nothing = NoiseCurve(nothing.noise, 0 * nothing.quality, nothing.floor, nothing.clusters)
    assert loss_budget(nothing, 0.05).kind == "few"


def test_the_bound_is_that_of_a_further_mean():
    """Of documents with one question and equal clean scores, it is the mean's prediction bound."""
    losses = np.random.default_rng(3).normal(0.03, 0.05, (1, 20))
    [promise] = promises(*curves(losses))
    spread = losses.std(ddof=1) * math.sqrt(2 / 20)
    assert promise.loss == pytest.approx(losses.mean())
    assert promise.bound == pytest.approx(losses.mean() + 1.7291328 * spread)


def curves(losses: np.ndarray) -> tuple[np.ndarray, np.ndarray, Clusters]:
    curve = curve_of(losses, (0.1,), losses.shape[1])
    return curve.noise, curve.quality, curve.clusters


@given(st.integers(0, 50), st.floats(0.01, 0.2), st.floats(0.01, 0.2))
def test_a_larger_loss_allows_no_less_noise(seed, first, second):
    curve = curve_of(drawn((0.01, 0.03, 0.08), 12, seed), (0.1, 0.2, 0.3), 12)
    noises = [
        each.largest.noise if (each := loss_budget(curve, lose)).largest else 0.0
        for lose in sorted((first, second))
    ]
    assert noises == sorted(noises)


def test_promises_hold_on_further_documents():
    """Of 400 studies with a loss near the promise, at least as many as promised keep it."""
    said = held = 0
    for seed in range(400):
        both = drawn((0.03,), 60, seed, spread=0.06)
        is_first = np.arange(both.shape[1]) % 60 < 30
        mine = both[:, is_first]
        labels = (np.arange(both.shape[1]) % 60)[is_first]
        curve = NoiseCurve(
            np.repeat([[0.0], [0.1]], mine.shape[1], axis=1),
            np.vstack([np.ones(mine.shape[1]), 1 - mine]),
            np.zeros(mine.shape[1]),
            Clusters.from_labels(labels, labels),
        )
        if loss_budget(curve, 0.05).largest is not None:
            said += 1
            held += bool(both[:, ~is_first].mean() <= 0.05)
    assert said > 50
    assert held / said >= SURE - 0.02


def test_halves_check_each_other():
    curve = curve_of(drawn((0.01, 0.2), 40, 0), (0.1, 0.3), 40)
    coverage = budget_coverage(curve, 0.05, draws=50)
    assert (coverage.draws, coverage.budgets, coverage.held) == (50, 50, 50)
    assert budget_coverage(curve, 0.05, draws=50) == coverage
    assert budget_coverage(curve_of(drawn((0.01,), 5, 0), (0.1,), 5), 0.05).budgets == 0
