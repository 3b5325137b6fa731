"""95 % intervals for means, and for statistics of means, over clustered units.

The choice of method, and how often each covers the truth on real scores of few and many documents:
``docs/reference/intervals-checked.md``, made by ``python -m benchmarks.coverage``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from ohr.statistics.clusters import Clusters

LEVEL = 0.95
_ROUNDING = 1e-12
"""A standard error of scores below this is rounding: all clusters have the same mean."""


@dataclass(frozen=True, slots=True)
class Interval:
    """A 95 % interval and the unit of its clusters; NaN and ``""`` if there is none."""

    low: float
    high: float
    unit: str

    @property
    def bound(self) -> float:
        """The largest absolute value in the interval: larger differences are excluded. NaN if
        there is no interval."""
        return max(abs(self.low), abs(self.high))


NO_INTERVAL = Interval(float("nan"), float("nan"), "")


def mean_interval(values: np.ndarray, clusters: Clusters, *, bounded: bool) -> Interval:
    """The interval of a mean of values ``(n,)`` in clusters; none for fewer than three clusters.

    The standard error is the jackknife's over clusters, with Bell and McCaffrey's degrees of
    freedom. ``bounded``: values are in [0, 1], as scores are and differences are not. The interval
    is then Wilson's, for the number of independent values that gives this standard error. So it
    stays in [0, 1], and has a width even if all clusters have the same mean, such as 0 or 1 (the
    number is then that of the clusters). Otherwise the interval is Student's. Sources: Efron and
    Stein, The jackknife estimate of variance, 1981; Wilson, Probable inference, 1927, with
    effective numbers after Korn and Graubard, Confidence intervals for proportions with small
    expected number of positive counts estimated from survey data, 1998.
    """
    if not clusters.unit:
        return NO_INTERVAL
    mean = float(values.mean())
    error = jackknife_error(mean, clusters.means_without(values))
    t = student_t(clusters.degrees_of_freedom())
    if not bounded:
        return Interval(mean - t * error, mean + t * error, clusters.unit)
    spread = mean * (1 - mean)
    effective = spread / error**2 if spread > 0 and error > _ROUNDING else float(clusters.size)
    middle = (mean + t**2 / (2 * effective)) / (1 + t**2 / effective)
    half = t * np.sqrt(spread / effective + t**2 / (4 * effective**2)) / (1 + t**2 / effective)
    # Rounding must not push an end past the mean, nor past 0 or 1.
    low, high = max(0.0, min(middle - half, mean)), min(1.0, max(middle + half, mean))
    return Interval(float(low), float(high), clusters.unit)


def jackknife_error(estimate: float, without: np.ndarray) -> float:
    """Standard error from the estimates with each cluster left out, ``(size,)``."""
    size = len(without)
    return float(np.sqrt((size - 1) / size * ((without - estimate) ** 2).sum()))


def jackknife_interval(estimate: float, without: np.ndarray, clusters: Clusters) -> Interval:
    """Student's interval of a statistic from its values with one cluster left out, ``(size,)``.

    No interval for fewer than three clusters, or if a value is not finite.
    """
    if not clusters.unit or not np.isfinite([estimate, *without]).all():
        return NO_INTERVAL
    half = student_t(clusters.degrees_of_freedom()) * jackknife_error(estimate, without)
    return Interval(estimate - half, estimate + half, clusters.unit)


def percentile_interval(draws: np.ndarray, clusters: Clusters) -> Interval:
    """The percentile interval of bootstrap draws ``(resamples,)`` over clusters.

    The percentiles are further out for few clusters, like Student's t (Hesterberg, What teachers
    should know about the bootstrap, 2015, 'expanded percentile'). Draws may be infinite (a point
    that is never reached). NaN draws, for which the statistic is undefined, are left out; there is
    no interval if they are more than one in twenty, or for fewer than three clusters.
    """
    is_known = draws[~np.isnan(draws)]
    if not clusters.unit or len(is_known) < LEVEL * len(draws):
        return NO_INTERVAL
    from scipy.special import ndtr

    n = clusters.size
    tail = float(ndtr(-np.sqrt(n / (n - 1)) * student_t(n - 1)))
    # Between a number and infinity there is nothing to interpolate.
    method: Literal["linear", "inverted_cdf"] = (
        "linear" if np.isfinite(is_known).all() else "inverted_cdf"
    )
    low, high = np.quantile(is_known, [tail, 1 - tail], method=method)
    return Interval(float(low), float(high), clusters.unit)


def student_t(degrees: float, tests: int = 1) -> float:
    """The 97.5th percentile of Student's t; for several ``tests`` further out, after Bonferroni."""
    from scipy.special import stdtrit  # a tenth of a second: only where it is needed

    if tests == 1:
        return float(stdtrit(degrees, (1 + LEVEL) / 2))
    return float(stdtrit(degrees, 1 - (1 - LEVEL) / 2 / tests))


def clustered_standard_error(values: np.ndarray, clusters: np.ndarray) -> float:
    """Standard error of a mean whose values come in clusters (linearised, as for a ratio).

    ``values`` are float ``(n,)``, ``clusters`` labels ``(n,)``; NaN for fewer than two clusters.
    Source: Cochran, Sampling Techniques, 3rd edition, 6.5.
    """
    _, index = np.unique(clusters, return_inverse=True)
    n_clusters = int(index.max()) + 1 if len(values) else 0
    if n_clusters < 2:
        return float("nan")
    sums = np.bincount(index, weights=values - values.mean())
    return float(np.sqrt((sums**2).sum() * n_clusters / (n_clusters - 1)) / len(values))
