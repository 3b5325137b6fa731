"""Two independent samples: equal variances or not, the t-test that follows, and Cohen's d."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np

ALPHA = 0.05
_ROUNDING = 1e-12
"""The mean of equal values can differ from them by so much of the largest."""


@dataclass(frozen=True)
class TwoSamples:
    """The second sample's mean less the first's, and what a two-tailed t-test says of it.

    ``levene_p`` decides between Student's and Welch's test. ``none``: both samples are constant,
    or one has fewer than two values, and there is nothing to test: p and d are NaN.
    """

    difference: float
    test: Literal["student", "welch", "none"]
    levene_p: float
    p: float
    cohens_d: float
    low: float = math.nan
    """Ends of the 95 % interval of the difference that belongs to the test; NaN without one."""
    high: float = math.nan

    @property
    def is_significant(self) -> bool:
        """Whether p is below .05."""
        return self.p < ALPHA


def compare_samples(first: np.ndarray, second: np.ndarray) -> TwoSamples:
    """Levene's test around the median (Brown and Forsythe 1974), then Student's t-test where
    variances may be equal, or Welch's; two-tailed, at .05. Samples are float ``(n,)``.

    Cohen's d divides by the pooled standard deviation. Source of the procedure: Noe, Breier and
    Nuredini, "Experimental procedure".
    """
    from scipy import stats  # half a second: only where it is needed

    rounding = _ROUNDING * max(float(np.abs(one).max(initial=0)) for one in (first, second))
    difference = float(second.mean() - first.mean())
    difference = 0.0 if abs(difference) <= rounding else difference
    pooled = _pooled_variance(first, second)
    if not pooled > rounding**2:
        return TwoSamples(difference, "none", math.nan, math.nan, math.nan)
    with np.errstate(invalid="ignore"):  # of samples that lie equally far from their medians
        levene_p = float(stats.levene(first, second).pvalue)
    equal = not levene_p < ALPHA
    tested = stats.ttest_ind(second, first, equal_var=equal)
    ends = tested.confidence_interval(1 - ALPHA)
    test: Literal["student", "welch"] = "student" if equal else "welch"
    d = difference / math.sqrt(pooled)
    p, low, high = float(tested.pvalue), float(ends.low), float(ends.high)
    return TwoSamples(difference, test, levene_p, p, d, low, high)


def _pooled_variance(first: np.ndarray, second: np.ndarray) -> float:
    """Of both samples (n - 1); NaN where one has fewer than two values."""
    n, m = len(first), len(second)
    if min(n, m) < 2:
        return math.nan
    return float(((n - 1) * first.var(ddof=1) + (m - 1) * second.var(ddof=1)) / (n + m - 2))
