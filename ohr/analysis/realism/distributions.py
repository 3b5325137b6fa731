"""How alike the distributions of two sets of errors of the same documents are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from ohr.statistics import NO_INTERVAL, Clusters, Interval
from ohr.statistics.correlation import RankCorrelation
from ohr.statistics.intervals import LEVEL, jackknife_interval

FEWEST_DOCUMENTS = 5
RESAMPLES = 1000
_DIGITS = 9
"""Errors that differ by rounding alone are tied."""


@dataclass(frozen=True)
class Alike:
    """Kolmogorov-Smirnov distance of two distributions, and Spearman's correlation by document.

    The interval of the distance is a band's: the difference of the two distributions lies within
    a width of the estimate everywhere, by resampled documents, which both sets share; so the
    distance does, too. That of the correlation is the jackknife's over documents.
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
    ks = float(np.abs(_gaps(np.ones((1, len(names))), *tables)).max())
    if len(names) < FEWEST_DOCUMENTS:
        return Alike(ks, NO_INTERVAL, np.nan, NO_INTERVAL)
    clusters = Clusters.from_labels(names, names)
    x, y = (
        np.round(frame.groupby("shows")["value"].mean()[names].to_numpy(float), _DIGITS)
        for frame in (first, second)
    )
    correlation = RankCorrelation(x, y)
    ends = jackknife_interval(correlation.value, correlation.leave_out(clusters), clusters)
    if ends.unit:
        ends = Interval(max(-1.0, ends.low), min(1.0, ends.high), ends.unit)
    return Alike(ks, _distance_interval(ks, tables, clusters, seed), correlation.value, ends)


def _distance_interval(
    ks: float, tables: Sequence[np.ndarray], clusters: Clusters, seed: int
) -> Interval:
    """The distance more or less the resampled largest change of the difference anywhere."""
    counts = clusters.resampled_counts(RESAMPLES, seed).astype(float)
    drawn = _gaps(counts, *tables) - _gaps(np.ones((1, clusters.size)), *tables)
    n = clusters.size
    half = float(np.quantile(np.abs(drawn).max(axis=1), LEVEL)) * np.sqrt(n / (n - 1))
    return Interval(max(0.0, ks - half), min(1.0, ks + half), clusters.unit)


def _steps(frame: pd.DataFrame, names: np.ndarray, steps: np.ndarray) -> np.ndarray:
    """By document, the number of pages with at most each error, and of all: ``(n, steps + 1)``."""
    table = np.zeros((len(names), len(steps) + 1))
    values = frame.groupby("shows")["value"]
    for row, name in enumerate(names):
        own = np.sort(values.get_group(name).to_numpy(float))
        table[row, :-1] = np.searchsorted(own, steps, side="right")
        table[row, -1] = len(own)
    return table


def _gaps(counts: np.ndarray, first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """The difference of the distributions at each step, ``(k, steps)``; documents are counted
    ``(k, n)``."""
    shares = []
    for table in (first, second):
        totals = counts @ table
        shares.append(totals[:, :-1] / totals[:, -1:])
    gaps: np.ndarray = shares[0] - shares[1]
    return gaps
