"""The interval of a ratio of two means over the same clustered units."""

from __future__ import annotations

import numpy as np

from ohr.statistics.clusters import Clusters
from ohr.statistics.intervals import NO_INTERVAL, Interval, student_t


def ratio_interval(numerator: np.ndarray, denominator: np.ndarray, clusters: Clusters) -> Interval:
    """Fieller's 95 % interval of mean(numerator) / mean(denominator), both float ``(n,)``.

    It holds every ratio r for which Student's interval of the mean of numerator - r * denominator
    contains 0, with the jackknife's errors over clusters and Bell and McCaffrey's degrees of
    freedom. If the denominator's own interval contains 0, no finite interval can hold the ratio in
    95 % of studies: the ends are then infinite. No interval for fewer than three clusters. Source:
    Fieller, Some problems in interval estimation, 1954.
    """
    if not clusters.unit:
        return NO_INTERVAL
    both = np.array([numerator, denominator], float)
    above, below = both.mean(axis=1)
    deviations = clusters.means_without(both) - [above, below]
    (var_above, covariance), (_, var_below) = (
        (clusters.size - 1) / clusters.size * (deviations.T @ deviations)
    )
    t = student_t(clusters.degrees_of_freedom()) ** 2
    square = below**2 - t * var_below
    if square <= 0:
        return Interval(float("-inf"), float("inf"), clusters.unit)
    middle = (above * below - t * covariance) / square
    product = (above**2 - t * var_above) / square
    half = np.sqrt(max(middle**2 - product, 0.0))
    return Interval(float(middle - half), float(middle + half), clusters.unit)
