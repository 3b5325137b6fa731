"""Whether distortions predict the losses under natural noise: of conditions, and of documents.

A condition is an engine as the run names it: an engine with parameters, preprocessing and
resolution.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from ohr.analysis.realism.losses import interval_of, noises_of, paired
from ohr.statistics import Clusters, infer, kendall_correlations, rank_correlations
from ohr.statistics.pairs import all_pairs

FEWEST_CONDITIONS = 4
FEWEST_DOCUMENTS = 5
GOOD = 0.7
"""From this tau-b on, the distortion ranks conditions as natural noise does."""
_DIGITS = 9
"""Means that differ by rounding alone are tied."""


def agreement(losses: pd.DataFrame) -> pd.DataFrame:
    """One row per distortion: how well its mean losses rank the conditions like natural noise.

    ``losses`` is what :func:`~ohr.analysis.realism.losses.document_losses` returns. Columns: noise,
    ``tau_b``, ``same_order`` and ``opposite_order`` (pairs of conditions of which both noises show
    which loses more, in the same or the opposite order), ``natural_settled`` (pairs of which
    natural noise shows it), ``pairs``, the mean losses under the distortion and under natural
    noise, conditions, documents, and the reason why nothing is assessed. Means over few documents
    are noisy, which lowers ``tau_b``; it has no interval, since that of resampled means is too low
    (``benchmarks.rank_intervals``).
    """
    records: list[dict[str, Any]] = []
    for noise in noises_of(losses):
        distorted, natural = paired(losses, noise)
        documents, conditions = distorted.shape
        reason = _reason(documents, conditions)
        record: dict[str, Any] = {
            "noise": noise,
            "tau_b": np.nan,
            "same_order": np.nan,
            "opposite_order": np.nan,
            "natural_settled": np.nan,
            "pairs": conditions * (conditions - 1) // 2,
            "loss": float(distorted.to_numpy().mean()) if documents else np.nan,
            "natural_loss": float(natural.to_numpy().mean()) if documents else np.nan,
            "conditions": conditions,
            "documents": documents,
            "reason": reason,
        }
        if not reason:
            record["tau_b"] = _tau(distorted.to_numpy(float), natural.to_numpy(float))
            by_distortion, by_nature = _settled_signs(distorted), _settled_signs(natural)
            record["same_order"] = int((by_distortion * by_nature > 0).sum())
            record["opposite_order"] = int((by_distortion * by_nature < 0).sum())
            record["natural_settled"] = int((by_nature != 0).sum())
            if np.isnan(record["tau_b"]):
                record["reason"] = "all conditions lose the same"
        records.append(record)
    return pd.DataFrame(records)


def _reason(documents: int, conditions: int) -> str:
    if conditions < FEWEST_CONDITIONS:
        return f"conditions: {conditions}, at least {FEWEST_CONDITIONS} are needed"
    if documents < FEWEST_DOCUMENTS:
        return f"documents: {documents}, at least {FEWEST_DOCUMENTS} are needed"
    return ""


def _tau(x: np.ndarray, y: np.ndarray) -> float:
    """Tau-b of the mean losses of conditions; losses are ``(documents, conditions)``."""
    means = (np.round(losses.mean(axis=0), _DIGITS)[None] for losses in (x, y))
    return float(kendall_correlations(*means)[0])


def _settled_signs(losses: pd.DataFrame) -> np.ndarray:
    """Of each pair of conditions, whether the second is shown to lose more (1), less (-1), or
    neither (0); all pairs are one family. ``losses`` are documents by conditions."""
    names = losses.index.to_numpy(str)
    pairs = all_pairs(losses.to_numpy(float).T, Clusters.from_labels(names, names))
    results = infer([pair.paired for pair in pairs])
    return np.array([np.sign(result.difference) * result.is_shown for result in results])


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
