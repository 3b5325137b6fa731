"""How often the toolkit's one test errs, and how often its intervals hold the truth.

    python -m benchmarks.inference [--simulations N] [--documents 5 8 20]

Each study has a ground truth and three engines that lose equally much of it, each in its own
documents. All six differences of two are one family (:func:`ohr.statistics.infer`). Printed for
each kind of loss and number of documents:

- *error*: studies that show a difference between two engines (nominal: .05 at most);
- *coverage*: intervals of an engine's loss that hold the true one (.95 at least);
- *passed by the interval*: studies of one engine whose interval excludes its true loss on the side
  of larger ones, so that a gate with this margin would let it pass (.025);
- *passed by the gate*: the same with the gate's rule, which counts the worst document twice (.025);
- *power*: studies that show the loss of the first engine;
- *together*: studies all of whose six intervals hold.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import partial

import numpy as np

from benchmarks._tables import table
from ohr.statistics import Clusters, Paired, infer
from ohr.statistics.pairs import double_worst

DOCUMENTS = (5, 6, 8, 10, 14, 20, 30, 60, 100, 200)
FLIPS = 999
ENGINES = 3
LOST = 0.12
"""The share of documents that an engine loses as a whole."""
POPULATION = 200_000
"""The documents of which the true losses are the means."""
PASSED, GATE = "passed by the interval", "passed by the gate"
MEASURES = ("error", "coverage", PASSED, GATE, "power", "together")

Losses = Callable[[np.random.Generator, np.ndarray, int], np.ndarray]
"""(generator, document of each question, documents) -> losses ``(ENGINES, n)``."""


def gaussian(rng: np.random.Generator, index: np.ndarray, documents: int) -> np.ndarray:
    """Losses of .05 in the mean, with normal spread over documents and questions."""
    of_document = rng.normal(0.05, 0.08, (ENGINES, documents))
    return of_document[:, index] + rng.normal(0, 0.2, (ENGINES, len(index)))


def skewed(rng: np.random.Generator, index: np.ndarray, documents: int) -> np.ndarray:
    """Most documents lose little and few lose much; of a question all or nothing."""
    share = np.minimum(0.06 * rng.gamma(0.5, 2, (ENGINES, documents)), 1)
    return (rng.random((ENGINES, len(index))) < share[:, index]).astype(float)


def whole_documents(rng: np.random.Generator, index: np.ndarray, documents: int) -> np.ndarray:
    """Some documents lose everything; in the others questions differ a little."""
    lost = (rng.random((ENGINES, documents)) < LOST)[:, index]
    score = rng.uniform(0.5, 1, len(index))
    return np.where(lost, score, rng.normal(0, 0.05, (ENGINES, len(index))))


def only_whole_documents(rng: np.random.Generator, index: np.ndarray, documents: int) -> np.ndarray:
    """Some documents lose everything, and no other question changes."""
    lost = (rng.random((ENGINES, documents)) < LOST)[:, index]
    return np.where(lost, rng.uniform(0.5, 1, len(index)), 0.0)


def equal(rng: np.random.Generator, documents: int) -> np.ndarray:
    """Eight questions in each document."""
    return np.full(documents, 8)


def unequal(rng: np.random.Generator, documents: int) -> np.ndarray:
    """One to 60 questions in a document, five in the median."""
    return np.clip(np.round(rng.lognormal(1.6, 0.9, documents)), 1, 60).astype(int)


KINDS: Mapping[str, tuple[Losses, Callable[[np.random.Generator, int], np.ndarray]]] = {
    "Gaussian": (gaussian, equal),
    "Gaussian, unequal sizes": (gaussian, unequal),
    "skewed": (skewed, equal),
    "skewed, unequal sizes": (skewed, unequal),
    "12 % of the documents lost": (whole_documents, equal),
    "12 % lost, unequal sizes": (whole_documents, unequal),
    "12 % lost, nothing else changes": (only_whole_documents, equal),
}


def simulate(
    kind: str, documents: int, simulations: int, *, population: int = POPULATION
) -> dict[str, float]:
    """The share of studies for each of :data:`MEASURES`."""
    losses, sizes = KINDS[kind]
    rng = np.random.default_rng(7)
    index = np.repeat(np.arange(population), sizes(rng, population))
    true = float(losses(rng, index, population).mean())
    counts = dict.fromkeys(MEASURES, 0.0)
    for number in range(simulations):
        rng = np.random.default_rng([number, documents])
        index = np.repeat(np.arange(documents), sizes(rng, documents))
        clusters = Clusters(index, documents, "document")
        paired = partial(Paired, clusters=clusters)
        lost = losses(rng, index, documents)
        differences = [paired(-each) for each in lost]
        differences += [paired(lost[i] - lost[j]) for i, j in ((0, 1), (0, 2), (1, 2))]
        results = infer(differences, flips=FLIPS, seed=number)
        truths = [-true] * ENGINES + [0.0] * 3
        holds = [
            each.interval.low <= truth <= each.interval.high
            for each, truth in zip(results, truths, strict=True)
        ]
        [alone] = infer(differences[:1], flips=FLIPS, seed=number)
        counts["error"] += any(each.is_shown for each in results[ENGINES:])
        counts["coverage"] += sum(holds[:ENGINES]) / ENGINES
        [harsher] = infer([double_worst(differences[0], lowest=True)], flips=FLIPS, seed=number)
        counts[PASSED] += alone.interval.low > -true
        counts[GATE] += min(alone.interval.low, harsher.interval.low) > -true
        counts["power"] += results[0].is_shown
        counts["together"] += all(holds)
    return {name: count / simulations for name, count in counts.items()}


def main(argv: Sequence[str] | None = None) -> int:
    """Print the tables. Returns the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--simulations", type=int, default=1000)
    parser.add_argument("--documents", type=int, nargs="+", default=list(DOCUMENTS))
    options = parser.parse_args(argv)
    rates = {
        (kind, size): simulate(kind, size, options.simulations)
        for kind in KINDS
        for size in options.documents
    }
    for measure in MEASURES:
        rows = {kind: [rates[kind, size][measure] for size in options.documents] for kind in KINDS}
        table(f"{measure}; documents:", rows, options.documents)
    return 0


if __name__ == "__main__":
    sys.exit(main())
