"""Attributes a loss to its causes, by removing the causes in every order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import permutations

import numpy as np

Coalition = frozenset[str]
"""The causes that are removed."""


@dataclass(frozen=True)
class Attribution:
    """The loss due to each cause, for each unit."""

    causes: tuple[str, ...]
    by_order: np.ndarray
    """The gain from removing each cause, in each order: float64 ``(orders, causes, units)``."""

    @property
    def values(self) -> np.ndarray:
        """The means over the orders, ``(causes, units)``: the Shapley values of the gains.

        They add up to the gain of removing all causes, for each unit. Source: Shapley, A value
        for n-person games, 1953.
        """
        return np.asarray(self.by_order.mean(axis=0))

    def extremes(self, units: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The least and the greatest mean gain of each cause over some units, among the orders."""
        means = self.by_order[:, :, units].mean(axis=2)
        return means.min(axis=0), means.max(axis=0)


def attribute(
    scores: Mapping[Coalition, np.ndarray],
    causes: Sequence[str],
    orders: Sequence[Sequence[int]] | None = None,
) -> Attribution:
    """Attribute gains to causes.

    ``scores`` gives, for every set of removed causes, the score of each unit: float ``(units,)``.
    ``orders`` are those in which causes are removed, as places in ``causes``; default: all of them.
    With some of them, the values still add up, and estimate the Shapley values. Raises KeyError if
    a set is missing.
    """
    gains_of_orders = []
    for order in permutations(range(len(causes))) if orders is None else orders:
        gains = [np.empty(0)] * len(causes)
        removed: Coalition = frozenset()
        for cause in order:
            before, removed = removed, removed | {causes[cause]}
            gains[cause] = np.asarray(scores[removed], float) - np.asarray(scores[before], float)
        gains_of_orders.append(np.stack(gains))
    return Attribution(tuple(causes), np.stack(gains_of_orders))


def mirrored_orders(
    causes: int, pairs: int, rng: np.random.Generator
) -> tuple[tuple[int, ...], ...]:
    """Random orders of causes, each followed by its reverse: ``2 * pairs`` of them.

    A cause that comes early in one comes late in the other, which evens out what depends on the
    place. Source: Mitchell et al., Sampling permutations for Shapley value estimation, 2022.
    """
    orders: list[tuple[int, ...]] = []
    for _ in range(pairs):
        order = tuple(int(place) for place in rng.permutation(causes))
        orders += (order, order[::-1])
    return tuple(orders)


def coalitions(causes: Sequence[str], orders: Sequence[Sequence[int]]) -> list[Coalition]:
    """The sets of removed causes that these orders pass through, each once, the empty one first."""
    sets = {frozenset[str](): None}
    for order in orders:
        for length in range(1, len(order) + 1):
            sets[frozenset(causes[place] for place in order[:length])] = None
    return list(sets)
