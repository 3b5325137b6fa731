"""The one way to conclude: a family of paired comparisons, each with interval, p and verdict.

Stars, letters, "best", the gate and every recommendation come from :func:`infer`. So a star never
stands beside an interval that contains 0, and two conditions share a letter exactly if their
difference has no star. How often it errs: ``docs/reference/intervals-checked.md``, made by
``python -m benchmarks.inference``.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ohr.statistics.clusters import Clusters
from ohr.statistics.flips import FLIPS, sign_patterns
from ohr.statistics.intervals import NO_INTERVAL, Interval

ALPHA = 0.05
"""A difference is shown if its adjusted p is at most this."""
LARGEST = 1.0
"""The largest possible difference of two scores in [0, 1]."""
_ROUNDING = 1e-9
"""Sums of the same terms in another order differ by less, relative to the terms."""
_GROWTH = 1.25
_HALVINGS = 30
_FARTHEST = 1e6
"""In standard errors: an end that is farther away is infinite."""


@dataclass(frozen=True)
class Paired:
    """Paired differences of two conditions, float ``(n,)``, of questions in ``clusters``.

    Comparisons of one family share a cluster where they have the same label
    (:attr:`Clusters.labels`).
    """

    differences: np.ndarray
    clusters: Clusters


@dataclass(frozen=True)
class Inferred:
    """What a family's test says of one comparison.

    ``p`` is that of the comparison alone, ``p_adjusted`` that in its family: NaN for fewer than
    three clusters. ``interval`` excludes 0 exactly if ``p_adjusted`` is at most :data:`ALPHA`.
    """

    difference: float
    interval: Interval
    p: float
    p_adjusted: float

    @property
    def is_shown(self) -> bool:
        """Whether the difference is significant in its family."""
        return self.p_adjusted <= ALPHA


def unseen_share(clusters: int, alpha: float = ALPHA) -> float:
    """The largest share of clusters of a kind of which none was drawn, with confidence 1 - alpha.

    .31 of 8 documents, .10 of 30. Source: Hanley and Lippman-Hand, If nothing goes wrong, is
    everything all right?, 1983.
    """
    return float(1 - alpha ** (1 / clusters)) if clusters else 1.0


def infer(
    family: Sequence[Paired],
    *,
    alpha: float = ALPHA,
    largest: float = LARGEST,
    flips: int = FLIPS,
    seed: int = 0,
) -> list[Inferred]:
    """Test a family of comparisons together, by flipping the signs of whole clusters.

    A comparison's statistic is the absolute sum of its differences over the root of the summed
    squares of its clusters' sums. Under random signs of the clusters, the same for all comparisons,
    the largest statistic of the family is compared with the largest that was measured; if it is
    shown, the next with the largest of the others, and so on (step-down). So the chance of any
    false statement is at most ``alpha``: exactly if the clusters' differences are symmetric around
    0, approximately otherwise. All patterns of signs are tried for up to 13 clusters; with five or
    fewer nothing is ever shown.

    An interval has the differences that the same test, at the step of its comparison, does not
    reject: each is subtracted from every question in turn. Its ends are at most ``largest`` away
    from 0; that alone remains if there are too few or too unequal clusters to exclude anything.
    Where every difference is 0, other clusters may still differ: the interval then reaches as far
    as :func:`unseen_share`.

    Returns one result for each comparison, in order. Sources: Westfall and Young, Resampling-based
    multiple testing, 1993; Romano and Wolf, Exact and approximate stepdown methods, 2005 (the
    largest statistic, step-down); Canay, Romano and Shaikh, Randomization tests under an
    approximate symmetry assumption, 2017 (signs of clusters, studentised).
    """
    tested = [place for place, each in enumerate(family) if each.clusters.unit]
    results = [
        Inferred(_mean(each.differences), NO_INTERVAL, math.nan, math.nan) for each in family
    ]
    if not tested:
        return results
    of_family = _Family.from_pairs([family[place] for place in tested], flips, seed)
    for place, (p, adjusted, low, high) in zip(
        tested, of_family.results(alpha, largest), strict=True
    ):
        unit = family[place].clusters.unit
        interval = Interval(low, high, unit)
        results[place] = Inferred(results[place].difference, interval, p, adjusted)
    return results


def adjusted_p_values(sums: np.ndarray, *, flips: int = FLIPS, seed: int = 0) -> np.ndarray:
    """The adjusted p of each comparison of a family, as :func:`infer` gives it.

    ``sums`` is float ``(clusters, comparisons)``: the summed differences of each cluster.
    """
    signs = sign_patterns(len(sums), flips, seed)
    flipped = np.vstack([block @ sums for block in signs])
    order, adjusted, *_ = _Family(sums, np.ones_like(sums), signs, flipped).steps()
    result = np.empty(len(order))
    result[order] = adjusted
    return result


def _mean(values: np.ndarray) -> float:
    return float(values.mean()) if len(values) else math.nan


@dataclass(frozen=True)
class _Family:
    """Sums and counts by cluster, and their sums under each pattern of signs."""

    sums: np.ndarray
    """``(clusters, comparisons)``."""
    counts: np.ndarray
    """``(clusters, comparisons)``."""
    signs: list[np.ndarray]
    flipped: np.ndarray
    """Sums under each pattern: ``(patterns, comparisons)``."""

    @classmethod
    def from_pairs(cls, family: Sequence[Paired], flips: int, seed: int) -> _Family:
        named = [each.clusters.names for each in family]
        labels = {name: row for row, name in enumerate(sorted(set().union(*named), key=_order_key))}
        sums = np.zeros((len(labels), len(family)))
        counts = np.zeros_like(sums)
        for column, (each, names) in enumerate(zip(family, named, strict=True)):
            rows = [labels[name] for name in names]
            sums[rows, column] = each.clusters.sums(np.asarray(each.differences, dtype=float))
            counts[rows, column] = each.clusters.counts()
        # Equal clusters of equal differences cancel, but not to the last digit.
        sums[np.abs(sums) < _ROUNDING * np.abs(sums).max(initial=0.0)] = 0.0
        signs = sign_patterns(len(labels), flips, seed)
        return cls(sums, counts, signs, np.vstack([block @ sums for block in signs]))

    def steps(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """The order in which comparisons are tested, and at each step the adjusted p.

        Also the ratios of each comparison under each pattern, the largest of those that are tested
        from a step on, and the least ratio that counts as large as the measured one.
        """
        roots = np.sqrt((self.sums**2).sum(axis=0))
        ratios = np.abs(self.flipped) / np.where(roots > 0, roots, 1.0)
        measured = np.abs(self.sums.sum(axis=0)) / np.where(roots > 0, roots, 1.0)
        least = measured - _ROUNDING * np.sqrt(len(self.sums))
        order = np.argsort(-measured, kind="stable")
        # The largest ratio of a comparison and of all that are tested after it.
        rest = np.maximum.accumulate(ratios[:, order[::-1]], axis=1)[:, ::-1]
        steps = (rest >= least[order]).mean(axis=0)
        return order, np.maximum.accumulate(steps), ratios, rest, least

    def results(self, alpha: float, largest: float) -> Iterator[tuple[float, float, float, float]]:
        """p, adjusted p and both ends of the interval of each comparison."""
        order, adjusted, ratios, rest, least = self.steps()
        shown = int((adjusted <= alpha).sum())
        nothing = np.zeros(len(ratios))
        largest_two = _largest_two(ratios[:, order[shown:]])
        by_place: dict[int, tuple[float, float, float, float]] = {}
        for step, place in enumerate(order):
            if step < shown:
                other_items = rest[:, step + 1] if step + 1 < len(order) else nothing
            else:
                other_items = np.where(
                    largest_two[2] == step - shown, largest_two[1], largest_two[0]
                )
            p = float((ratios[:, place] >= least[place]).mean())
            low, high = self._ends(int(place), other_items, alpha, largest, is_shown=step < shown)
            if step < shown:
                by_place[int(place)] = p, float(adjusted[step]), low, high
            else:  # a p need not fall all the way to 0
                by_place[int(place)] = p, float(adjusted[step]), min(low, 0.0), max(high, 0.0)
        yield from (by_place[place] for place in range(len(order)))

    def _ends(
        self, place: int, rest: np.ndarray, alpha: float, largest: float, *, is_shown: bool
    ) -> tuple[float, float]:
        """The ends of the differences that are not rejected, around the one that was measured."""
        sums, counts = self.sums[:, place], self.counts[:, place]
        total, size = float(sums.sum()), float(counts.sum())
        middle = total / size
        if not sums.any():
            reach = unseen_share(int(np.count_nonzero(counts)))
            return -reach * largest, reach * largest
        weights = np.concatenate([block @ counts for block in self.signs])

        def p(difference: float) -> float:
            remaining = abs(total - difference * size)
            root = math.sqrt(float(((sums - difference * counts) ** 2).sum()))
            if root <= _ROUNDING * np.abs(sums).max():
                return 1.0
            least = remaining - _ROUNDING * root
            alone = np.abs(self.flipped[:, place] - difference * weights) >= least
            return float((alone | (rest >= least / root)).mean())

        error = math.sqrt(float(((sums - middle * counts) ** 2).sum())) / size
        error = max(error, _ROUNDING * abs(middle), 1e-12)
        below, above = (0.0, None) if middle > 0 else (None, 0.0)
        ends = (
            _crossing(p, middle, -error, alpha, -largest, below if is_shown else None),
            _crossing(p, middle, error, alpha, largest, above if is_shown else None),
        )
        # Where all clusters differ equally, nothing but rounding is left.
        exact = all(abs(end - middle) <= 10 * _ROUNDING * abs(middle) for end in ends)
        return (middle, middle) if exact else ends


def _order_key(name: tuple[str, Any]) -> tuple[str, str, Any]:
    """A key by which names of clusters of several types can be sorted."""
    unit, label = name
    return unit, type(label).__name__, label


def _crossing(
    p: Callable[[float], float],
    middle: float,
    step: float,
    alpha: float,
    farthest: float,
    outside: float | None,
) -> float:
    """The last value from ``middle``, in the direction of ``step``, before p falls to alpha.

    ``farthest`` if p stays above alpha as far as that. ``outside`` is known to be rejected.
    """
    inside, sign, reach = middle, math.copysign(1.0, step), step
    while True:
        position = middle + reach
        if outside is not None and sign * position >= sign * outside:
            position = outside
            break
        if sign * position >= sign * farthest:
            if math.isinf(farthest) or p(farthest) > alpha:
                return farthest
            position = farthest
            break
        if p(position) <= alpha:
            break
        inside = position
        reach *= _GROWTH
        if abs(reach) > _FARTHEST * abs(step):
            return farthest
    for _ in range(_HALVINGS):
        between = (inside + position) / 2
        if between in (inside, position):
            break
        inside, position = (between, position) if p(between) > alpha else (inside, between)
    return inside


def _largest_two(values: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The largest value of each row, the next one, and the place of the largest."""
    if not values.shape[1]:
        nothing = np.zeros(len(values))
        return nothing, nothing, np.full(len(values), -1)
    place = values.argmax(axis=1)
    first = values[np.arange(len(values)), place]
    rest = values.copy()
    rest[np.arange(len(values)), place] = 0.0
    return first, rest.max(axis=1), place
