"""Can made errors be told from real ones? Logistic regression on 5-grams of characters."""

from __future__ import annotations

import zlib
from collections import Counter
from collections.abc import Sequence

import numpy as np
from scipy.optimize import minimize
from scipy.sparse import csr_matrix

N = 5
FEATURES = 1 << 16
FOLDS = 5
PENALTY = 1e-3
"""Of the squared weights, for texts of length 1 in the features."""


def discriminate(real: Sequence[str], imitated: Sequence[str], documents: Sequence[str]) -> float:
    """The AUC of telling made texts from real ones, in documents left out of the fit.

    ``real[i]`` and ``imitated[i]`` are of the same page. .5: nothing distinguishes them. NaN with
    fewer documents than folds.
    """
    names = sorted(set(documents))
    if len(names) < FOLDS:
        return float("nan")
    of_fold = {name: number % FOLDS for number, name in enumerate(names)}
    features = _features([*real, *imitated])
    truth = np.repeat([0.0, 1.0], len(real))
    folds = np.array([of_fold[name] for name in documents] * 2)
    aucs = []
    for fold in range(FOLDS):
        own = folds == fold
        weights = _fit(features[~own], truth[~own])
        aucs.append(_auc(features[own] @ weights, truth[own]))
    return float(np.mean(aucs))


def _features(texts: Sequence[str]) -> csr_matrix:
    """Hashed 5-grams, log counts, of length 1."""
    rows, columns, values = [], [], []
    for row, text in enumerate(texts):
        collapsed = " ".join(text.split())
        counts = Counter(
            zlib.crc32(collapsed[i : i + N].encode("utf-8", "replace")) % FEATURES
            for i in range(max(1, len(collapsed) - N + 1))
        )
        weights = np.log1p(np.array(list(counts.values()), dtype=float))
        weights /= np.linalg.norm(weights) or 1.0
        rows += [row] * len(counts)
        columns += list(counts)
        values += weights.tolist()
    return csr_matrix((values, (rows, columns)), shape=(len(texts), FEATURES))


def _fit(features: csr_matrix, truth: np.ndarray) -> np.ndarray:
    def loss(weights: np.ndarray) -> tuple[float, np.ndarray]:
        scores = np.clip(features @ weights, -30, 30)
        likely = 1 / (1 + np.exp(-scores))
        value = float(np.mean(np.log1p(np.exp(scores)) - truth * scores))
        gradient = features.T @ (likely - truth) / len(truth)
        return value + PENALTY * float(weights @ weights) / 2, gradient + PENALTY * weights

    start = np.zeros(features.shape[1])
    options = {"maxiter": 100}
    weights: np.ndarray = minimize(loss, start, jac=True, method="L-BFGS-B", options=options).x
    return weights


def _auc(scores: np.ndarray, truth: np.ndarray) -> float:
    """The area under the ROC curve; ties count a half."""
    positive, negative = scores[truth == 1], scores[truth == 0]
    above = (positive[:, None] > negative[None, :]).mean()
    ties = (positive[:, None] == negative[None, :]).mean()
    return float(above + ties / 2)
