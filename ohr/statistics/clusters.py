"""The clusters of an interval: documents or, if there are too few, pages."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

FEWEST = 3
"""With fewer clusters there are no intervals and tests."""
DOCUMENT = "document"
PAGE = "page of these documents"
"""An interval over pages is about further pages of the same documents, not other documents."""


@dataclass(frozen=True)
class Clusters:
    """The cluster of each of ``n`` values, and the unit of the clusters.

    ``index`` is int ``(n,)`` in ``[0, size)``. ``unit`` is :data:`DOCUMENT`, :data:`PAGE`, or
    empty if there are fewer than three clusters, too few for intervals and tests.
    """

    index: np.ndarray
    size: int
    unit: str
    labels: tuple[Hashable, ...] = ()
    """The name of each cluster; empty for names that are positions."""

    @classmethod
    def from_labels(cls, documents: np.ndarray, pages: np.ndarray) -> Clusters:
        """Make clusters from labels ``(n,)`` of each value's document and page."""
        for unit, labels in ((DOCUMENT, documents), (PAGE, pages)):
            names, index = np.unique(labels, return_inverse=True)
            if len(names) >= FEWEST:
                return cls(index, len(names), unit, tuple(names.tolist()))
        return cls(np.zeros(len(documents), dtype=np.int64), min(1, len(documents)), "")

    @property
    def names(self) -> tuple[tuple[str, Hashable], ...]:
        """The name of each cluster: equal clusters of several samples have the same one."""
        return tuple((self.unit, label) for label in self.labels or range(self.size))

    def only(self, members: np.ndarray) -> Clusters:
        """The clusters of some of the values: a mask ``(n,)``. Those without a value go."""
        if members.all():
            return self
        places, index = np.unique(self.index[members], return_inverse=True)
        labels = self.labels or range(self.size)
        unit = self.unit if len(places) >= FEWEST else ""
        return Clusters(index, len(places), unit, tuple(labels[place] for place in places))

    def sums(self, values: np.ndarray) -> np.ndarray:
        """The sum of the values ``(n,)`` in each cluster: ``(size,)``."""
        return np.bincount(self.index, weights=values, minlength=self.size)

    def counts(self) -> np.ndarray:
        """The number of values in each cluster: ``(size,)``."""
        return np.bincount(self.index, minlength=self.size).astype(float)

    def means_without(self, values: np.ndarray) -> np.ndarray:
        """The means with each cluster left out in turn: ``(size,)``, or ``(size, k)``.

        ``values`` are ``(n,)``, or ``(k, n)`` for k metrics of the same units.
        """
        sums = np.stack([self.sums(row) for row in np.atleast_2d(values)], axis=1)
        counts = self.counts()[:, None]
        means: np.ndarray = (sums.sum(axis=0) - sums) / (counts.sum() - counts)
        return means if np.ndim(values) == 2 else means[:, 0]

    def degrees_of_freedom(self) -> float:
        """Degrees of freedom of a mean's standard error: ``size`` - 1 if clusters are equal.

        Fewer if sizes differ, since large clusters then dominate. Source: Bell and McCaffrey, Bias
        reduction in standard errors for linear regression with multi-stage samples, 2002
        (Satterthwaite's approximation, here for an intercept alone).
        """
        shares = self.counts() / self.counts().sum()
        diagonal = shares / (1 - shares)
        cross = shares * diagonal
        trace = diagonal.sum() - cross.sum()
        squares = (diagonal**2).sum() - 2 * (diagonal * cross).sum() + cross.sum() ** 2
        return float(trace**2 / squares)

    def resampled_means(self, values: np.ndarray, resamples: int, seed: int) -> np.ndarray:
        """Means over clusters drawn with replacement: ``(resamples,)``, or ``(resamples, k)``.

        ``values`` are ``(n,)``, or ``(k, n)`` for k metrics of the same units, which are then
        drawn together. The mean is over all values of the drawn clusters (Field and Welsh,
        Bootstrapping clustered data, 2007). The draws depend only on the number of clusters and
        the seed, so metrics and conditions over equal clusters are paired.
        """
        weights = self.resampled_counts(resamples, seed)
        rows = np.atleast_2d(values)
        sums = np.stack([self.sums(row) for row in rows], axis=1)
        means: np.ndarray = (weights @ sums) / (weights @ self.counts())[:, None]
        return means if np.ndim(values) == 2 else means[:, 0]

    def resampled_counts(self, resamples: int, seed: int) -> np.ndarray:
        """How often each cluster is drawn in each resample: ``(resamples, size)``."""
        return _weights(self.size, resamples, seed)


@lru_cache(maxsize=64)
def _weights(units: int, resamples: int, seed: int) -> np.ndarray:
    """How often each unit is drawn: ``(resamples, units)``, rows sum to ``units``."""
    rng = np.random.default_rng([seed, units, resamples])
    return rng.multinomial(units, np.full(units, 1 / units), size=resamples).astype(np.float32)
