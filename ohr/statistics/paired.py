"""Two conditions on the same questions: difference, interval, test and effect sizes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ohr.statistics.clusters import Clusters
from ohr.statistics.flips import FLIPS, sign_patterns
from ohr.statistics.inference import ALPHA, LARGEST, Paired, infer
from ohr.statistics.intervals import NO_INTERVAL, Interval, jackknife_error

POWER = 0.8
FEWEST_TO_SHOW = 6
"""With fewer clusters, the p of a sign-flip test is never at most :data:`ALPHA`."""


@dataclass(frozen=True)
class PairedComparison:
    """The difference of one condition minus another, over ``n`` shared questions.

    ``p`` is the two-sided p of the comparison alone, ``p_adjusted`` that in its family of
    ``tests`` comparisons (:func:`ohr.statistics.infer`); the interval belongs to ``p_adjusted``.
    NaN with fewer than three clusters; never .05 or less with five or fewer. Effect sizes:
    :func:`cohens_dz`, :func:`cliffs_delta`.
    """

    difference: float
    interval: Interval
    p: float
    p_adjusted: float
    tests: int
    cohens_dz: float
    cliffs_delta: float
    n: int
    standard_error: float = float("nan")
    """Standard error of the difference, over ``n_clusters`` clusters; NaN without an interval."""
    n_clusters: int = 0
    n_changed: int = 0
    """Questions whose scores differ."""

    @property
    def is_equal(self) -> bool:
        """Whether both conditions have the same score on every question."""
        return self.n > 0 and self.n_changed == 0

    @property
    def is_shown(self) -> bool:
        """Whether the difference is significant in its family."""
        return self.p_adjusted <= ALPHA


_NAN = float("nan")
NOTHING_SHARED = PairedComparison(_NAN, NO_INTERVAL, _NAN, _NAN, 0, _NAN, _NAN, 0)
"""The comparison of conditions that share no question."""


def compare_paired(
    differences: np.ndarray, clusters: Clusters, *, largest: float = LARGEST, seed: int = 0
) -> PairedComparison:
    """:func:`compare_family` of a single comparison: differences float ``(n,)``, n >= 1."""
    return compare_family([Paired(differences, clusters)], largest=largest, seed=seed)[0]


def compare_family(
    family: Sequence[Paired], *, largest: float = LARGEST, seed: int = 0
) -> list[PairedComparison]:
    """Compare conditions by their paired differences, all comparisons in one family.

    A comparison without a question (n = 0) is not one of the family; its figures are NaN.
    ``largest`` is the largest possible difference of two means, 1 for scores in [0, 1].
    """
    known_values = [place for place, each in enumerate(family) if len(each.differences)]
    inferred = infer([family[place] for place in known_values], largest=largest, seed=seed)
    tests = sum(bool(family[place].clusters.unit) for place in known_values)
    results = [NOTHING_SHARED] * len(family)
    for place, each in zip(known_values, inferred, strict=True):
        differences, clusters = family[place].differences, family[place].clusters
        results[place] = PairedComparison(
            each.difference,
            each.interval,
            each.p,
            each.p_adjusted,
            tests,
            cohens_dz(differences),
            cliffs_delta(differences),
            len(differences),
            _standard_error(differences, clusters),
            clusters.size,
            int(np.count_nonzero(differences)),
        )
    return results


def _standard_error(differences: np.ndarray, clusters: Clusters) -> float:
    if not clusters.unit:
        return float("nan")
    return jackknife_error(float(differences.mean()), clusters.means_without(differences))


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
