"""Selective answering: which answers a score of trust lets through, and how many are wrong.

All functions take scores ``(n,)`` (higher: surer), ``is_wrong`` ``(n,)`` and, where they have an
interval, weights of resamples ``(resamples, n)``. Equal scores are let through together.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ohr.statistics.clusters import Clusters
from ohr.statistics.intervals import NO_INTERVAL, Interval, percentile_interval

RESAMPLES = 400
BINS = 10
_STEPS = 50
_RIDGE = 1.0


@dataclass(frozen=True)
class Estimate:
    """A statistic and its 95 % interval over clusters."""

    value: float
    interval: Interval


class Ordered:
    """Answers from the surest to the least sure, for statistics under any weights."""

    def __init__(self, scores: np.ndarray, is_wrong: np.ndarray) -> None:
        self.order = np.argsort(-scores, kind="stable")
        sorted_scores = scores[self.order]
        is_end = np.append(sorted_scores[1:] != sorted_scores[:-1], True)
        self.ends = np.flatnonzero(is_end)
        """Place of the last answer of each distinct score."""
        self.tie = np.cumsum(np.append(False, is_end[:-1]))
        self.is_wrong = is_wrong[self.order].astype(float)

    def totals(self, weights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Weight of answers, and of wrong ones, down to each distinct score: ``(ties,)`` each."""
        mine = weights[self.order]
        return np.cumsum(mine)[self.ends], np.cumsum(mine * self.is_wrong)[self.ends]

    def aurc(self, weights: np.ndarray) -> float:
        """Area under the risk–coverage curve, in [0, 1]: the mean risk over all coverages."""
        answered, wrong = self.totals(weights)
        if answered[-1] <= 0:
            return math.nan
        risks = wrong / np.maximum(answered, 1e-12)
        return float((np.diff(answered, prepend=0.0) * risks).sum() / answered[-1])

    def excess(self, weights: np.ndarray) -> float:
        """:meth:`aurc` less that of an order that knows which answers are wrong."""
        _, wrong = self.totals(weights)
        return self.aurc(weights) - oracle_aurc(wrong[-1] / weights.sum())

    def coverage(self, weights: np.ndarray, risk: float) -> float:
        """The largest share of answers of which at most a share ``risk`` is wrong; 0 if none."""
        answered, wrong = self.totals(weights)
        fits = (wrong <= risk * answered) & (answered > 0)
        return float(answered[fits].max(initial=0.0) / answered[-1])

    def share_found(self, weights: np.ndarray, share: float) -> float:
        """The share of the wrong answers among the ``share`` least sure; NaN if none is wrong."""
        answered, wrong = self.totals(weights)
        if wrong[-1] <= 0:
            return math.nan
        above = np.interp(
            (1 - share) * answered[-1], np.append(0.0, answered), np.append(0.0, wrong)
        )
        return float(1 - above / wrong[-1])

    def auroc(self, weights: np.ndarray) -> float:
        """The chance that a wrong answer is less sure than another one; ties count half."""
        answered, wrong = self.totals(weights)
        right = answered - wrong
        if wrong[-1] <= 0 or right[-1] <= 0:
            return math.nan
        new_wrong, new_right = np.diff(wrong, prepend=0.0), np.diff(right, prepend=0.0)
        surer = right - 0.5 * new_right
        return float((new_wrong * surer).sum() / (wrong[-1] * right[-1]))


def oracle_aurc(risk: float) -> float:
    """The area of the order that lets all right answers through first, of ``risk`` wrong ones."""
    return risk + (1 - risk) * math.log1p(-risk) if risk < 1 else 1.0


def calibration_error(confidences: np.ndarray, is_right: np.ndarray, weights: np.ndarray) -> float:
    """The expected calibration error: mean gap of confidence and share of right ones by bin.

    :data:`BINS` bins with equal numbers of answers.
    """
    gaps = 0.0
    for members in bins(confidences):
        w = weights[members]
        if w.sum() > 0:
            gaps += abs(float((w * (confidences[members] - is_right[members])).sum()))
    return gaps / float(weights.sum())


def bins(values: np.ndarray) -> list[np.ndarray]:
    """Places of the values, from the lowest on, in at most :data:`BINS` equal parts."""
    parts = np.array_split(np.argsort(values, kind="stable"), BINS)
    return [part for part in parts if len(part)]


def estimate(
    statistic: Callable[[np.ndarray], float], clusters: Clusters, seed: int = 0
) -> Estimate:
    """A statistic of weights ``(n,)``, with the percentile interval over resampled clusters."""
    value = statistic(np.ones(len(clusters.index)))
    if not clusters.unit or math.isnan(value):
        return Estimate(value, NO_INTERVAL)
    counts = clusters.resampled_counts(RESAMPLES, seed)
    draws = np.array([statistic(row[clusters.index].astype(float)) for row in counts])
    return Estimate(value, percentile_interval(draws, clusters))


def promised_threshold(
    scores: np.ndarray, is_wrong: np.ndarray, clusters: Clusters, risk: float
) -> float:
    """The lowest threshold at which a further cluster is promised at most ``risk`` wrong answers.

    Conformal risk control with clusters as the exchangeable units: a cluster's loss is the number
    of its wrong answers less ``risk`` times that of all its answers that are let through; it is at
    most ``1 - risk`` times the most answers of a cluster, which is added for the further cluster
    before the mean is compared with 0. The loss does not fall with the threshold, so every higher
    threshold must hold too, but for those that let too few answers through for the correction. The
    promise is about wrong answers among those let through, in expectation. Infinite if no threshold
    holds. Source: Angelopoulos et al., Conformal risk control, 2024.
    """
    order = Ordered(scores, is_wrong)
    answered, wrong = order.totals(np.ones(len(scores)))
    most = (1 - risk) * float(clusters.counts().max(initial=0.0))
    holds = wrong - risk * answered + most <= 0
    if not holds.any():
        return math.inf
    first = int(np.argmax(holds))
    broken = np.flatnonzero(~holds[first:])
    last = first + (int(broken[0]) if len(broken) else len(holds) - first) - 1
    return float(scores[order.order][order.ends[last]])


def fold_of_clusters(clusters: Clusters, folds: int, seed: int = 0) -> np.ndarray:
    """The fold of each value ``(n,)``: clusters are dealt out at random."""
    rng = np.random.default_rng([seed, clusters.size, folds])
    places = rng.permutation(clusters.size) % folds
    return np.asarray(places[clusters.index])


def logistic(features: np.ndarray, targets: np.ndarray) -> Callable[[np.ndarray], np.ndarray]:
    """A logistic regression with a small ridge: a function from features to chances.

    ``features`` are ``(n, k)``; NaN stands for a value that is missing, which has a weight of its
    own. ``targets`` are 0 or 1, ``(n,)``.
    """
    is_missing = np.isnan(features)
    filled = np.where(is_missing, 0.0, features)
    counts = np.maximum((~is_missing).sum(axis=0), 1)
    middle = filled.sum(axis=0) / counts
    spread = np.sqrt((np.where(is_missing, 0.0, filled - middle) ** 2).sum(axis=0) / counts)
    spread[spread == 0] = 1.0

    def design(values: np.ndarray) -> np.ndarray:
        gone = np.isnan(values)
        scaled = np.where(gone, 0.0, (np.where(gone, 0.0, values) - middle) / spread)
        return np.column_stack([np.ones(len(values)), scaled, gone])

    x = design(features)
    weights, ridge = np.zeros(x.shape[1]), np.full(x.shape[1], _RIDGE)
    ridge[0] = 1e-6
    for _ in range(_STEPS):
        chances = _sigmoid(x @ weights)
        slope = x.T @ (targets - chances) - ridge * weights
        curve = (x * (chances * (1 - chances))[:, None]).T @ x + np.diag(ridge)
        step = np.linalg.solve(curve, slope)
        weights = weights + step
        if np.abs(step).max() < 1e-8:
            break
    return lambda values: _sigmoid(design(values) @ weights)


def _sigmoid(values: np.ndarray) -> np.ndarray:
    return np.asarray(1 / (1 + np.exp(-np.clip(values, -30, 30))))


def cross_fitted(
    features: np.ndarray, targets: np.ndarray, folds: np.ndarray, chosen: np.ndarray | None = None
) -> np.ndarray:
    """Chances ``(n,)``, each by a :func:`logistic` fitted on the other folds.

    ``chosen`` ``(n,)``: the values that are fitted on; all by default.
    """
    fits = np.ones(len(targets), bool) if chosen is None else chosen
    chances = np.empty(len(targets))
    for fold in np.unique(folds):
        mine = folds == fold
        fitted = logistic(features[fits & ~mine], targets[fits & ~mine].astype(float))
        chances[mine] = fitted(features[mine])
    return chances
