"""How well yes and no can be guessed from the words of a question alone, by naive Bayes."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from ohr.metrics import default

FOLDS = 10
_TIE = 1e-6
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")


def guessed(
    questions: Sequence[str], yes: Sequence[bool], groups: Sequence[str]
) -> tuple[float, float]:
    """The share of answers guessed correctly, and the share of the more frequent answer.

    A Bernoulli naive Bayes classifier (add-one smoothing) on the words and pairs of adjacent words
    of each question. All numbers are the same word, since single ones are too rare to be more than
    chance. Trained on nine tenths of the groups (documents) and tested on the others, ten times.
    Deterministic; a tie gets the more frequent answer of the training questions, yes if that is a
    tie too. Needs at least :data:`FOLDS` groups.
    """
    truth = np.asarray(yes, dtype=bool)
    names = {name: number for number, name in enumerate(sorted(set(groups)))}
    fold = np.array([names[name] % FOLDS for name in groups])
    terms, n_terms = _terms(questions)
    right = 0
    for left_out in range(FOLDS):
        seen = np.flatnonzero(fold != left_out)
        weights, constant = _naive_bayes([terms[i] for i in seen], truth[seen], n_terms)
        often = bool(truth[seen].mean() >= 0.5)
        for i in np.flatnonzero(fold == left_out):
            score = constant + float(weights[terms[i]].sum())
            # Sums in another order differ in their last digits: a score near 0 is a tie.
            right += bool(truth[i]) == (often if abs(score) < _TIE else score > 0)
    share = float(truth.mean())
    return right / len(truth), max(share, 1 - share)


def _terms(questions: Sequence[str]) -> tuple[list[np.ndarray], int]:
    """Each question's words and pairs of words as numbers, and the count of distinct ones."""
    numbers: dict[str, int] = {}
    rows = []
    for question in questions:
        words = default.tokens(_NUMBER.sub(" 0 ", question))
        terms = dict.fromkeys([*words, *(f"{word} {after}" for word, after in pairwise(words))])
        rows.append(np.array([numbers.setdefault(term, len(numbers)) for term in terms], dtype=int))
    return rows, len(numbers)


def _naive_bayes(
    rows: Sequence[np.ndarray], truth: np.ndarray, n_terms: int
) -> tuple[np.ndarray, float]:
    """The log odds of yes for each term, and for a question without any term."""
    weights, constant = np.zeros(n_terms), 0.0
    for answer, sign in ((True, 1.0), (False, -1.0)):
        class_rows = [row for row, yes in zip(rows, truth, strict=True) if yes == answer]
        counts = np.bincount(np.concatenate([*class_rows, np.array([], int)]), minlength=n_terms)
        share = (counts + 1) / (len(class_rows) + 2)
        weights += sign * (np.log(share) - np.log1p(-share))
        constant += sign * float(np.log((len(class_rows) + 1) / (len(rows) + 2)))
        constant += sign * float(np.log1p(-share).sum())
    return weights, constant
