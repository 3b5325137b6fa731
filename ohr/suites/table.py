"""The table of a suite: submissions ranked by the evidence that is found under noise."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from ohr.statistics import Clusters, ties
from ohr.statistics.paired import POWER, compare_paired
from ohr.statistics.ratios import ratio_interval
from ohr.suites.check import baseline
from ohr.suites.submission import CLEAN, Scores, Submission

EVIDENCE, ANSWERS = "retrieval:lcs", "overall:f1"
COSTS = {"retrieval:lcs": "retrieval", "generation:f1": "answers", ANSWERS: "system"}
"""Metrics whose mean noise cost is given -> the prefix of their columns."""
PER_THOUSAND = {"ocr:silent_numbers": "changed_numbers", "ocr:invented_words": "invented_words"}
COLUMNS = (
    *("place", "letters", "name", "licence", "cpu_seconds", "images", "failed_pages"),
    *("clean", "noisy", "noisy_low", "noisy_high", "answers_clean", "answers_noisy"),
    *(f"{prefix}_cost{end}" for prefix in COSTS.values() for end in ("", "_low", "_high")),
    *(f"{name}{end}" for name in PER_THOUSAND.values() for end in ("", "_low", "_high")),
    *("n", "n_documents"),
)
"""Columns of ``suite.csv``. ``clean`` and ``noisy`` are the retrieval LCS, ``answers`` the answer
F1 of the whole system. Costs are 100 for the frozen engine; what is made up is per 1,000."""


def suite_table(submissions: Sequence[Submission]) -> pd.DataFrame:
    """One row per submission of one suite and track, the most evidence under noise first.

    ``attrs["resolution"]`` is the smallest difference of two rows under noise that the suite shows
    in four of five cases, the median over pairs; NaN for a single submission.
    """
    records = [_record(each) for each in submissions]
    table = pd.DataFrame(records, columns=[name for name in COLUMNS if name not in ("place",)])
    noisy = np.array([_noisy(each.scores[EVIDENCE]) for each in submissions])
    clusters = _clusters(submissions[0].scores[EVIDENCE])
    table["letters"] = ""
    if len(submissions) > 1:
        table["letters"] = list(ties(noisy, clusters).letters)
    table = table.sort_values(["noisy", "name"], ascending=[False, True], ignore_index=True)
    table.insert(0, "place", range(1, len(table) + 1))
    table.attrs["resolution"] = resolution(noisy, clusters)
    return table


def resolution(noisy: np.ndarray, clusters: Clusters) -> float:
    """The smallest difference of two conditions that is shown with power .8, alone.

    ``noisy`` is float ``(conditions, n)``; the median over pairs, by Student's t for the standard
    error of each difference over documents. NaN for one condition.
    """
    from scipy.special import stdtrit

    errors = [
        compare_paired(noisy[first] - noisy[second], clusters).standard_error
        for first in range(len(noisy))
        for second in range(first)
    ]
    if not errors or clusters.size < 2:
        return math.nan
    quantiles = sum(float(stdtrit(clusters.size - 1, q)) for q in (0.975, POWER))
    return float(np.median(errors) * quantiles)


def _record(submission: Submission) -> dict[str, Any]:
    evidence, answers = submission.scores[EVIDENCE], submission.scores[ANSWERS]
    clusters = _clusters(evidence)
    noisy = compare_paired(_noisy(evidence), clusters)
    record: dict[str, Any] = {
        "letters": "",
        "name": submission.name,
        "licence": submission.licence,
        "cpu_seconds": math.nan if submission.cpu_seconds is None else submission.cpu_seconds,
        "images": submission.images,
        "failed_pages": submission.failed_pages,
        "clean": float(np.mean(_values(evidence, CLEAN))),
        "noisy": noisy.difference,
        "noisy_low": noisy.interval.low,
        "noisy_high": noisy.interval.high,
        "answers_clean": float(np.mean(_values(answers, CLEAN))),
        "answers_noisy": float(np.mean(_noisy(answers))),
        "n": len(evidence.units),
        "n_documents": clusters.size,
    }
    for metric, prefix in COSTS.items():
        cost = _cost(submission, metric)
        record |= dict(zip((f"{prefix}_cost{end}" for end in ("", "_low", "_high")), cost,
                           strict=True))  # fmt: skip
    for metric, prefix in PER_THOUSAND.items():
        rate = _rate(submission, metric)
        record |= dict(zip((f"{prefix}{end}" for end in ("", "_low", "_high")), rate, strict=True))
    return record


def _cost(submission: Submission, metric: str) -> tuple[float, float, float]:
    """The mean noise cost: the loss under all noise, of 100 that the frozen engine loses.

    A ratio of sums with Fieller's interval, as in ``ohr analyse noise-cost``. NaN on the track of
    text, which no engine reads, and where the frozen engine loses nothing.
    """
    if submission.track == "text":
        return (math.nan,) * 3
    scores = submission.scores[metric]
    frozen = baseline(submission.suite, submission.track)
    if frozen is None:
        return (math.nan,) * 3
    loss, frozen_loss = _loss(scores), _loss(frozen.scores[metric])
    if frozen_loss.mean() <= 0:
        return (math.nan,) * 3
    interval = ratio_interval(loss, frozen_loss, _clusters(scores))
    ends = 100 * interval.low, 100 * interval.high
    return float(100 * loss.mean() / frozen_loss.mean()), *ends


def _rate(submission: Submission, metric: str) -> tuple[float, float, float]:
    """What is made up under noise, of 1,000, with its interval over documents."""
    scores = submission.scores.get(metric)
    if scores is None:
        return (math.nan,) * 3
    values = _noisy(scores)
    has_value = ~np.isnan(values)
    if not has_value.any():
        return (math.nan,) * 3
    mean = compare_paired(values[has_value], _clusters(scores).only(has_value))
    return 1000 * mean.difference, 1000 * mean.interval.low, 1000 * mean.interval.high


def _loss(scores: Scores) -> np.ndarray:
    loss: np.ndarray = _values(scores, CLEAN) - _noisy(scores)
    return loss


def _noisy(scores: Scores) -> np.ndarray:
    """The mean of each unit over the noisy conditions that have a score; NaN where none has."""
    noisy = np.array([_values(scores, name) for name in scores.values if name != CLEAN])
    counted = (~np.isnan(noisy)).sum(axis=0)
    sums = np.nansum(noisy, axis=0)
    means: np.ndarray = np.where(counted > 0, sums / np.maximum(counted, 1), np.nan)
    return means


def _values(scores: Scores, condition: str) -> np.ndarray:
    return np.array([math.nan if each is None else each for each in scores.values[condition]])


def _clusters(scores: Scores) -> Clusters:
    documents = np.array(scores.documents)
    return Clusters.from_labels(documents, np.array(scores.units))
