"""The power of a planned study: as often as real studies of such documents show the loss."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from ohr.statistics import Clusters, Paired, infer
from ohr.statistics.power import (
    FEWEST,
    MOST,
    PilotCurves,
    documents_needed,
    power,
    smallest_difference,
)

QUESTIONS = 2
MEAN_CHANGE = 0.0701
"""Of the last level's differences, in absolute size, without a loss."""
LEVELS = 3


def losses(rng: np.random.Generator, documents: int, loss: float = 0.0) -> np.ndarray:
    """Differences ``(documents, levels)`` whose documents vary, skewed, more at higher levels."""
    common = rng.exponential(1.0, (documents, 1)) - 1.0
    own = rng.normal(0.0, 0.6, (documents, LEVELS))
    steps = np.arange(1, LEVELS + 1) / LEVELS
    return 0.08 * (common + own) * steps - loss * steps


def pilot_from(differences: np.ndarray) -> PilotCurves:
    documents, levels = differences.shape
    steps = np.arange(1, levels + 1) / levels
    x = np.array([0.0, *steps])
    weights = ((x - x.mean()) / ((x - x.mean()) ** 2).sum())[1:]
    sums = QUESTIONS * differences
    return PilotCurves(
        sums,
        (sums @ weights)[:, None],
        np.full(documents, float(QUESTIONS)),
        steps,
        np.array([float(weights @ steps)]),
    )


def shown_in_a_study(rng: np.random.Generator, documents: int, loss: float, seed: int) -> bool:
    """Whether a study of other documents shows the last level: tested as ``conclude`` does."""
    steps = np.arange(1, LEVELS + 1) / LEVELS
    uneven = np.abs(losses(rng, documents)[:, -1:])
    drawn = losses(rng, documents) - loss * (uneven / MEAN_CHANGE) * steps
    clusters = Clusters.from_labels(np.arange(documents), np.arange(documents))
    levels = infer([Paired(drawn[:, level], clusters) for level in range(LEVELS)], flips=999,
                   seed=seed)  # fmt: skip
    pilot = pilot_from(drawn)
    (trend,) = infer([Paired(pilot.trends[:, 0], clusters)], flips=999, seed=seed, largest=math.inf)
    return levels[-1].is_shown and trend.is_shown


@pytest.mark.slow
@pytest.mark.parametrize(("documents", "loss"), [(30, 0.05), (60, 0.03)])
def test_the_predicted_power_is_that_of_200_simulated_studies(documents, loss):
    rng = np.random.default_rng(5)
    pilot = pilot_from(losses(rng, 3000))
    predicted = power(pilot, documents, loss, studies=1000)
    shown = np.mean([shown_in_a_study(rng, documents, loss, seed) for seed in range(200)])
    assert predicted == pytest.approx(shown, abs=0.07)  # 0.05, and the chance of 200 studies


def test_power_rises_with_documents_and_with_the_loss():
    pilot = pilot_from(losses(np.random.default_rng(1), 300))
    of_documents = [power(pilot, documents, 0.05, studies=100) for documents in (8, 20, 60)]
    of_losses = [power(pilot, 20, loss, studies=100) for loss in (0.01, 0.04, 0.1)]
    assert of_documents == sorted(of_documents)
    assert of_losses == sorted(of_losses)
    assert power(pilot, 40, 0.0, studies=200) <= 0.08


def test_the_smallest_difference_needs_the_documents_that_show_it():
    pilot = pilot_from(losses(np.random.default_rng(2), 300))
    difference = smallest_difference(pilot, 40)
    assert difference is not None
    assert documents_needed(pilot, difference) == pytest.approx(40, abs=8)
    assert power(pilot, 40, difference) == pytest.approx(0.8, abs=0.06)


def test_where_few_documents_change_a_loss_falls_on_few():
    """If all documents lost alike, six of them would show any loss."""
    rng = np.random.default_rng(3)
    sparse = np.where(rng.random((300, 1)) < 0.1, losses(rng, 300), 0.0)
    assert power(pilot_from(sparse), 8, 0.05, studies=200) < 0.6


def test_a_single_level_has_no_trend():
    pilot = pilot_from(losses(np.random.default_rng(6), 100)[:, -1:])
    alone = replace(pilot, trends=np.zeros((100, 0)), trend_shifts=np.zeros(0))
    assert power(alone, 40, 0.05, studies=100) > 0.5


def test_too_few_documents_show_nothing_and_a_tiny_loss_needs_more_than_are_tried():
    pilot = pilot_from(losses(np.random.default_rng(4), 100))
    assert smallest_difference(pilot, FEWEST - 1) is None
    assert documents_needed(pilot, 1e-4) is None
    assert MOST == 5000
