"""How wrong engines read, by the predictions for pages and by those that were transcribed."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd

from ohr.quality.inference import Estimate, Verdict, compare, estimate
from ohr.quality.predictor import kind, shipped

DECIDES = "edit_distance_content"
"""The error by which engines are told apart: mark-up that an engine does not write is none."""


def engine_estimate(rows: pd.DataFrame, target: str) -> Estimate:
    """The mean error of one engine's pages."""
    return estimate(
        rows[f"{target}_mean"].to_numpy(float),
        rows["doc_id"].tolist(),
        _off(rows, target, shipped().bias),
        _truth(rows, target),
    )


def engine_verdict(
    table: pd.DataFrame, first: str, second: str, target: str, comparisons: int = 1
) -> Verdict:
    """Which of two engines reads the sample better, by one of so many ``comparisons``."""
    pair = [table[table["engine"] == name].reset_index(drop=True) for name in (first, second)]
    return compare(
        pair[0][f"{target}_mean"].to_numpy(float),
        pair[1][f"{target}_mean"].to_numpy(float),
        pair[0]["doc_id"].tolist(),
        sum(_off(rows, target, shipped().doubt) for rows in pair) / 2,
        (_truth(pair[0], target), _truth(pair[1], target)),
        comparisons=comparisons,
    )


def _truth(rows: pd.DataFrame, target: str) -> np.ndarray:
    return rows[f"true_{target}"].to_numpy(float)


def _off(rows: pd.DataFrame, target: str, shares: Mapping[str, Mapping[str, float]]) -> float:
    """How far means of these predictions may lie from the truth: a deviation."""
    factors = [
        shares[kind({"layer": layer})][target] * spread
        for layer, spread in zip(rows["layer"], rows[f"{target}_spread"], strict=True)
    ]
    return float(np.mean(factors))
