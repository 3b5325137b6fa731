"""The loss that noise costs as a curve: a monotone fit through all draws, with a band.

The loss at a noise ratio is the mean over questions of the clean score less the noisy score. It is
taken to start at 0 on the clean pages and never to fall as noise rises.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ohr.statistics.clusters import Clusters
from ohr.statistics.isotonic import falling_fits

GRID = 101
"""Noise ratios at which a curve is computed."""
LOST = 0.1
"""The share of the clean quality whose loss is marked on the curve."""
LEVEL = 0.95
RESAMPLES = 1000


@dataclass(frozen=True)
class LossCurve:
    """A monotone curve of loss against noise, and its simultaneous 95 % band.

    ``x``, ``fit``, ``low`` and ``high`` are float ``(GRID,)`` from the noise of the clean pages to
    the largest mean noise. ``low`` and ``high`` are NaN where there are fewer than three clusters.
    All four are NaN if no draw has more noise than the clean pages: then the axis does not see the
    noise. ``points_x`` and ``points_loss`` are the means of each draw, float ``(draws,)``, without
    the clean pages.
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
    def left_out(self) -> int:
        """Draws with no more noise than the clean pages, which the fit leaves out."""
        return int((self.points_x <= self.x[0]).sum())

    def noise_at_loss(self, share: float = LOST) -> tuple[float, float, float]:
        """The least noise at which a share of the clean quality is lost, with its 95 % limits.

        Infinite where the loss does not reach that share within the measured range. The limits are
        where the band's edges reach it, so they hold at the same time as the band.
        """
        target = share * self.clean
        if not self.clean > 0 or np.isnan(self.fit).any():
            return float("nan"), float("nan"), float("nan")
        edges = (self.fit, self.high, self.low)
        value, low, high = (_first_above(self.x, edge, target) for edge in edges)
        return value, low, high


def loss_curve(
    noise: np.ndarray,
    quality: np.ndarray,
    floor: np.ndarray,
    clusters: Clusters,
    *,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> LossCurve:
    """Fit the loss curve of one condition.

    ``noise`` and ``quality`` are float ``(1 + draws, n)``: each question's noise in [0, 1] and its
    score, the clean pages first, then one row for each draw of each intensity. ``floor`` is float
    ``(n,)``: the score without any context, 0 where there is none.

    The curve is the isotonic regression of the draws' mean losses on their mean noise (Barlow et
    al., 1972), through 0 at the clean pages, with its blocks joined by straight lines. The band
    resamples clusters, and so keeps the draws and the questions of a document together; it is the
    studentised sup-t band (Montiel Olea and Plagborg-Møller, Simultaneous confidence bands, 2019),
    widened by Student's over the normal quantile for few clusters. Raises ValueError for fewer
    than two rows.
    """
    if len(noise) < 2 or noise.shape != quality.shape:
        raise ValueError(f"expected the clean row and at least one draw, found {noise.shape}")
    losses = quality[0] - quality[1:]
    stacked = np.vstack([noise, losses])
    means = stacked.mean(axis=1)
    rows = len(noise)
    x_clean, x_most = means[0], max(means[0], means[1:rows].max())
    grid = np.linspace(x_clean, x_most, GRID)
    fit = _fits(means[None, :rows], means[None, rows:], grid)[0]
    low = high = np.full(GRID, np.nan)
    if clusters.unit and not np.isnan(fit).any():
        drawn = clusters.resampled_means(stacked, resamples, seed)
        fits = _fits(drawn[:, :rows], drawn[:, rows:], grid)
        fits = fits[~np.isnan(fits).any(axis=1)]
        if len(fits) > 1:
            low, high = _band(fit, fits, clusters)
    return LossCurve(
        grid,
        fit,
        low,
        high,
        means[1:rows],
        means[rows:],
        float((quality[0] - floor).mean()),
        clusters.unit,
    )


def rising_line(x: np.ndarray, loss: np.ndarray, grid: np.ndarray) -> np.ndarray:
    """The fitted curve alone, float ``(grid,)``: x ``(1 + draws,)``, loss ``(draws,)``."""
    line: np.ndarray = _fits(x[None], loss[None], grid)[0]
    return line


def _fits(x: np.ndarray, loss: np.ndarray, grid: np.ndarray) -> np.ndarray:
    """Rising fits on a grid, 0 at the clean pages.

    ``x`` is ``(curves, 1 + draws)``, the clean pages first; ``loss`` is ``(curves, draws)``.
    Draws with no more noise than the clean pages have no place on the curve; without any others it
    is NaN.
    """
    fits = np.full((len(x), len(grid)), np.nan)
    for row, (at, values) in enumerate(zip(x, loss, strict=True)):
        beyond = at[1:] > at[0]
        if not beyond.any():
            continue
        places, heights = falling_fits(at[None, 1:][:, beyond], -values[None, beyond])
        heights = np.maximum(-heights[0], 0.0)
        places, heights = _block_centres(places[0], heights)
        fits[row] = np.interp(grid, np.r_[at[0], places], np.r_[0.0, heights])
    return fits


def _block_centres(x: np.ndarray, fit: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """One point for each block of equal fitted values, at the mean x of the block.

    The last block also keeps its last x, so that the curve covers the measured range.
    """
    starts = np.flatnonzero(np.r_[True, ~np.isclose(np.diff(fit), 0, rtol=0, atol=1e-12)])
    ends = np.r_[starts[1:], len(fit)]
    centres = np.array([x[a:b].mean() for a, b in zip(starts, ends, strict=True)])
    heights = fit[starts]
    if x[-1] > centres[-1]:
        centres, heights = np.r_[centres, x[-1]], np.r_[heights, heights[-1]]
    return centres, heights


def _band(fit: np.ndarray, drawn: np.ndarray, clusters: Clusters) -> tuple[np.ndarray, np.ndarray]:
    """The lower and upper edge of the simultaneous band."""
    from scipy.stats import norm, t

    # Resampling understates a variance by one cluster in all; and where no question lost anything,
    # one in n may still do so.
    spread = drawn.std(axis=0, ddof=1) * np.sqrt(clusters.size / (clusters.size - 1))
    spread = np.hypot(spread, 1 / len(clusters.index))
    factor = float(np.quantile((np.abs(drawn - fit) / spread).max(axis=1), LEVEL))
    tail = (1 + LEVEL) / 2
    factor = max(factor, float(norm.ppf(tail)))
    factor *= float(t.ppf(tail, clusters.degrees_of_freedom()) / norm.ppf(tail))
    # A rising curve lies between the running extremes of the edges, so the band may use them.
    # A loss is taken to be 0 or more. The edge starts above 0: the noise of the clean pages is
    # an estimate too.
    low = np.maximum(np.maximum.accumulate(fit - factor * spread), 0.0)
    high = np.minimum.accumulate((fit + factor * spread)[::-1])[::-1]
    return low, high


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
