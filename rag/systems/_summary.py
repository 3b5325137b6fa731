"""The sentences of a text that the others are most like: TextRank.

Source: Mihalcea and Tarau, TextRank: bringing order into texts, EMNLP 2004, section 5.
"""

from __future__ import annotations

import numpy as np

from rag.systems._language import Language
from rag.systems._quotes import quotable

_READ = 100
"""Sentences of a text that are weighed: a section's first ones."""
_DAMPING = 0.85
_ROUNDS = 30


def summary(text: str, language: Language, count: int) -> str:
    """At most ``count`` sentences or rows of a text in its order; ties go to the earlier."""
    sentences = [one for one in quotable(text, language) if not one.heading][:_READ]
    if len(sentences) > count:
        ranks = _ranks([one.terms for one in sentences])
        best = sorted(np.argsort(-ranks, kind="stable")[:count].tolist())
        sentences = [sentences[at] for at in best]
    return " ".join(" ".join(text[one.start : one.end].split()) for one in sentences)


def _ranks(terms: list[frozenset[int]]) -> np.ndarray:
    """PageRank over the overlap of sentences, shared terms over the logarithms of their lengths."""
    n = len(terms)
    vocabulary = {term: at for at, term in enumerate(sorted(frozenset().union(*terms)))}
    has = np.zeros((n, len(vocabulary)), np.float32)
    for row, some in enumerate(terms):
        has[row, [vocabulary[term] for term in some]] = 1
    logs = np.log(np.maximum(has.sum(axis=1), 1))
    lengths = logs[:, None] + logs[None, :]
    weights = np.divide(has @ has.T, lengths, out=np.zeros((n, n)), where=lengths > 0)
    np.fill_diagonal(weights, 0)
    totals = weights.sum(axis=1, keepdims=True)
    shares = np.divide(weights, totals, out=np.full((n, n), 1 / n), where=totals > 0)
    ranks = np.full(n, 1 / n)
    for _ in range(_ROUNDS):
        ranks = (1 - _DAMPING) / n + _DAMPING * ranks @ shares
    return np.asarray(np.round(ranks, 9))
