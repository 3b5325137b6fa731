"""Summary statistics of noise curves, each with an interval.

A curve has one point per noise level, clean pages first: mean damage (x; on the axis r_noise the
share of questions whose evidence is damaged) and mean quality (y), over the same questions.
*Height* is quality above the floor, the reader's score without context (0 for retrieval).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ohr.statistics.clusters import Clusters
from ohr.statistics.intervals import (
    NO_INTERVAL,
    Interval,
    jackknife_interval,
    percentile_interval,
)
from ohr.statistics.isotonic import falling_fits
from ohr.statistics.loss_curves import loss_curve

RETAINED_AT = 0.3
"""The damage (r_noise) at which retention is computed."""
Points = tuple[np.ndarray, np.ndarray, np.ndarray]
"""x ``(curves, levels)``, y ``(curves, levels)`` and the floor ``(curves,)``."""


@dataclass(frozen=True)
class NoiseCurve:
    """The questions' values at each noise level, the clean level first.

    ``noise`` and ``quality`` are float ``(levels, n)``, levels >= 2: the damage of each question's
    evidence, in [0, 1], and its score; means over draws if there are several. ``floor`` is float
    ``(n,)``: the score without context. Columns are the same questions in all three, in
    ``clusters``.
    """

    noise: np.ndarray
    quality: np.ndarray
    floor: np.ndarray
    clusters: Clusters

    @property
    def x_range(self) -> tuple[float, float]:
        """The smallest and the largest measured mean damage."""
        x = self.noise.mean(axis=1)
        return float(x.min()), float(x.max())

    def means(self) -> Points:
        """The curve of all questions, as arrays of one row."""
        return self._split(self._stacked.mean(axis=1)[None])

    def means_without(self) -> Points:
        """The curves with each cluster left out in turn, one row per cluster."""
        return self._split(self.clusters.means_without(self._stacked))

    def resampled(self, resamples: int, seed: int) -> Points:
        """The curves of bootstrap resamples of clusters, ``resamples`` rows."""
        return self._split(self.clusters.resampled_means(self._stacked, resamples, seed))

    @property
    def _stacked(self) -> np.ndarray:
        return np.vstack([self.noise, self.quality, self.floor[None]])

    def _split(self, means: np.ndarray) -> Points:
        levels = len(self.noise)
        return means[:, :levels], means[:, levels:-1], means[:, -1]


@dataclass(frozen=True)
class Statistic:
    """An estimate and its 95 % interval."""

    value: float
    interval: Interval


@dataclass(frozen=True)
class CurveStatistics:
    """The statistics of one curve; see :func:`curve_statistics`."""

    area: Statistic
    common_area: Statistic
    mean_retention: Statistic
    slope: Statistic
    breakpoint: Statistic
    retention: Statistic
    worst: Statistic
    worst_levels: tuple[int, ...]
    clean: float
    floor: float
    x_from: float
    x_to: float
    n: int


def curve_statistics(
    curve: NoiseCurve,
    *,
    common: tuple[float, float] | None = None,
    resamples: int = 1000,
    seed: int = 0,
) -> CurveStatistics:
    """The statistics of a noise curve, with x and y over the same questions.

    The curve is the isotonic fit: the non-increasing values closest to the points by least squares
    (Barlow et al., Statistical Inference under Order Restrictions, 1972), joined by straight lines
    over the measured range of x and never extrapolated.

    - ``area``: the integral of height over x, in points of quality times x. It depends on the
      range of x.
    - ``common_area``: the area over ``common``, a range of x that all compared curves cover (NaN
      without one).
    - ``mean_retention``: the area over the area of a curve that keeps the clean height.
    - ``slope``: of the least-squares line through the points, per unit of x.
    - ``breakpoint``: the least noise *above the clean pages* at which a tenth of the clean height
      is lost, by :func:`~ohr.statistics.loss_curves.loss_curve`, so that it is the same in every
      output; infinite if it is beyond the measured range.
    - ``retention``: height at x = .3 over the clean height; NaN if .3 was not measured.
    - ``worst``: the lowest quality of the fit, a mean of the levels ``worst_levels`` (0 is clean).
      The lowest of the noisy points would be biased: it is also the lowest by chance.

    Ratios are to the measured clean point, and NaN if it is not above the floor. Intervals are
    Student's, from the jackknife over clusters. If the statistic of a curve without one cluster is
    undefined or infinite, they are percentiles of ``resamples`` bootstrap draws. The breakpoint's
    limits are where the edges of the loss curve's simultaneous band reach a tenth.
    """
    points = curve.means()
    estimates = _statistics(*points, common)
    intervals = dict.fromkeys(estimates, NO_INTERVAL)
    if curve.clusters.unit:
        without = _statistics(*curve.means_without(), common)
        drawn: dict[str, np.ndarray] = {}
        for name, values in without.items():
            estimate = float(estimates[name][0])
            if np.isnan(estimate):
                continue
            if np.isfinite([estimate, *values]).all():
                intervals[name] = jackknife_interval(estimate, values, curve.clusters)
                continue
            drawn = drawn or _statistics(*curve.resampled(resamples, seed), common)
            intervals[name] = percentile_interval(drawn[name], curve.clusters)
    x, y, floor = points
    low, high = curve.x_range
    intervals["worst"] = _limit(intervals["worst"], 0.0, 1.0, 1.0)
    statistics = {
        name: Statistic(float(values[0]), intervals[name]) for name, values in estimates.items()
    }
    losses = loss_curve(
        curve.noise, curve.quality, curve.floor, curve.clusters, resamples=resamples, seed=seed
    )
    lost_at, lost_from, lost_to = losses.noise_at_loss()
    # Without clusters there are no limits; where a limit is undefined, there is no interval.
    limits = Interval(lost_from, lost_to, curve.clusters.unit)
    is_limited = not np.isnan([lost_from, lost_to]).any()
    return CurveStatistics(
        **statistics,
        breakpoint=Statistic(lost_at, limits if is_limited else NO_INTERVAL),
        worst_levels=_worst_levels(x[0], y[0]),
        clean=float(y[0, 0]),
        floor=float(floor[0]),
        x_from=low,
        x_to=high,
        n=curve.noise.shape[1],
    )


def _limit(interval: Interval, least: float, largest: float, beyond: float) -> Interval:
    """Limit an interval to the possible values; an upper end past the largest is ``beyond``."""
    low = max(interval.low, least) if interval.unit else interval.low
    return Interval(low, beyond if interval.high > largest else interval.high, interval.unit)


def _worst_levels(x: np.ndarray, y: np.ndarray) -> tuple[int, ...]:
    """The levels with the lowest fit, in the order of x."""
    order = np.argsort(x, kind="stable")
    _, fit = falling_fits(x[None], y[None])
    return tuple(int(i) for i in order[np.isclose(fit[0], fit[0, -1], rtol=0, atol=1e-12)])


def _statistics(
    x: np.ndarray, y: np.ndarray, floor: np.ndarray, common: tuple[float, float] | None
) -> dict[str, np.ndarray]:
    """Each statistic of each curve: ``(curves,)``; see :data:`Points`."""
    clean = y[:, 0] - floor
    clean = np.where(clean > 1e-12, clean, np.nan)
    position, fit = falling_fits(x, y)
    height = fit - floor[:, None]
    area = ((height[:, 1:] + height[:, :-1]) / 2 * np.diff(position, axis=1)).sum(axis=1)
    span = position[:, -1] - position[:, 0]
    retained = height / clean[:, None]
    with np.errstate(divide="ignore", invalid="ignore"):
        mean_retention = np.where(span > 0, area / (span * clean), np.nan)
    return {
        "area": area,
        "common_area": _area_within(position, height, common),
        "mean_retention": mean_retention,
        "slope": _slope(x, y),
        "retention": np.array(
            [
                np.interp(RETAINED_AT, *pair, left=np.nan, right=np.nan)
                for pair in zip(position, retained, strict=True)
            ]
        ),
        "worst": fit[:, -1],
    }


def _area_within(
    x: np.ndarray, height: np.ndarray, common: tuple[float, float] | None
) -> np.ndarray:
    """The integral of each curve's height over a range; a curve that ends earlier stays level."""
    if common is None:
        return np.full(len(x), np.nan)
    low, high = common
    areas = []
    for position, values in zip(x, height, strict=True):
        inside = np.concatenate([[low], position[(position > low) & (position < high)], [high]])
        areas.append(np.trapezoid(np.interp(inside, position, values), inside))
    return np.array(areas)


def _slope(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    from_mean = x - x.mean(axis=1, keepdims=True)
    squares = (from_mean**2).sum(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(squares > 1e-12, (from_mean * y).sum(axis=1) / squares, np.nan)
