"""What a noise curve says in a few numbers, each with an interval.

A curve has a point a noise level, the clean pages first: the share of questions whose evidence
is damaged (r_noise, x) and the mean quality (y), both over the same questions. *Height* is
quality above the floor, what the reader scores with nothing to read (0 for retrieval).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ohr.statistics.clusters import Clusters
from ohr.statistics.intervals import NO_INTERVAL, Interval

LOST = 0.1
"""The breakpoint is where this share of the clean height is lost."""
RETAINED_AT = 0.3
"""The r_noise at which retention is taken."""


@dataclass(frozen=True)
class NoiseCurve:
    """Values of each level's questions, the clean level first.

    ``noise`` and ``quality`` are float ``(levels, n)``, levels >= 2: whether each question's
    evidence is damaged (0 or 1), and its score. ``floor`` is float ``(n,)``: the score with
    nothing to read. Columns are questions, equal in all three, in ``clusters``.
    """

    noise: np.ndarray
    quality: np.ndarray
    floor: np.ndarray
    clusters: Clusters

    def means(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """x ``(1, levels)``, y ``(1, levels)`` and the floor ``(1,)``."""
        return (
            self.noise.mean(axis=1)[None],
            self.quality.mean(axis=1)[None],
            np.array([self.floor.mean()]),
        )

    def resampled(self, resamples: int, seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The same for each bootstrap resample: x and y ``(resamples, levels)``, floor."""
        levels = len(self.noise)
        stacked = np.vstack([self.noise, self.quality, self.floor[None]])
        drawn = self.clusters.resampled_means(stacked, resamples, seed)
        return drawn[:, :levels], drawn[:, levels:-1], drawn[:, -1]


@dataclass(frozen=True)
class Statistic:
    """An estimate and its 95 % bootstrap interval."""

    value: float
    interval: Interval


@dataclass(frozen=True)
class CurveStatistics:
    """The statistics of one curve; see :func:`curve_statistics`."""

    area: Statistic
    mean_retention: Statistic
    slope: Statistic
    breakpoint: Statistic
    retention: Statistic
    worst: Statistic
    worst_level: int
    clean: float
    floor: float
    r_noise_from: float
    r_noise_to: float
    n: int


def curve_statistics(curve: NoiseCurve, *, resamples: int = 1000, seed: int = 0) -> CurveStatistics:
    """The statistics of a noise curve, questions resampled by cluster, x and y together.

    The curve is read off its isotonic fit: the non-increasing step values closest to the points
    in squares (Barlow et al., Statistical Inference under Order Restrictions, 1972), joined by
    straight lines over the measured range of r_noise and never carried beyond it.

    - ``area``: the integral of height over r_noise, in points of quality times r_noise;
    - ``mean_retention``: the area over what it would be if the clean height were kept;
    - ``slope``: of the least-squares line through the points, per unit of r_noise;
    - ``breakpoint``: the lowest r_noise at which a tenth of the clean height is lost; infinite
      if that is beyond the measured range;
    - ``retention``: height at r_noise .3 over the clean height; NaN if .3 was not measured;
    - ``worst``: the lowest mean quality, of the level ``worst_level`` (0 is clean).

    Ratios are to the clean point as measured; they are NaN where it is not above the floor.
    """
    x, y, floor = curve.means()
    estimates = _statistics(x, y, floor)
    worst_level = int(y[0].argmin())
    intervals = dict.fromkeys([*estimates, "worst"], NO_INTERVAL)
    if unit := curve.clusters.unit:
        drawn_x, drawn_y, drawn_floor = curve.resampled(resamples, seed)
        for name, draws in _statistics(drawn_x, drawn_y, drawn_floor).items():
            intervals[name] = Interval.of_draws(draws, unit)
        intervals["worst"] = Interval.of_draws(drawn_y[:, worst_level], unit)
    estimates["worst"] = y[:, worst_level]
    found = {
        name: Statistic(float(values[0]), intervals[name]) for name, values in estimates.items()
    }
    return CurveStatistics(
        **found,
        worst_level=worst_level,
        clean=float(y[0, 0]),
        floor=float(floor[0]),
        r_noise_from=float(x.min()),
        r_noise_to=float(x.max()),
        n=curve.noise.shape[1],
    )


def isotonic_fit(x: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Sorted x and the non-increasing fit of y: float ``(curves, levels)`` both ways.

    Points at the same x count as one at their mean, with the weight of all. The fit at i is the
    least over a <= i of the largest over b >= i of the means of y[a..b] (Barlow et al. 1972,
    1.4), which for a handful of levels is fast for all curves at once.
    """
    order = np.argsort(x, axis=1, kind="stable")
    x, y = np.take_along_axis(x, order, axis=1), np.take_along_axis(y, order, axis=1)
    tied = x[:, :, None] == x[:, None, :]
    y = (tied * y[:, None, :]).sum(axis=2) / tied.sum(axis=2)
    curves, levels = y.shape
    before = np.concatenate([np.zeros((curves, 1)), np.cumsum(y, axis=1)], axis=1)
    fit = np.empty_like(y)
    for i in range(levels):
        # Means of y[a..b] for a <= i <= b: (curves, a, b).
        sums = before[:, None, i + 1 :] - before[:, : i + 1, None]
        lengths = np.arange(i + 1, levels + 1)[None] - np.arange(i + 1)[:, None]
        fit[:, i] = (sums / lengths).max(axis=2).min(axis=1)
    return x, fit


def _statistics(x: np.ndarray, y: np.ndarray, floor: np.ndarray) -> dict[str, np.ndarray]:
    """Each statistic of each curve: ``(curves,)``; x and y are ``(curves, levels)``."""
    clean = y[:, 0] - floor
    clean = np.where(clean > 1e-12, clean, np.nan)
    at, fit = isotonic_fit(x, y)
    height = fit - floor[:, None]
    area = ((height[:, 1:] + height[:, :-1]) / 2 * np.diff(at, axis=1)).sum(axis=1)
    span = at[:, -1] - at[:, 0]
    kept = height / clean[:, None]
    with np.errstate(divide="ignore", invalid="ignore"):
        mean_retention = np.where(span > 0, area / (span * clean), np.nan)
    return {
        "area": area,
        "mean_retention": mean_retention,
        "slope": _slope(x, y),
        "breakpoint": np.array([_first_below(*pair) for pair in zip(at, kept, strict=True)]),
        "retention": np.array(
            [
                np.interp(RETAINED_AT, *pair, left=np.nan, right=np.nan)
                for pair in zip(at, kept, strict=True)
            ]
        ),
    }


def _slope(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    from_mean = x - x.mean(axis=1, keepdims=True)
    squares = (from_mean**2).sum(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(squares > 1e-12, (from_mean * y).sum(axis=1) / squares, np.nan)


def _first_below(x: np.ndarray, kept: np.ndarray) -> float:
    """Lowest x at which the falling line through (x, kept) is at 1 - LOST; inf if never."""
    wanted = 1 - LOST
    if np.isnan(kept).any():
        return float("nan")
    below = np.flatnonzero(kept <= wanted)
    if not len(below):
        return float("inf")
    first = int(below[0])
    if first == 0:
        return float(x[0])
    x0, x1, y0, y1 = x[first - 1], x[first], kept[first - 1], kept[first]
    return float(x0 + (x1 - x0) * (y0 - wanted) / (y0 - y1))
