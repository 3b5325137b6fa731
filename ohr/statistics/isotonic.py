"""Isotonic regression: the monotone values closest to measured points by least squares.

There are two ways to the same fit, up to rounding: SciPy's, which leaves points in order exactly
unchanged, and one for hundreds of resampled curves at once. Source: Barlow et al., Statistical
Inference under Order Restrictions, 1972.
"""

from __future__ import annotations

import numpy as np


def rising_fit(x: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Sorted x and the non-decreasing fit of y: float ``(levels,)`` each; all x must differ.

    Points that already rise are their own fit, to the last digit.
    """
    from scipy.optimize import isotonic_regression  # half a second: only where it is needed

    order = np.argsort(x)
    return x[order], isotonic_regression(y[order]).x


def rising_means(x: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """:func:`rising_fit` for x ``(n,)`` that need not differ: the distinct x, and the fit at each.

    Points at the same x count as their mean, with the weight of all.
    """
    from scipy.optimize import isotonic_regression

    distinct, index = np.unique(x, return_inverse=True)
    counts = np.bincount(index)
    return distinct, isotonic_regression(np.bincount(index, weights=y) / counts, weights=counts).x


def falling_fits(x: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Sorted x and the non-increasing fit of y: float ``(curves, levels)``, in and out.

    Points at the same x count as their mean, with the weight of all. The fit at i is the minimum
    over a <= i of the maximum over b >= i of the means of y[a..b] (Barlow et al., 1.4), which is
    fast for many curves of a few levels.
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
