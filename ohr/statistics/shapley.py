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


def attribute(scores: Mapping[Coalition, np.ndarray], causes: Sequence[str]) -> Attribution:
    """Attribute gains to causes.

    ``scores`` gives, for every set of removed causes, the score of each unit: float ``(units,)``.
    Raises KeyError if a set is missing.
    """
    orders = []
    for order in permutations(range(len(causes))):
        gains = [np.empty(0)] * len(causes)
        removed: Coalition = frozenset()
        for cause in order:
            before, removed = removed, removed | {causes[cause]}
            gains[cause] = np.asarray(scores[removed], float) - np.asarray(scores[before], float)
        orders.append(np.stack(gains))
    return Attribution(tuple(causes), np.stack(orders))
