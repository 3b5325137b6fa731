"""A share that a fallible judge gave, corrected by a sample that was also checked.

``judged`` are the judge's verdicts on all ``n`` answers, 0 or 1; ``checked`` is a person's verdict
on those of a random sample, and NaN elsewhere. Sources: Rogan and Gladen, Estimating prevalence
from the results of a screening test, 1978; Angelopoulos et al., Prediction-powered inference, 2023.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ohr.statistics.agreement import cohens_kappa
from ohr.statistics.clusters import Clusters
from ohr.statistics.intervals import NO_INTERVAL, Interval, jackknife_interval

Statistic = Callable[[np.ndarray], float]


@dataclass(frozen=True, slots=True)
class Estimated:
    """A value with its interval over documents; NaN and no interval where it is not defined."""

    value: float
    interval: Interval


def estimated(statistic: Statistic, clusters: Clusters, low: float = 0.0) -> Estimated:
    """A statistic of the answers with a mask ``(n,)``, within ``low`` and 1, and its interval.

    The interval is the jackknife's, with one cluster left out at a time.
    """
    everything = np.ones(len(clusters.index), bool)
    value = statistic(everything)
    if not np.isfinite(value):
        return Estimated(float("nan"), NO_INTERVAL)
    without = np.array([statistic(clusters.index != left) for left in range(clusters.size)])
    interval = jackknife_interval(value, without, clusters)
    if interval.unit:
        first, last = (float(np.clip(end, low, 1)) for end in (interval.low, interval.high))
        interval = Interval(first, last, interval.unit)
    return Estimated(float(np.clip(value, low, 1)), interval)


def error_rates(judged: np.ndarray, checked: np.ndarray) -> tuple[float, float]:
    """Sensitivity and specificity of the judge on the sample; NaN where the sample has no such
    answer.
    """
    right, wrong = judged[checked == 1], judged[checked == 0]
    sensitivity = float(right.mean()) if len(right) else float("nan")
    return sensitivity, float(1 - wrong.mean()) if len(wrong) else float("nan")


def powered_difference(judged: np.ndarray, checked: np.ndarray) -> Statistic:
    """The judge's mean over all answers, and what the person's verdicts add to it on the sample.

    It needs no assumption about the judge, but a sample that was drawn at random among these
    answers.
    """
    sampled = np.isfinite(checked)

    def statistic(mask: np.ndarray) -> float:
        both = mask & sampled
        if not both.any():
            return float("nan")
        return float(judged[mask].mean() + (checked[both] - judged[both]).mean())

    return statistic


def rogan_gladen(judged: np.ndarray, checked: np.ndarray, of: np.ndarray) -> Statistic:
    """The share right among the answers ``of`` (a mask) with the error rates of the whole sample.

    It assumes that the judge errs alike in all conditions; NaN for a judge that is no better than
    chance.
    """

    def statistic(mask: np.ndarray) -> float:
        sensitivity, specificity = error_rates(judged[mask], checked[mask])
        better = sensitivity + specificity - 1
        part = mask & of
        if not part.any() or not better > 0:  # NaN too
            return float("nan")
        return float((judged[part].mean() + specificity - 1) / better)

    return statistic


def kappa_of(first: np.ndarray, second: np.ndarray) -> Statistic:
    """Cohen's kappa of two raters where both gave a verdict (the others have NaN)."""
    both = np.isfinite(first) & np.isfinite(second)

    def statistic(mask: np.ndarray) -> float:
        part = mask & both
        return cohens_kappa(first[part].tolist(), second[part].tolist())

    return statistic
