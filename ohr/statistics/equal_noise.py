"""The loss at a given amount of noise: a curve through the ground truth, read between its points.

So conditions that were measured at different amounts of noise are compared at the same one.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ohr.statistics.clusters import Clusters


@dataclass(frozen=True)
class AnchoredCurve:
    """The questions' noise and loss at each point of a curve, the ground truth first.

    ``noise`` and ``loss`` are float ``(points, n)``: the damage of each question's evidence, in
    [0, 1], and its score on the ground truth minus its score at the point. The loss of the first
    point is 0. Columns are the same questions in both, in ``clusters``.
    """

    noise: np.ndarray
    loss: np.ndarray
    clusters: Clusters

    @property
    def reach(self) -> tuple[float, float]:
        """The mean noise of the ground truth, and the largest that was measured."""
        means = self.noise.mean(axis=1)
        return float(means[0]), float(means.max())

    def gap_at(self, noise: float) -> float:
        """How far apart the measured points are between which ``noise`` lies; 0 at a point or
        outside."""
        means = np.sort(self.noise.mean(axis=1))
        upper = int(np.searchsorted(means, noise))
        if upper in (0, len(means)) or means[upper] == noise:
            return 0.0
        return float(means[upper] - means[upper - 1])

    def loss_at(self, noise: float) -> np.ndarray | None:
        """Values ``(n,)`` of the questions whose mean is the loss where the mean noise is so much.

        The curve is straight between two points. The points' own noise is an estimate too, so a
        question that is noisier than the mean counts with less loss, by the slope between the two
        points: the values vary over clusters as the estimate does (a first-order approximation).
        None outside what was measured.
        """
        means = self.noise.mean(axis=1)
        order = np.argsort(means, kind="stable")
        upper = int(np.searchsorted(means[order], noise))
        if noise < means[order[0]] or upper >= len(order):
            return None
        if upper == 0:
            least: np.ndarray = self.loss[order[0]]
            return least
        first, second = order[upper - 1], order[upper]
        share = (noise - means[first]) / (means[second] - means[first])
        loss = (1 - share) * self.loss[first] + share * self.loss[second]
        damage = (1 - share) * self.noise[first] + share * self.noise[second]
        rise = self.loss[second].mean() - self.loss[first].mean()
        slope = float(rise / (means[second] - means[first]))
        values: np.ndarray = loss - slope * (damage - noise)
        return values
