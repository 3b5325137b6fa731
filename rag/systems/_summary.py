"""The sentences of a text that are most similar to the others: TextRank.

Source: Mihalcea and Tarau, TextRank: bringing order into texts, EMNLP 2004, section 5.
"""

from __future__ import annotations

import numpy as np

from rag.systems._language import Language
from rag.systems._quotes import quotable

_READ = 100
"""Sentences that are ranked: the first ones of a section."""
_DAMPING = 0.85
_ROUNDS = 30


def summary(text: str, language: Language, count: int) -> str:
    """At most ``count`` sentences or rows of a text, in order; ties go to the earlier."""
    sentences = [part for part in quotable(text, language) if not part.is_heading][:_READ]
    if len(sentences) > count:
        ranks = _ranks([sentence.terms for sentence in sentences])
        best = sorted(np.argsort(-ranks, kind="stable")[:count].tolist())
        sentences = [sentences[position] for position in best]
    return " ".join(" ".join(text[sentence.start : sentence.end].split()) for sentence in sentences)


def _ranks(terms: list[frozenset[int]]) -> np.ndarray:
    """PageRank over the overlap of sentences, shared terms over the logarithms of their lengths."""
    n = len(terms)
    vocabulary = {term: index for index, term in enumerate(sorted(frozenset().union(*terms)))}
    has = np.zeros((n, len(vocabulary)), np.float32)
    for row, sentence_terms in enumerate(terms):
        has[row, [vocabulary[term] for term in sentence_terms]] = 1
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
