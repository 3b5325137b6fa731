"""Fits the weights of the extractive reader's span model, and validates them.

    python -m benchmarks.reader_fit [DATA] [--write]

Each candidate span of a question has a probability, the softmax of a linear score; what is
maximised is the mean log of the F1 expected under it, with a ridge on the weights that all
kinds of question share and a stronger one on each kind's departure from them. The F1 here is
over white-space separated words, normalised as the reference does, which counts fast.

Printed: F1 on questions that were not fitted on, with five folds over documents and with each
domain left out in turn (how the reader does on a domain it has not seen). ``--write`` then
fits on everything and rewrites ``rag/readers/extractive_weights.json``. Takes about ten minutes.
"""

from __future__ import annotations

import json
import re
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy.optimize import minimize

from benchmarks.reader import Item, data_folder, load
from ohr.metrics import reference
from rag.readers import extractive
from rag.readers._candidates import ParsedPage, read_page
from rag.readers._question_type import QuestionType, question_type
from rag.readers._rank import Ranked
from rag.readers._spans import FEATURES, Spans, spans

SHARED_RIDGE, OWN_RIDGE = 1e-3, 1e-2
ITERATIONS = 150
FLOOR = 0.02  # keeps the log finite for a question no span of which matches
KINDS: list[QuestionType] = [kind for kind in QuestionType if kind is not QuestionType.YES_NO]


@dataclass(frozen=True)
class Example:
    """One question's candidate spans: features and the F1 each would score."""

    doc_id: str
    kind: QuestionType
    features: np.ndarray
    f1: np.ndarray


def examples(items: Sequence[Item]) -> list[Example]:
    """Every question that has candidates and no yes/no answer, in the order of ``KINDS``."""
    usable = []
    for item in items:
        kind = question_type(item.question)
        if item.is_verdict or kind is QuestionType.YES_NO:
            continue
        pages = [page for page in (read_page(hit.text) for hit in item.context) if page.units]
        if pages:
            ranked, weights = extractive.rank(item.question, pages)
            candidates = spans(ranked, pages, weights, item.question)
            f1 = np.max([word_f1(candidates, ranked, pages, a) for a in item.answers], axis=0)
            usable.append(Example(item.doc_id, kind, candidates.features, f1))
    return sorted(usable, key=lambda example: KINDS.index(example.kind))


def word_f1(
    candidates: Spans, ranked: Sequence[Ranked], pages: Sequence[ParsedPage], answer: str
) -> np.ndarray:
    """F1 of each candidate by running counts of the answer's words."""
    gold = Counter(reference.tokens(answer))
    f1 = np.zeros(len(candidates.start), dtype=np.float32)
    for index, item in enumerate(ranked):
        page = pages[item.page]
        members = np.flatnonzero(candidates.unit == index)
        words = [
            (match.start(), word)
            for match in re.finditer(r"\S+", page.units[item.unit].text)
            if (word := reference.normalise(match.group()))
        ]
        if not words or not len(members):
            continue
        starts = np.array([start for start, _ in words])
        hits = np.concatenate([[0], np.cumsum([word in gold for _, word in words])])
        first = np.searchsorted(starts, page.char_start[candidates.start[members]], "right") - 1
        first = np.maximum(first, 0)
        last = np.searchsorted(starts, page.char_end[candidates.end[members] - 1], "left")
        count = last - first
        shared = np.minimum(hits[last] - hits[first], np.minimum(gold.total(), count))
        f1[members] = 2 * shared / np.maximum(count + gold.total(), 1)
    return f1


@dataclass(frozen=True)
class Batch:
    """Examples end to end; ``bounds`` are the rows of each kind."""

    features: np.ndarray
    f1: np.ndarray
    first: np.ndarray
    question: np.ndarray
    bounds: list[tuple[int, int]]

    @classmethod
    def of(cls, chosen: Sequence[Example], scale: np.ndarray) -> Batch:
        counts = np.array([len(example.f1) for example in chosen])
        edges = np.concatenate([[0], np.cumsum(counts)])
        kinds = [KINDS.index(example.kind) for example in chosen]
        bounds = [
            (int(edges[np.searchsorted(kinds, k)]), int(edges[np.searchsorted(kinds, k, "right")]))
            for k in range(len(KINDS))
        ]
        return cls(
            np.concatenate([example.features for example in chosen]) / scale,
            np.concatenate([example.f1 for example in chosen]),
            edges[:-1],
            np.repeat(np.arange(len(chosen)), counts),
            bounds,
        )

    def scores(self, weights: np.ndarray) -> np.ndarray:
        parts = [self.features[a:b] @ weights[k] for k, (a, b) in enumerate(self.bounds)]
        return np.concatenate(parts)


def fit(batch: Batch) -> np.ndarray:
    """Weights by kind, ``(len(KINDS), len(FEATURES))``, on scaled features."""
    questions = len(batch.first)
    shape = (len(KINDS) + 1, len(FEATURES))
    ridge = np.array([SHARED_RIDGE] + [OWN_RIDGE] * len(KINDS))[:, None]

    def loss(flat: np.ndarray) -> tuple[float, np.ndarray]:
        table = flat.reshape(shape)
        score = batch.scores((table[0] + table[1:]).astype(np.float32))
        power = np.exp(score - np.maximum.reduceat(score, batch.first)[batch.question])
        chance = power / np.add.reduceat(power, batch.first)[batch.question]
        expected = np.add.reduceat(chance * batch.f1, batch.first)
        slope = -chance * (batch.f1 - expected[batch.question])
        slope /= (expected + FLOOR)[batch.question]
        gradient = np.zeros(shape)
        for k, (a, b) in enumerate(batch.bounds):
            gradient[k + 1] = slope[a:b] @ batch.features[a:b]
        gradient[0] = gradient[1:].sum(axis=0)
        value = -np.log(expected + FLOOR).sum() / questions + (ridge * table**2).sum()
        return float(value), (gradient / questions + 2 * ridge * table).ravel()

    options = {"maxiter": ITERATIONS}
    optimum = minimize(loss, np.zeros(shape).ravel(), jac=True, method="L-BFGS-B", options=options)
    table = optimum.x.reshape(shape)
    return np.asarray(table[0] + table[1:], dtype=np.float32)


def chosen_f1(batch: Batch, weights: np.ndarray) -> np.ndarray:
    """F1 of the best span of each question."""
    score = batch.scores(weights)
    ends = np.append(batch.first[1:], len(score))
    best = [a + int(np.argmax(score[a:b])) for a, b in zip(batch.first, ends, strict=True)]
    return batch.f1[best]


def validate(data: Sequence[Example], fold_of: dict[str, str], scale: np.ndarray) -> None:
    """Print F1 on each fold when the others are fitted on."""
    scores: list[np.ndarray] = []
    for fold in sorted(set(fold_of.values())):
        train = [example for example in data if fold_of[example.doc_id] != fold]
        test = [example for example in data if fold_of[example.doc_id] == fold]
        weights = fit(Batch.of(train, scale))
        scores.append(chosen_f1(Batch.of(test, scale), weights))
        fitted = chosen_f1(Batch.of(train, scale), weights).mean()
        print(f"  {fold:10} n {len(test):5}  F1 {scores[-1].mean():.4f}  (fitted on {fitted:.4f})")
    print(f"  {'all':10} n {len(data):5}  F1 {np.concatenate(scores).mean():.4f}", flush=True)


def main() -> None:
    """Validate; with ``--write``, fit on everything and write the weights."""
    arguments = [argument for argument in sys.argv[1:] if argument != "--write"]
    data = examples(load(Path(arguments[0]) if arguments else data_folder()))
    scale = np.concatenate([example.features for example in data]).std(axis=0)
    scale[scale == 0] = 1
    doc_ids = sorted({example.doc_id for example in data})
    order = np.random.default_rng(0).permutation(len(doc_ids))
    if "--write" in sys.argv:
        weights = fit(Batch.of(data, scale)) / scale
        table = {
            kind.value: {name: round(float(w), 3) for name, w in zip(FEATURES, row, strict=True)}
            for kind, row in zip(KINDS, weights, strict=True)
        }
        folder = Path(extractive.__file__).parent
        text = json.dumps(table, indent=1) + "\n"
        (folder / extractive.WEIGHTS_FILE).write_text(text, encoding="utf-8")
    print("each domain left out", flush=True)
    validate(data, {doc_id: doc_id.split("/")[0] for doc_id in doc_ids}, scale)
    print("five folds over documents")
    validate(data, {doc_ids[i]: f"fold {at % 5}" for at, i in enumerate(order)}, scale)


if __name__ == "__main__":
    main()
