"""The loss that noise costs as a curve: a monotone fit through all levels of noise, with a band.

The loss is the mean over questions of the clean score less the noisy score. Noise is measured
above the same engine's clean pages, since a clean engine may be charged for what costs nothing (one
that writes no LaTeX has a published r_noise of .5). So the curve starts at no noise and no loss; it
is taken never to fall as noise rises.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ohr.statistics.clusters import Clusters
from ohr.statistics.isotonic import falling_fits

GRID = 101
"""Amounts of noise at which a curve is computed."""
LOST = 0.1
"""The share of the clean quality whose loss is marked on the curve."""
LEVEL = 0.95
RESAMPLES = 1000
_ROUNDING = 1e-12


@dataclass(frozen=True)
class LossCurve:
    """A monotone curve of loss against noise, and its simultaneous 95 % band.

    ``x``, ``fit``, ``low`` and ``high`` are float ``(GRID,)`` from the mean noise of the clean
    pages to the largest mean noise; ``added`` is the noise above the clean pages, the axis of
    losses. ``low`` and ``high`` are NaN where there are fewer than three clusters. All but ``x``
    are NaN if no level has more noise than the clean pages: then the axis does not see the noise.
    ``points_x`` and ``points_loss`` are the means of each draw, float ``(draws,)``, without the
    clean pages.
    """

    x: np.ndarray
    fit: np.ndarray
    low: np.ndarray
    high: np.ndarray
    points_x: np.ndarray
    points_loss: np.ndarray
    clean: float
    """Mean score on the clean pages, less the floor."""
    unit: str
    """What the band is over: further documents or pages; empty without a band."""

    @property
    def added(self) -> np.ndarray:
        """The noise above the clean pages: float ``(GRID,)``, from 0."""
        above: np.ndarray = self.x - self.x[0]
        return above

    @property
    def left_out(self) -> int:
        """Draws with no more noise than the clean pages."""
        return int((self.points_x <= self.x[0]).sum())

    @property
    def are_lost(self) -> np.ndarray:
        """Whether the band shows a loss at the noise of each draw: bool ``(draws,)``."""
        noise = np.maximum(self.points_x - self.x[0], 0.0)
        shown: np.ndarray = np.interp(noise, self.added, self.low) > 0
        return shown

    def noise_at_loss(self, share: float = LOST) -> tuple[float, float, float]:
        """The least noise above the clean pages at which a share of the clean quality is lost,
        with its 95 % limits.

        Infinite where the loss does not reach that share within the measured range. The limits are
        where the band's edges reach it, so they hold at the same time as the band.
        """
        target = share * self.clean
        if not self.clean > 0 or np.isnan(self.fit).any():
            return float("nan"), float("nan"), float("nan")
        edges = (self.fit, self.high, self.low)
        value, low, high = (_first_above(self.added, edge, target) for edge in edges)
        return value, low, high


def loss_curve(
    noise: np.ndarray,
    quality: np.ndarray,
    floor: np.ndarray,
    clusters: Clusters,
    *,
    levels: Sequence[object] = (),
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> LossCurve:
    """Fit the loss curve of one condition.

    ``noise`` and ``quality`` are float ``(1 + draws, n)``: each question's noise in [0, 1] and its
    score, the clean pages first, then one row for each draw of each level of noise. ``levels``
    names the level of each row; draws of one level count as their mean. By default each row is a
    level. ``floor`` is float ``(n,)``: the score without any context, 0 where there is none.

    The curve is the isotonic regression of the levels' mean losses on their mean noise (Barlow et
    al., 1972), through 0 at the clean pages, with its blocks joined by straight lines. The band
    resamples clusters, and so keeps the draws and the questions of a document together; it is the
    studentised sup-t band (Montiel Olea and Plagborg-Møller, Simultaneous confidence bands, 2019),
    widened by Student's over the normal quantile for few clusters.

    A few documents may carry the loss, and none of them need be in the sample: if 12 % of all
    documents are lost wholly, 36 % of samples of eight have none. No spread of the sample can tell.
    So the upper edge counts one more document, which loses everything, and the lower edge one more,
    which loses nothing. Where nothing was lost, the upper edge is then close to the share of
    documents that may be of a kind that was not drawn (the rule of three). How often the band
    covers the true curve: ``python -m benchmarks.loss_bands``.

    Raises ValueError for fewer than two rows.
    """
    if len(noise) < 2 or noise.shape != quality.shape:
        raise ValueError(f"expected the clean row and at least one draw, found {noise.shape}")
    above, losses = noise[1:] - noise[0], quality[0] - quality[1:]
    groups = list(dict.fromkeys(levels[1:] if levels else range(len(above))))
    member = np.array([[level == group for level in levels[1:]] for group in groups], float)
    weights = member / member.sum(axis=1, keepdims=True) if levels else np.eye(len(above))
    stacked = np.vstack([weights @ above, weights @ losses])
    x, loss = np.split(stacked.mean(axis=1), 2)
    grid = np.linspace(0.0, max(0.0, float(x.max())), GRID)
    fit = _fits(x[None], loss[None], grid)[0]
    low = high = np.full(GRID, np.nan)
    if clusters.unit and not np.isnan(fit).any():
        everything = float(quality[0].mean())
        draw = _Resamples(stacked, clusters, grid, resamples, seed)
        low, high = draw.edge(0.0, -1), draw.edge(everything, 1)
        low, high = np.minimum(low, fit), np.maximum(high, fit)
    return LossCurve(
        noise[0].mean() + grid,
        fit,
        low,
        high,
        noise[1:].mean(axis=1),
        losses.mean(axis=1),
        float((quality[0] - floor).mean()),
        clusters.unit,
    )


def rising_line(x: np.ndarray, loss: np.ndarray, grid: np.ndarray) -> np.ndarray:
    """The fitted curve alone, float ``(grid,)``: x ``(1 + draws,)``, loss ``(draws,)``.

    The first x is where the curve starts, with no loss.
    """
    line: np.ndarray = _fits(x[None, 1:] - x[0], loss[None], grid - x[0])[0]
    return line


def _fits(x: np.ndarray, loss: np.ndarray, grid: np.ndarray) -> np.ndarray:
    """Rising fits on a grid, 0 at no noise: float ``(curves, grid)``.

    ``x`` and ``loss`` are ``(curves, levels)``. Levels without noise have no place on the curve;
    without any others it is NaN.
    """
    fits = np.full((len(x), len(grid)), np.nan)
    beyond = x > 0
    for pattern in np.unique(beyond, axis=0):
        if not pattern.any():
            continue
        rows = (beyond == pattern).all(axis=1)
        places, heights = falling_fits(x[rows][:, pattern], -loss[rows][:, pattern])
        heights = np.maximum(-heights, 0.0)
        centres = _block_centres(places, heights)
        zeros = np.zeros((len(places), 1))
        # The last block also keeps its last x, so that the curve covers the measured range.
        position = np.hstack([zeros, centres, places[:, -1:]])
        values = np.hstack([zeros, heights, heights[:, -1:]])
        fits[rows] = [np.interp(grid, *curve) for curve in zip(position, values, strict=True)]
    return fits


def _block_centres(x: np.ndarray, fit: np.ndarray) -> np.ndarray:
    """The mean x of each point's block of equal fitted values; in and out ``(curves, levels)``."""
    steps = ~np.isclose(np.diff(fit, axis=1), 0, rtol=0, atol=1e-12)
    blocks = np.hstack([np.zeros((len(x), 1), int), np.cumsum(steps, axis=1)])
    same = blocks[:, :, None] == blocks[:, None, :]
    centres: np.ndarray = (same * x[:, None, :]).sum(axis=2) / same.sum(axis=2)
    return centres


@dataclass(frozen=True)
class _Resamples:
    """Resamples of a study's clusters and one more, for an edge of its band.

    ``stacked`` is float ``(2 * levels, n)``: each question's noise above its clean page, and loss.
    """

    stacked: np.ndarray
    clusters: Clusters
    grid: np.ndarray
    resamples: int
    seed: int

    def edge(self, unseen: float, sign: int) -> np.ndarray:
        """The lower (sign -1) or upper (1) edge; one more cluster has ``unseen`` as its loss."""
        # SciPy's statistics take a second to import; their quantiles are these, to the bit.
        from scipy.special import ndtri, stdtrit

        size = self.clusters.size + 1
        counts, sums = self._add_unseen(unseen)
        drawn_counts = np.random.default_rng([self.seed, size, self.resamples]).multinomial(
            size, np.full(size, 1 / size), size=self.resamples
        )
        fit = self._fit(sums.sum(axis=0)[None] / counts.sum())[0]
        drawn = self._fit((drawn_counts @ sums) / (drawn_counts @ counts)[:, None])
        drawn = drawn[~np.isnan(drawn).any(axis=1)]
        if len(drawn) < 2:
            return np.full(len(self.grid), np.nan)
        # Resampling understates a variance by one cluster in all.
        spread = drawn.std(axis=0, ddof=1) * np.sqrt(size / (size - 1))
        varies = spread > _ROUNDING  # not at the clean pages, where the loss is 0 by definition
        deviations = np.abs(drawn - fit)[:, varies] / spread[varies]
        tail = (1 + LEVEL) / 2
        normal = float(ndtri(tail))
        largest = deviations.max(axis=1, initial=0.0)
        factor = max(float(np.quantile(largest, LEVEL)), normal)
        factor *= float(stdtrit(self.clusters.degrees_of_freedom(), tail)) / normal
        # A rising curve lies between the running extremes of the edges, and a loss is 0 or more.
        edge = fit + sign * factor * spread
        if sign < 0:
            return np.maximum(np.maximum.accumulate(edge), 0.0)
        return np.minimum.accumulate(edge[::-1])[::-1]

    def _add_unseen(self, unseen: float) -> tuple[np.ndarray, np.ndarray]:
        """Questions and sums of each cluster, with one more of mean noise at the end.

        It is as large as the cluster of the average question: large clusters decide the mean, and
        one of those may be missing.
        """
        counts = self.clusters.counts()
        size = (counts**2).sum() / counts.sum()
        sums = np.stack([self.clusters.sums(row) for row in self.stacked], axis=1)
        levels = sums.shape[1] // 2
        noise = self.stacked[:levels].mean(axis=1)
        more = np.r_[noise, np.full(levels, unseen)] * size
        return np.append(counts, size), np.vstack([sums, more])

    def _fit(self, means: np.ndarray) -> np.ndarray:
        x, loss = np.hsplit(means, 2)
        return _fits(x, loss, self.grid)


def _first_above(x: np.ndarray, values: np.ndarray, target: float) -> float:
    """The least x at which a rising line reaches a value; infinite if it never does."""
    if np.isnan(values).any():
        return float("nan")
    above = np.flatnonzero(values >= target)
    if not len(above):
        return float("inf")
    first = int(above[0])
    if first == 0:
        return float(x[0])
    y0, y1 = values[first - 1], values[first]
    return float(x[first - 1] + (x[first] - x[first - 1]) * (target - y0) / (y1 - y0))
