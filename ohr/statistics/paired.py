"""Two conditions on the same questions: difference, interval, test and effect sizes."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from ohr.statistics.clusters import Clusters
from ohr.statistics.intervals import NO_INTERVAL, Interval, mean_interval, student_t

FLIPS = 9999
"""Random sign patterns, so that the smallest p-value is 1 in 10,000."""
_ENUMERATED = 13
"""Up to this many clusters all sign patterns are tried (8,192)."""
_BLOCK = 1024
ALPHA = 0.05
POWER = 0.8
FEWEST_TO_SHOW = 6
"""With fewer clusters, the p of a sign-flip test is never at most :data:`ALPHA`."""


@dataclass(frozen=True)
class PairedComparison:
    """The difference of one condition minus another, over ``n`` shared questions.

    ``p`` is the two-sided p of the cluster sign-flip test; NaN with fewer than three clusters, and
    never .05 or less with five or fewer. Effect sizes: :func:`cohens_dz`, :func:`cliffs_delta`.
    """

    difference: float
    interval: Interval
    p: float
    cohens_dz: float
    cliffs_delta: float
    n: int
    standard_error: float = float("nan")
    """Standard error of the difference, over ``n_clusters`` clusters; NaN without an interval."""
    n_clusters: int = 0
    degrees: float = float("nan")
    """Degrees of freedom of the standard error; NaN without an interval."""

    def interval_of(self, tests: int) -> Interval:
        """The interval of the difference as one of several, which hold at 95 % together.

        Student's at Bonferroni's level; no interval without clusters. Source: Dunn, Multiple
        comparisons among means, 1961.
        """
        if np.isnan(self.standard_error):
            return NO_INTERVAL
        half = student_t(self.degrees, tests) * self.standard_error
        return Interval(self.difference - half, self.difference + half, self.interval.unit)


def compare_paired(
    differences: np.ndarray, clusters: Clusters, *, seed: int = 0
) -> PairedComparison:
    """Compare two conditions by their paired differences, float ``(n,)``, n >= 1, in clusters."""
    difference = float(differences.mean())
    interval = mean_interval(differences, clusters, bounded=False)
    degrees = clusters.degrees_of_freedom() if clusters.unit else float("nan")
    return PairedComparison(
        difference,
        interval,
        sign_flip_test(differences, clusters, seed=seed) if clusters.unit else float("nan"),
        cohens_dz(differences),
        cliffs_delta(differences),
        len(differences),
        (interval.high - interval.low) / 2 / student_t(degrees) if clusters.unit else float("nan"),
        clusters.size,
        degrees,
    )


def further_clusters(comparison: PairedComparison, tests: int = 1) -> float:
    """How many more such clusters would detect a true difference of this size with 80 % power.

    For two-sided tests at .05 with Bonferroni's correction for ``tests`` of them; 0 if there are
    enough. A standard error shrinks with the square root of the number of clusters. Infinite for a
    difference of 0, NaN without an interval. Source: Cohen, Statistical Power Analysis, 2nd
    edition, 2.4, here by the normal approximation and with clusters instead of subjects.
    """
    if np.isnan(comparison.standard_error):
        return float("nan")
    if comparison.difference == 0:
        return float("inf")
    from scipy.special import ndtri

    level = ALPHA / max(1, tests)
    ratio = comparison.standard_error / comparison.difference
    needed = comparison.n_clusters * ((ndtri(1 - level / 2) + ndtri(POWER)) * ratio) ** 2
    fewest = 1 + np.ceil(np.log2(1 / level))  # of fewer signs, no p is at most the level
    return max(0.0, float(max(np.ceil(needed), fewest)) - comparison.n_clusters)


def sign_flip_test(
    differences: np.ndarray, clusters: Clusters, *, flips: int = FLIPS, seed: int = 0
) -> float:
    """Two-sided p-value of a mean paired difference of zero, by flipping whole clusters' signs.

    If neither condition is better, a cluster's differences are equally likely with the other sign.
    p is the share of sign patterns whose absolute sum is at least the observed one: over all
    patterns for few clusters, otherwise ``(1 + b) / (1 + flips)`` with b of ``flips`` random ones.
    NaN if a difference is NaN. If the means are equal but the differences skewed, for example
    because a few documents lose much, p is too small too often (``docs/reference/intervals.md``).
    Sources: Fisher, The Design of Experiments, 1935, 21; Canay, Romano and Shaikh,
    Randomization tests under an approximate symmetry assumption, 2017 (clusters); Phipson and
    Smyth, Permutation p-values should never be zero, 2010.
    """
    sums = clusters.sums(differences)
    observed = abs(sums.sum())
    if np.isnan(observed):
        return float("nan")
    # Sums of the same terms in another order differ in the last digits.
    least = observed - 1e-9 * np.abs(sums).sum()
    patterns = sign_patterns(clusters.size, flips, seed)
    hits = sum(int((np.abs(signs @ sums) >= least).sum()) for signs in patterns)
    return hits / sum(map(len, patterns))


@lru_cache(maxsize=4)
def sign_patterns(size: int, flips: int, seed: int) -> list[np.ndarray]:
    """Signs in blocks of int8 ``(rows, size)``: all patterns for few clusters, else random ones.

    The pattern without a flip comes first, before ``flips`` random ones.
    """
    if size <= _ENUMERATED:
        signs = 1 - 2 * (np.arange(2**size)[:, None] >> np.arange(size) & 1).astype(np.int8)
        return [signs]
    rng = np.random.default_rng([seed, size, flips])
    drawn = rng.integers(0, 2, size=(flips, size), dtype=np.int8) * 2 - 1
    blocks = [drawn[start : start + _BLOCK] for start in range(0, flips, _BLOCK)]
    return [np.ones((1, size), dtype=np.int8), *blocks]


def cohens_dz(differences: np.ndarray) -> float:
    """Cohen's d of paired differences: their mean over their standard deviation (n - 1).

    0 if every difference is 0, NaN if it is undefined (n = 1, or all equal and not 0).
    Source: Cohen, Statistical Power Analysis, 2nd edition, 2.3.5; named d_z by Lakens, 2013.
    """
    if not differences.any():
        return 0.0
    deviation = float(differences.std(ddof=1)) if len(differences) > 1 else 0.0
    rounding = 1e-12 * float(np.abs(differences).max())  # equal values can differ by so much
    return float(differences.mean()) / deviation if deviation > rounding else float("nan")


def cliffs_delta(differences: np.ndarray) -> float:
    """Cliff's delta of paired values: the share that got better minus the share that got worse.

    In [-1, 1]. Unlike d_z it does not depend on how the scores are spaced. Source: Cliff,
    Dominance statistics, 1993 (his within-pairs d_w).
    """
    return float((differences > 0).mean() - (differences < 0).mean())
