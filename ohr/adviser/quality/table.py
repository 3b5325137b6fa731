"""Mean errors of engines, from predictions of pages and from transcribed pages."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd

from ohr.quality.inference import (
    FEWEST_DOCUMENTS,
    FEWEST_LABELLED,
    Estimate,
    OutputComparison,
    compare,
    estimate,
)
from ohr.quality.predictor import COVERAGE, kind, shipped
from ohr.quality.truth import DECISIVE, TARGETS
from ohr.statistics.inference import ALPHA
from ohr.types import FAILED

DECIDES = DECISIVE


def engine_estimate(rows: pd.DataFrame, target: str) -> Estimate | None:
    """The mean error of one engine's pages; None if it is not assessed.

    It is over the assessed pages; with enough transcribed pages, over all pages: predictions then
    do not change the mean, only its interval.
    """
    predicted, truth = rows[f"{target}_mean"].to_numpy(float), _truth(rows, target)
    is_known = ~np.isnan(predicted)
    if np.count_nonzero(~np.isnan(truth)) >= FEWEST_LABELLED:
        return estimate(_filled(predicted), rows["doc_id"].tolist(), 0.0, truth)
    if not is_assessed(rows) or not is_known.any():
        return None
    some = rows[is_known]
    return estimate(
        predicted[is_known],
        some["doc_id"].tolist(),
        _deviation(some, target, shipped().bias),
        truth[is_known],
    )


def engine_verdict(
    table: pd.DataFrame, first: str, second: str, target: str, alpha: float = ALPHA
) -> OutputComparison | None:
    """Which of two engines has fewer errors on the sample; None if one is not assessed.

    ``alpha`` is the chance of a false winner.
    """
    pair = _shared_pages(table, first, second)
    predicted = [rows[f"{target}_mean"].to_numpy(float) for rows in pair]
    truths = [_truth(rows, target) for rows in pair]
    both = ~np.isnan(predicted[0]) & ~np.isnan(predicted[1])
    if not len(both):
        return None
    if np.count_nonzero(~np.isnan(truths[0] - truths[1])) >= FEWEST_LABELLED:
        doubt = 0.0
        first_values, second_values = map(_filled, predicted)
    elif all(map(is_assessed, pair)) and both.any():
        pair = [rows[both] for rows in pair]
        first_values, second_values = (values[both] for values in predicted)
        truths = [values[both] for values in truths]
        doubt = sum(_deviation(rows, target, shipped().doubt) for rows in pair) / 2
    else:
        return None
    documents = pair[0]["doc_id"].tolist()
    return compare(
        first_values,
        second_values,
        documents,
        doubt,
        (truths[0], truths[1]),
        alpha=alpha,
    )


def have_same_scores(table: pd.DataFrame, first: str, second: str, target: str) -> bool:
    """Whether two engines have the same error on every page, and share all their pages."""
    pair = _shared_pages(table, first, second)
    shared = len(pair[0])
    if not shared or (table["engine"].isin([first, second])).sum() != 2 * shared:
        return False
    predicted = [rows[f"{target}_mean"].to_numpy(float) for rows in pair]
    truths = [_truth(rows, target) for rows in pair]
    return np.array_equal(predicted[0], predicted[1]) and np.array_equal(
        truths[0], truths[1], equal_nan=True
    )


def _shared_pages(table: pd.DataFrame, first: str, second: str) -> list[pd.DataFrame]:
    """The rows of two engines on the pages that both can read, in the same order."""
    keys = ["doc_id", "page_no"]
    parts = [table[table["engine"] == name].set_index(keys) for name in (first, second)]
    shared = [page for page in parts[0].index if page in parts[1].index]
    return [part.loc[shared].reset_index() for part in parts]


def is_assessed(rows: pd.DataFrame) -> bool:
    """Whether one of an engine's pages has a prediction, or every page failed."""
    failed = rows["status"].isin([str(status) for status in FAILED])
    return bool(failed.all() or (rows["assessed"] & ~failed).any())


def known_coverage(table: pd.DataFrame) -> list[tuple[str, float, float]]:
    """Errors whose 90 % intervals are known to be too short: name, lowest and highest coverage."""
    shares = []
    for target in TARGETS:
        short = table[f"{target}_coverage"]
        short = short[short < COVERAGE]
        if len(short):
            shares.append((target, float(short.min()), float(short.max())))
    return shares


def few_documents(table: pd.DataFrame) -> int:
    """The number of documents if they are too few to generalise to others; else 0."""
    documents = table["doc_id"].nunique()
    return documents if documents < FEWEST_DOCUMENTS else 0


def documents_clause(table: pd.DataFrame) -> str:
    """`` of these 3 documents`` for too few documents to generalise; else empty."""
    few = few_documents(table)
    return "" if not few else " of this document" if few == 1 else f" of these {few} documents"


def _filled(predicted: np.ndarray) -> np.ndarray:
    """Predictions, with the mean for pages without one."""
    is_known = predicted[~np.isnan(predicted)]
    return np.where(np.isnan(predicted), is_known.mean() if len(is_known) else 0.0, predicted)


def _truth(rows: pd.DataFrame, target: str) -> np.ndarray:
    return rows[f"true_{target}"].to_numpy(float)


def _deviation(rows: pd.DataFrame, target: str, shares: Mapping[str, Mapping[str, float]]) -> float:
    """The deviation of means of these predictions from the truth."""
    factors = [
        shares[kind({"layer": layer})][target] * spread
        for layer, spread in zip(rows["layer"], rows[f"{target}_spread"], strict=True)
    ]
    return float(np.mean(factors))
