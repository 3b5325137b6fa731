"""Intervals of rank correlations: how often they hold the truth, and their own estimate.

    python -m benchmarks.rank_intervals VALIDITY RUN [--simulations 300]

VALIDITY is the folder of a finished ``question_validity``, RUN a finished ``ocr_benchmark`` of the
ground truth and another knowledge base. Their documents stand for the population: samples of
several sizes are drawn from them with replacement, many times. Prints three tables of
``docs/reference/intervals-checked.md``: percentiles of the correlation of condition means (which
the toolkit does not use), pairs of conditions that are settled though none differ, and the
jackknife of correlations over questions. Takes about five minutes.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import replace
from itertools import combinations
from pathlib import Path

import numpy as np
import pandas as pd

from benchmarks._tables import table
from ohr.analysis.comparison.table import metrics_of
from ohr.analysis.predictiveness.damage import damages
from ohr.analysis.predictiveness.table import usual_outcomes
from ohr.analysis.validity.table import Scores, scores_of, settled_pairs, tau_b
from ohr.statistics import (
    Clusters,
    Interval,
    RankCorrelation,
    holm,
    jackknife_interval,
    percentile_interval,
    rank_correlations,
    sign_flip_test,
)
from ohr.study.results import open_run

DOCUMENTS = (5, 10, 20, 30, 60)
RESAMPLES = 399
PREDICTORS = ("evidence_lcs", "wer", "edit_distance")
Shares = dict[str, list[float]]


def document_sums(scores: Scores, documents: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Sums ``(documents, conditions)`` and counts ``(documents,)`` of the questions of each."""
    index = np.searchsorted(documents, scores.documents)
    sums = np.zeros((len(documents), scores.values.shape[1]))
    np.add.at(sums, index, scores.values)
    return sums, np.bincount(index, minlength=len(documents)).astype(float)


def simulate_condition_means(
    original: Scores, generated: Scores, n: int, simulations: int
) -> dict[str, float]:
    """Percentile intervals of the rank correlation of two sets' condition means, by document."""
    documents = np.intersect1d(original.documents, generated.documents)
    parts = [document_sums(_only(scores, documents), documents) for scores in (original, generated)]
    truths = _both([sums.sum(axis=0, keepdims=True) / counts.sum() for sums, counts in parts])
    rng = np.random.default_rng([11, n])
    hits = dict.fromkeys(truths, 0)
    excluded = dict.fromkeys(truths, 0)
    for _ in range(simulations):
        chosen = rng.integers(0, len(documents), n)
        weights = np.vstack([np.ones(n), rng.multinomial(n, np.full(n, 1 / n), RESAMPLES)])
        means = [(weights @ s[chosen]) / (weights @ c[chosen])[:, None] for s, c in parts]
        for name, values in _both(means).items():
            low, high = np.nanquantile(values[1:], [0.025, 0.975])
            hits[name] += bool(low - 1e-9 <= truths[name][0] <= high + 1e-9)
            excluded[name] += not low - 1e-9 <= values[0] <= high + 1e-9
    return {f"{name}: holds the truth": hits[name] / simulations for name in hits} | {
        f"{name}: excludes its estimate": excluded[name] / simulations for name in excluded
    }


def _only(scores: Scores, documents: np.ndarray) -> Scores:
    keep = np.isin(scores.documents, documents)
    return replace(
        scores,
        values=scores.values[keep],
        documents=scores.documents[keep],
        pages=scores.pages[keep],
    )


def _both(means: list[np.ndarray]) -> dict[str, np.ndarray]:
    return {
        "Kendall's τ_b": np.array([tau_b(a, b) for a, b in zip(*means, strict=True)]),
        "Spearman's ρ": rank_correlations(*means),
    }


def settled(scores: Scores, n: int, simulations: int) -> dict[str, float]:
    """Pairs of conditions that are settled: of equal conditions, and of the real ones.

    Conditions are equal where they change places in each document. Where only their means over
    all documents are made equal, a few documents may carry the mean, and a study without one of
    them finds a difference.
    """
    documents = np.unique(scores.documents)
    sums, counts = document_sums(scores, documents)
    means = sums.sum(axis=0) / counts.sum()
    equal = sums - counts[:, None] * means
    rng = np.random.default_rng([12, n])
    wrong, skewed, right, opposite = 0, 0, 0.0, 0
    for _ in range(simulations):
        chosen = rng.integers(0, len(documents), n)
        alike = rng.permuted(sums[chosen], axis=1)  # conditions change places in each document
        wrong += bool(_settled(alike, scores)["settled"].any())
        skewed += bool(_settled(equal[chosen], scores)["settled"].any())
        real = _settled(sums[chosen], scores)
        places = {name: index for index, name in enumerate(scores.conditions)}
        truth = [
            means[places[b]] - means[places[a]]
            for a, b in zip(real["first"], real["second"], strict=True)
        ]
        right += float(real["settled"].mean())
        against = real["settled"] & (np.sign(truth) != np.sign(real["difference"]))
        opposite += bool(against.any())
    return {
        "conditions change places: studies that settle a pair": wrong / simulations,
        "means made equal: studies that settle a pair": skewed / simulations,
        "as they are: share of pairs settled": right / simulations,
        "as they are: studies that settle a pair the wrong way": opposite / simulations,
    }


def _settled(sums: np.ndarray, scores: Scores) -> pd.DataFrame:
    """Sign flips of documents need their sums alone: a row for each."""
    names = np.array([f"{i:03d}" for i in range(len(sums))])
    return settled_pairs(Scores(sums, names, names, scores.conditions))


def simulate_questions(frame: pd.DataFrame, n: int, simulations: int) -> dict[str, float]:
    """Both intervals of Spearman's correlation over questions, and equal predictors that differ."""
    names, index = np.unique(frame["doc_id"], return_inverse=True)
    members = [np.flatnonzero(index == i) for i in range(len(names))]
    loss = frame["loss"].to_numpy(dtype=float)
    damage = {name: frame[name].to_numpy(dtype=float) for name in PREDICTORS}
    grades = frame[list(PREDICTORS)].rank(pct=True).to_numpy()
    truth = {name: RankCorrelation(values, loss).value for name, values in damage.items()}
    rng = np.random.default_rng([13, n])
    kinds = ("percentiles", "jackknife (**ours**)")
    hits = {kind: [0, 0, 0] for kind in kinds}
    differ = 0
    for _ in range(simulations):
        drawn = [members[i] for i in rng.integers(0, len(names), n)]
        rows = np.concatenate(drawn)
        owners = np.repeat(np.arange(n), [len(rows) for rows in drawn])
        clusters = Clusters(owners, n, "document")
        for name, values in damage.items():
            ranked = RankCorrelation(values[rows], loss[rows])
            resampled = ranked.resampled(clusters, RESAMPLES, int(rng.integers(1 << 30)))
            ends = (
                percentile_interval(resampled, clusters),
                jackknife_interval(ranked.value, ranked.leave_out(clusters), clusters),
            )
            for kind, interval in zip(kinds, ends, strict=True):
                if interval.unit:
                    hits[kind][0] += 1
                    hits[kind][1] += _holds(interval, truth[name])
                    hits[kind][2] += not _holds(interval, ranked.value)
        # Predictors that change places document by document are equally good.
        orders = rng.permuted(np.tile(np.arange(len(PREDICTORS)), (n, 1)), axis=1)[owners]
        mixed = np.take_along_axis(grades[rows], orders, axis=1)
        products = [RankCorrelation(column, loss[rows]).products for column in mixed.T]
        if np.isfinite(products).all():  # something was lost
            ps = [sign_flip_test(a - b, clusters, flips=999) for a, b in combinations(products, 2)]
            differ += bool((holm(np.array(ps)) <= 0.05).any())
    return {
        **{f"{kind}: holds the truth": _share(count[1], count[0]) for kind, count in hits.items()},
        **{
            f"{kind}: excludes its estimate": _share(count[2], count[0])
            for kind, count in hits.items()
        },
        "equal predictors: studies that show a difference": differ / simulations,
    }


def _share(part: int, of: int) -> float:
    """NaN where no study had an interval."""
    return part / of if of else float("nan")


def _holds(interval: Interval, value: float) -> bool:
    return interval.low - 1e-9 <= value <= interval.high + 1e-9


def main() -> None:
    """Print every table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("validity", type=Path)
    parser.add_argument("run", type=Path)
    parser.add_argument("--simulations", type=int, default=300)
    options = parser.parse_args()
    original, generated = (
        scores_of(open_run(options.validity / name), "retrieval", "lcs")
        for name in ("given", "made")
    )
    run = open_run(options.run)
    outcomes = metrics_of([run], usual_outcomes([run]))
    frames = {damage.outcome.label: damage.frame for damage in damages([run], outcomes)}

    def shares(simulate: Callable[..., dict[str, float]], *what: Scores | pd.DataFrame) -> Shares:
        columns = [simulate(*what, n, options.simulations) for n in DOCUMENTS]
        return {name: [column[name] for column in columns] for name in columns[0]}

    table(
        "percentiles of a correlation of condition means; documents:",
        shares(simulate_condition_means, original, generated),
        DOCUMENTS,
    )
    table("settled pairs, given questions; documents:", shares(settled, original), DOCUMENTS)
    for label, frame in frames.items():
        table(
            f"correlations with {label}; documents:", shares(simulate_questions, frame), DOCUMENTS
        )


if __name__ == "__main__":
    main()
