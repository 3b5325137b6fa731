"""How well yes and no can be told from the words of a question alone: naive Bayes."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from ohr.metrics import default

FOLDS = 10


def guessed(
    questions: Sequence[str], yes: Sequence[bool], groups: Sequence[str]
) -> tuple[float, float]:
    """Share of the answers guessed from the words, and the share of the more frequent answer.

    A Bernoulli naive Bayes (add-one smoothing) on the words and pairs of neighbouring words of
    each question, trained on nine tenths of the groups (documents) and tested on the others, ten
    times. Deterministic; a tie is answered as the training questions are answered more often,
    yes if that too is a tie. Needs at least as many groups as :data:`FOLDS`.
    """
    truth = np.asarray(yes, dtype=bool)
    names = {name: number for number, name in enumerate(sorted(set(groups)))}
    fold = np.array([names[name] % FOLDS for name in groups])
    features = _features(questions)
    right = 0
    for left_out in range(FOLDS):
        seen = fold != left_out
        guess = _naive_bayes(features[seen], truth[seen], features[~seen])
        right += int((guess == truth[~seen]).sum())
    share = float(truth.mean())
    return right / len(truth), max(share, 1 - share)


def _features(questions: Sequence[str]) -> np.ndarray:
    """Which words and pairs of words that occur twice at least a question has (bool)."""
    terms = []
    for question in questions:
        words = default.tokens(question)
        terms.append({*words, *(f"{first} {second}" for first, second in pairwise(words))})
    counts: dict[str, int] = {}
    for each in terms:
        for term in each:
            counts[term] = counts.get(term, 0) + 1
    columns = {
        term: number for number, term in enumerate(sorted(t for t, n in counts.items() if n > 1))
    }
    present = np.zeros((len(terms), len(columns)), dtype=bool)
    for row, each in enumerate(terms):
        present[row, [columns[term] for term in each if term in columns]] = True
    return present


def _naive_bayes(features: np.ndarray, truth: np.ndarray, asked: np.ndarray) -> np.ndarray:
    score = np.zeros(len(asked))
    for answer, sign in ((True, 1.0), (False, -1.0)):
        mine = features[truth == answer]
        share = (mine.sum(axis=0) + 1) / (len(mine) + 2)
        prior = np.log((len(mine) + 1) / (len(truth) + 2))
        likelihood = asked @ np.log(share) + (~asked) @ np.log1p(-share)
        score += sign * (prior + likelihood)
    # Sums in another order differ in their last digits: what is that near is a tie.
    tie = np.abs(score) < 1e-9 * max(1, features.shape[1])
    return np.where(tie, truth.mean() >= 0.5, score > 0)
