"""How alike the distributions of two sets of errors of the same documents are."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from ohr.statistics import NO_INTERVAL, Clusters, Interval, percentile_interval, rank_correlations

FEWEST_DOCUMENTS = 5
RESAMPLES = 1000
_DIGITS = 9
"""Errors that differ by rounding alone are tied."""


@dataclass(frozen=True)
class Alike:
    """Kolmogorov-Smirnov distance of two distributions, and Spearman's correlation by document.

    Intervals are percentiles over resampled documents, which both sets share. Resampling raises a
    distance near 0: its interval can lie too high.
    """

    ks: float
    ks_interval: Interval
    spearman: float
    """NaN if all documents have the same error."""
    spearman_interval: Interval


def alike(first: pd.DataFrame, second: pd.DataFrame, seed: int = 0) -> Alike:
    """Compare two sets of pages: frames with the document in ``shows`` and the error in ``value``.

    Only documents of both count. A page that occurs several times stands as often in its
    distribution; for the correlation a document has the mean of its pages. With fewer than five
    documents there are no intervals and no correlation.
    """
    names = np.intersect1d(first["shows"].to_numpy(str), second["shows"].to_numpy(str))
    steps = np.unique(np.concatenate([first["value"], second["value"]]))
    tables = [_steps(frame, names, steps) for frame in (first, second)]
    ks = float(_ks(np.ones((1, len(names))), *tables)[0])
    if len(names) < FEWEST_DOCUMENTS:
        return Alike(ks, NO_INTERVAL, np.nan, NO_INTERVAL)
    clusters = Clusters.from_labels(names, names)
    counts = clusters.resampled_counts(RESAMPLES, seed).astype(float)
    chosen = np.stack([np.repeat(np.arange(len(names)), row.astype(int)) for row in counts])
    x, y = (
        np.round(frame.groupby("shows")["value"].mean()[names].to_numpy(float), _DIGITS)
        for frame in (first, second)
    )
    return Alike(
        ks,
        percentile_interval(_ks(counts, *tables), clusters),
        float(rank_correlations(x[None], y[None])[0]),
        percentile_interval(rank_correlations(x[chosen], y[chosen]), clusters),
    )


def _steps(frame: pd.DataFrame, names: np.ndarray, steps: np.ndarray) -> np.ndarray:
    """By document, the number of pages with at most each error, and of all: ``(n, steps + 1)``."""
    table = np.zeros((len(names), len(steps) + 1))
    values = frame.groupby("shows")["value"]
    for row, name in enumerate(names):
        own = np.sort(values.get_group(name).to_numpy(float))
        table[row, :-1] = np.searchsorted(own, steps, side="right")
        table[row, -1] = len(own)
    return table


def _ks(counts: np.ndarray, first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """The distances ``(k,)``; documents are counted ``(k, n)``."""
    shares = []
    for table in (first, second):
        totals = counts @ table
        shares.append(totals[:, :-1] / totals[:, -1:])
    distances: np.ndarray = np.abs(shares[0] - shares[1]).max(axis=1)
    return distances
