"""Compares two independent samples: Levene's test, the t-test that follows, and Cohen's d."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np

ALPHA = 0.05
_ROUNDING = 1e-12
"""Relative rounding error of a mean of equal values."""


@dataclass(frozen=True)
class TwoSamples:
    """The second sample's mean minus the first's, with a two-tailed t-test.

    ``levene_p`` decides between Student's and Welch's test. The test is ``none``, and p and d are
    NaN, if both samples are constant, or one has fewer than two values.
    """

    difference: float
    test: Literal["student", "welch", "none"]
    levene_p: float
    p: float
    cohens_d: float
    low: float = math.nan
    """``low`` and ``high``: the test's 95 % interval of the difference; NaN without a test."""
    high: float = math.nan

    @property
    def is_significant(self) -> bool:
        """Whether p is below .05."""
        return self.p < ALPHA


def compare_samples(first: np.ndarray, second: np.ndarray) -> TwoSamples:
    """Compare two samples, float ``(n,)`` each.

    Levene's test around the median (Brown and Forsythe 1974), then Student's t-test if variances
    may be equal, otherwise Welch's; two-tailed, at .05. Cohen's d divides by the pooled standard
    deviation. Source of the procedure: Noe, Breier and Nuredini, "Experimental procedure".
    """
    from scipy import stats  # half a second: only where it is needed

    rounding = _ROUNDING * max(float(np.abs(s).max(initial=0)) for s in (first, second))
    difference = float(second.mean() - first.mean())
    difference = 0.0 if abs(difference) <= rounding else difference
    pooled = _pooled_variance(first, second)
    if not pooled > rounding**2:
        return TwoSamples(difference, "none", math.nan, math.nan, math.nan)
    with np.errstate(invalid="ignore"):  # if all values are equally far from their medians
        levene_p = float(stats.levene(first, second).pvalue)
    equal = not levene_p < ALPHA
    tested = stats.ttest_ind(second, first, equal_var=equal)
    ends = tested.confidence_interval(1 - ALPHA)
    test: Literal["student", "welch"] = "student" if equal else "welch"
    d = difference / math.sqrt(pooled)
    p, low, high = float(tested.pvalue), float(ends.low), float(ends.high)
    return TwoSamples(difference, test, levene_p, p, d, low, high)


def _pooled_variance(first: np.ndarray, second: np.ndarray) -> float:
    """The pooled variance of both samples (n - 1); NaN if one has fewer than two values."""
    n, m = len(first), len(second)
    if min(n, m) < 2:
        return math.nan
    return float(((n - 1) * first.var(ddof=1) + (m - 1) * second.var(ddof=1)) / (n + m - 2))
