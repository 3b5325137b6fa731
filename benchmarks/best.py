"""How often a true best is called worse when the best is chosen and tested on the same questions.

    python -m benchmarks.best [--simulations 1000]

Studies are simulated: documents of unequal size, scores in [0, 1] with many 0 and 1 as F1 has them,
correlated within documents and between candidates. Each candidate is compared with the one with the
best mean, by p of the cluster sign-flip test after Holm's correction, or by the interval of the
paired difference; or all at once with :func:`ohr.statistics.compare_with_best`, the toolkit's
method. Prints the tables of ``docs/reference/intervals-checked.md``. Takes some minutes.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass

import numpy as np

from benchmarks._tables import table
from ohr.statistics import Clusters, compare_with_best, holm, mean_interval, sign_flip_test

CANDIDATES = (3, 5, 9)
DOCUMENTS = (3, 5, 6, 10, 20, 60)
FLIPS = 999
LOWER = 0.1
"""How much lower, in F1, a worse candidate's mean is, nearly: scores end at 0 and 1."""
HOLM, INTERVAL, OURS = "Holm", "intervals", "**ours**"
WAYS = (HOLM, INTERVAL, OURS)
EQUAL = "all are equal"
HALF = "half are the best, the others .1 lower"
FAILING = "equal, each fails on one document in eight"
SPREAD = "equal means, half of them with twice the spread"
FALSE = (EQUAL, HALF, FAILING, SPREAD)
"""Settings in which a false statement can be made: a true best is called worse."""
ONE_LOWER = "one is .1 lower"
"""The setting in which that one should be found."""


@dataclass(frozen=True)
class Study:
    """Scores ``(candidates, n)`` of one simulated study, and which candidates are the best."""

    scores: np.ndarray
    clusters: Clusters
    best: frozenset[int]


def simulated(setting: str, candidates: int, documents: int, rng: np.random.Generator) -> Study:
    """One study of :data:`FALSE` or :data:`ONE_LOWER`.

    A document has 1 question or more, 8 on average, the largest often a quarter of them all.
    A score is .5 and a part of the document, of the question, of the candidate in the document
    and of the candidate with the question, cut to [0, 1].
    """
    sizes = 1 + rng.geometric(0.5, documents) * rng.integers(0, 8, documents)
    owners = np.repeat(np.arange(documents), sizes)
    n = len(owners)
    own = rng.normal(0, 0.15, (candidates, documents))[:, owners]
    own += rng.normal(0, 0.3, (candidates, n))
    best = set(range(candidates))
    if setting == SPREAD:
        own[candidates // 2 :] *= 2
    shared = rng.normal(0, 0.25, documents)[owners] + rng.normal(0, 0.4, n)
    latent = 0.5 + shared + own
    if setting in (HALF, ONE_LOWER):
        worse = range((candidates + 1) // 2 if setting == HALF else candidates - 1, candidates)
        latent[list(worse)] -= 1.5 * LOWER  # of which cutting leaves about LOWER
        best -= set(worse)
    scores = np.clip(latent, 0, 1)
    if setting == FAILING:
        scores[(rng.random((candidates, documents)) < 1 / 8)[:, owners]] = 0
    return Study(scores, Clusters(owners, documents, "document"), frozenset(best))


def called_worse(study: Study, way: str) -> set[int]:
    """Candidates that are called worse than the best."""
    if way == OURS:
        [comparison] = compare_with_best([study.scores], study.clusters, flips=FLIPS)
        return set(comparison.worse)
    first = int(study.scores.mean(axis=1).argmax())
    rest = [i for i in range(len(study.scores)) if i != first]
    behind = [study.scores[first] - study.scores[i] for i in rest]
    if way == INTERVAL:
        ends = [mean_interval(difference, study.clusters, bounded=False) for difference in behind]
        return {i for i, interval in zip(rest, ends, strict=True) if interval.low > 0}
    p = np.array([sign_flip_test(difference, study.clusters, flips=FLIPS) for difference in behind])
    return {i for i, adjusted in zip(rest, holm(p), strict=True) if adjusted <= 0.05}


def rates(setting: str, candidates: int, documents: int, simulations: int) -> dict[str, float]:
    """Of each way, the share of studies with a false statement; of :data:`ONE_LOWER`, in which the
    worse candidate is found.
    """
    rng = np.random.default_rng([len(setting), candidates, documents])
    hits = dict.fromkeys(WAYS, 0)
    for _ in range(simulations):
        study = simulated(setting, candidates, documents, rng)
        for way in WAYS:
            worse = called_worse(study, way)
            hits[way] += (
                candidates - 1 in worse if setting == ONE_LOWER else bool(worse & study.best)
            )
    return {way: count / simulations for way, count in hits.items()}


def main() -> None:
    """Print every table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--simulations", type=int, default=1000)
    options = parser.parse_args()
    for setting in (*FALSE, ONE_LOWER):
        what = "found" if setting == ONE_LOWER else "false"
        rows = {}
        for k in CANDIDATES:
            shares = [rates(setting, k, n, options.simulations) for n in DOCUMENTS]
            rows |= {f"{k} candidates, {way}": [share[way] for share in shares] for way in WAYS}
        table(f"{what}, {setting}; documents:", rows, DOCUMENTS)


if __name__ == "__main__":
    main()
