"""Fits the weights of the extractive reader: without each fold of documents, and on all.

    python -m benchmarks.reader_fit [DATA] [--write]

Each candidate span of a question has a probability, the softmax of a linear score; what is
maximised is the mean log of the F1 expected under it, with a ridge on the weights that all
kinds of question share and a stronger one on each kind's departure from them. The F1 here is
over white-space separated words, normalised as the reference does, which counts fast.

Documents lie in five folds, as many questions of each domain in each as can be; documents that
share a question lie in one. Printed: F1 on questions of each fold with the weights fitted on the
others, and of each domain when the others are fitted on (how the reader does on a domain it has
not seen). ``--write`` writes those five sets of weights, the one from all documents, and which
question and document lies in which fold, as digests, into ``rag/readers``: on one machine the
same bytes each time. Takes about ten minutes.
"""

from __future__ import annotations

import csv
import json
import re
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy.cluster.hierarchy import DisjointSet
from scipy.optimize import minimize
from threadpoolctl import threadpool_limits

from benchmarks.reader import Item, data_folder, load
from ohr.metrics import reference
from rag.readers import _weights, extractive
from rag.readers._candidates import ParsedPage, read_page
from rag.readers._question_type import QuestionType, question_type
from rag.readers._rank import Ranked
from rag.readers._spans import FEATURES, Spans, spans
from rag.readers._weights import FOLDS, document_key, question_key

SHARED_RIDGE, OWN_RIDGE = 1e-3, 1e-2
ITERATIONS = 150
SEED = 0  # of the folds
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


def folds(items: Sequence[Item]) -> dict[str, int]:
    """The fold of each document: balanced by questions within each domain, then in all."""
    parts = DisjointSet(sorted({hit.ref.doc_id for item in items for hit in item.context}))
    first: dict[str, str] = {}
    for item in items:
        same = first.setdefault(question_key(item.question), item.doc_id)
        for doc_id in (same, *(hit.ref.doc_id for hit in item.context)):
            parts.merge(item.doc_id, doc_id)
    questions = Counter(item.doc_id for item in items)
    groups = sorted(sorted(part) for part in parts.subsets())
    order = np.random.default_rng(SEED).permutation(len(groups))
    sized = [(sum(questions[doc_id] for doc_id in groups[i]), groups[i]) for i in order]
    fold_of: dict[str, int] = {}
    load: Counter[tuple[str, int]] = Counter()
    for size, group in sorted(sized, key=lambda pair: -pair[0]):
        domain = domain_of(group[0])
        fold = min(range(FOLDS), key=lambda fold: (load[domain, fold], load["", fold]))
        load[domain, fold] += size
        load["", fold] += size
        fold_of |= dict.fromkeys(group, fold)
    return fold_of


def domain_of(doc_id: str) -> str:
    """``finance`` of ``finance/AES_2022_10K``."""
    return doc_id.partition("/")[0]


@dataclass(frozen=True)
class Batch:
    """Examples end to end; ``bounds`` are the rows of each kind."""

    features: np.ndarray
    f1: np.ndarray
    first: np.ndarray
    question: np.ndarray
    bounds: list[tuple[int, int]]

    @classmethod
    def from_examples(cls, chosen: Sequence[Example], scale: np.ndarray) -> Batch:
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


def fit_on(data: Sequence[Example]) -> np.ndarray:
    """Weights by kind, on features as they are. Features are scaled by these examples alone."""
    scale = np.concatenate([example.features for example in data]).std(axis=0)
    scale[scale == 0] = 1
    return np.asarray(fit(Batch.from_examples(data, scale)) / scale)


def held_out(data: Sequence[Example], part_of: dict[str, str]) -> dict[str, np.ndarray]:
    """Weights fitted without each part of the documents; prints F1 on it and on the others."""
    scores: list[np.ndarray] = []
    fitted: dict[str, np.ndarray] = {}
    unit_scale = np.ones(len(FEATURES), dtype=np.float32)
    for part in sorted(set(part_of.values())):
        train = [example for example in data if part_of[example.doc_id] != part]
        test = [example for example in data if part_of[example.doc_id] == part]
        fitted[part] = fit_on(train)
        scores.append(chosen_f1(Batch.from_examples(test, unit_scale), fitted[part]))
        seen = chosen_f1(Batch.from_examples(train, unit_scale), fitted[part]).mean()
        mean = scores[-1].mean()
        print(f"  {part:10} n {len(test):5}  F1 {mean:.4f}  (fitted on {seen:.4f})", flush=True)
    print(f"  {'all':10} n {len(data):5}  F1 {np.concatenate(scores).mean():.4f}", flush=True)
    return fitted


def write(
    folder: Path, items: Sequence[Item], fold_of: dict[str, int], sets: dict[str, np.ndarray]
) -> None:
    """Write the weights, ``_weights.SETS`` -> by kind, and the folds into a folder."""
    with (folder / _weights.WEIGHTS_FILE).open("w", encoding="utf-8", newline="") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(["kind", "feature", *_weights.SETS])
        for k, kind in enumerate(KINDS):
            for f, feature in enumerate(FEATURES):
                row = [f"{sets[name][k, f] + 0.0:.3f}" for name in _weights.SETS]
                table.writerow([kind.value, feature, *row])
    known_values = {
        "documents": {document_key(doc_id): fold for doc_id, fold in fold_of.items()},
        "questions": {question_key(item.question): fold_of[item.doc_id] for item in items},
    }
    text = json.dumps(known_values, indent=0, sort_keys=True) + "\n"
    (folder / _weights.FOLDS_FILE).write_text(text, encoding="utf-8")


@threadpool_limits.wrap(limits=1)  # sums of floats do not depend on the number of cores
def main() -> None:
    """Validate; with ``--write``, fit on everything too and write the weights."""
    arguments = [argument for argument in sys.argv[1:] if argument != "--write"]
    items = load(Path(arguments[0]) if arguments else data_folder())
    data = examples(items)
    fold_of = folds(items)
    print("five folds over documents", flush=True)
    without = {doc_id: f"without_{fold}" for doc_id, fold in fold_of.items()}
    sets = held_out(data, without)
    if "--write" in sys.argv:
        folder = Path(extractive.__file__).parent
        write(folder, items, fold_of, sets | {"all": fit_on(data)})
    print("each domain left out", flush=True)
    held_out(data, {doc_id: domain_of(doc_id) for doc_id in fold_of})


if __name__ == "__main__":
    main()
