"""Corrections for multiple comparisons. NaN stays NaN and does not count as a comparison."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np


def holm(p_values: np.ndarray) -> np.ndarray:
    """Adjusted p-values that bound the chance of any false positive: float ``(m,)`` in [0, 1].

    With p sorted upwards, the i-th (from 1) becomes the largest of ``(m - j + 1) p_j`` for
    j <= i, at most 1. Source: Holm, A simple sequentially rejective multiple test procedure,
    1979.
    """
    return _adjust(np.asarray(p_values, dtype=float), _holm)


def benjamini_hochberg(p_values: np.ndarray) -> np.ndarray:
    """Adjusted p-values that bound the share of false positives: float ``(m,)`` in [0, 1].

    With p sorted upwards, the i-th becomes the smallest of ``m p_j / j`` for j >= i. Source:
    Benjamini and Hochberg, Controlling the false discovery rate, 1995.
    """
    return _adjust(np.asarray(p_values, dtype=float), _benjamini_hochberg)


def _adjust(p_values: np.ndarray, correction: Callable[[np.ndarray], np.ndarray]) -> np.ndarray:
    adjusted = np.full(p_values.shape, np.nan)
    is_known = ~np.isnan(p_values)
    if is_known.any():
        adjusted[is_known] = correction(p_values[is_known])
    return adjusted


def _holm(p_values: np.ndarray) -> np.ndarray:
    order = np.argsort(p_values, kind="stable")
    steps = np.arange(len(p_values), 0, -1) * p_values[order]
    adjusted = np.empty_like(p_values)
    adjusted[order] = np.minimum(1.0, np.maximum.accumulate(steps))
    return adjusted


def _benjamini_hochberg(p_values: np.ndarray) -> np.ndarray:
    # As SciPy's false_discovery_control, whose import takes longer than most studies' tables.
    m = len(p_values)
    order = np.argsort(p_values)
    steps = p_values[order] * (m / np.arange(1, m + 1))
    adjusted = np.empty_like(p_values)
    adjusted[order] = np.minimum.accumulate(steps[::-1])[::-1]
    return np.asarray(np.clip(adjusted, 0.0, 1.0))
