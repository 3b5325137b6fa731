"""Whether distortions predict the losses under natural noise: of conditions, and of documents.

A condition is an engine as the run names it: an engine with parameters, preprocessing and
resolution.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from ohr.analysis.realism.losses import interval_of, noises_of, paired
from ohr.statistics import (
    NO_INTERVAL,
    Clusters,
    kendall_correlations,
    percentile_interval,
    rank_correlations,
)

FEWEST_CONDITIONS = 4
FEWEST_DOCUMENTS = 5
GOOD = 0.7
"""From this tau-b on, the distortion ranks conditions as natural noise does."""
RESAMPLES = 1000
_DIGITS = 9
"""Means that differ by rounding alone are tied."""


def agreement(losses: pd.DataFrame, *, seed: int = 0) -> pd.DataFrame:
    """One row per distortion: how well its mean losses rank the conditions like natural noise.

    ``losses`` is what :func:`~ohr.analysis.realism.losses.document_losses` returns. Columns: noise,
    ``tau_b`` with its 95 % interval (percentiles over resampled documents), the mean losses under
    the distortion and under natural noise, conditions, documents, and the reason why ``tau_b`` is
    not assessed. Means over few documents are noisy, which lowers ``tau_b``, and of resampled
    documents still more: the interval can lie too low.
    """
    records: list[dict[str, Any]] = []
    for noise in noises_of(losses):
        distorted, natural = paired(losses, noise)
        documents, conditions = distorted.shape
        reason = _reason(documents, conditions)
        tau, interval = np.nan, NO_INTERVAL
        if not reason:
            names = distorted.index.to_numpy(str)
            clusters = Clusters.from_labels(names, names)
            counts = clusters.resampled_counts(RESAMPLES, seed).astype(float)
            x, y = distorted.to_numpy(float), natural.to_numpy(float)
            tau = float(_tau(np.ones((1, documents)), x, y)[0])
            interval = percentile_interval(_tau(counts, x, y), clusters)
            if np.isnan(tau):
                reason = "all conditions lose the same"
        records.append(
            {
                "noise": noise,
                "tau_b": tau,
                "ci_low": interval.low,
                "ci_high": interval.high,
                "loss": float(distorted.to_numpy().mean()) if documents else np.nan,
                "natural_loss": float(natural.to_numpy().mean()) if documents else np.nan,
                "conditions": conditions,
                "documents": documents,
                "reason": reason,
            }
        )
    return pd.DataFrame(records)


def _reason(documents: int, conditions: int) -> str:
    if conditions < FEWEST_CONDITIONS:
        return f"conditions: {conditions}, at least {FEWEST_CONDITIONS} are needed"
    if documents < FEWEST_DOCUMENTS:
        return f"documents: {documents}, at least {FEWEST_DOCUMENTS} are needed"
    return ""


def _tau(counts: np.ndarray, x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Tau-b of the means ``(k,)``; documents are counted ``(k, n)``, losses ``(n, conditions)``."""
    totals = counts.sum(axis=1, keepdims=True)
    means = [np.round(counts @ losses / totals, _DIGITS) for losses in (x, y)]
    return kendall_correlations(*means)


def document_correlations(losses: pd.DataFrame) -> pd.DataFrame:
    """One row per distortion and condition: mean losses, and Spearman's correlation over documents.

    ``spearman`` is of the documents' losses under the distortion and under natural noise; NaN with
    fewer than five documents, or if all lose the same. ``ci_low`` and ``ci_high`` are the interval
    of the mean loss under the distortion, ``natural_ci_low`` and ``natural_ci_high`` of the other.
    """
    records: list[dict[str, Any]] = []
    for noise in noises_of(losses):
        distorted, natural = paired(losses, noise)
        if distorted.empty:
            continue
        for engine in distorted:
            x, y = distorted[engine], natural[engine]
            values = (np.round(part.to_numpy(float), _DIGITS)[None] for part in (x, y))
            rho = rank_correlations(*values)[0] if len(x) >= FEWEST_DOCUMENTS else np.nan
            ends, natural_ends = interval_of(x), interval_of(y)
            records.append(
                {
                    "noise": noise,
                    "engine": engine,
                    "spearman": float(rho),
                    "loss": float(x.mean()),
                    "ci_low": ends.low,
                    "ci_high": ends.high,
                    "natural_loss": float(y.mean()),
                    "natural_ci_low": natural_ends.low,
                    "natural_ci_high": natural_ends.high,
                    "documents": len(x),
                }
            )
    return pd.DataFrame(records)
