"""Which units of a context a question is about: idf-weighted overlap of stems."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from rag.readers._candidates import ParsedPage
from rag.readers._text import question_stems
from rag.readers._words import FUNCTION_WORDS, QUESTION_WORDS

_NEIGHBOUR = 0.4  # weight of a word that is only in the unit before, or in a parent
_MAX_TERMS = 64


@dataclass(frozen=True, slots=True)
class Ranked:
    """A unit of one of the pages, and how well a question's words cover it."""

    page: int
    unit: int
    score: float
    own: float
    context: float
    following: float


def content_stems(question: str) -> list[str]:
    """Distinct stems of a question's content words, in order; all its stems if it has none."""
    all_stems = list(dict.fromkeys(question_stems(question)))
    content = [stem for stem in all_stems if stem not in _STOP_STEMS]
    return (content or all_stems)[:_MAX_TERMS]


def local_idf(terms: Sequence[str], pages: Sequence[ParsedPage]) -> dict[str, float]:
    """Weight of each term that occurs in the context, by how few of its units hold it."""
    total = sum(len(page.units) for page in pages)
    weights = {}
    for term in terms:
        holding = sum(len(page.postings.get(term, ())) for page in pages)
        if holding:
            weights[term] = math.log(1 + (total - holding + 0.5) / (holding + 0.5))
    return weights


def rank_units(weights: dict[str, float], pages: Sequence[ParsedPage], k: int) -> list[Ranked]:
    """The k units that cover most of the question, best first; ties in reading order."""
    mass = sum(weights.values()) or 1.0
    terms = list(weights)
    idf = np.array([weights[term] for term in terms])
    ranked: list[Ranked] = []
    for number, page in enumerate(pages):
        if not page.units:
            continue
        has = np.zeros((len(page.units), len(terms)), dtype=bool)
        for column, term in enumerate(terms):
            has[page.postings.get(term, []), column] = True
        near = np.zeros_like(has)
        near[1:] |= has[:-1]
        np.logical_or.at(near, page.children, has[page.parents])
        own = has @ idf / mass
        context = (near & ~has) @ idf / mass
        after = np.zeros_like(own)
        after[:-1] = (has[1:] & ~has[:-1]) @ idf / mass
        score = own + _NEIGHBOUR * context
        for unit in np.argsort(-score, kind="stable")[:k].tolist():
            ranked.append(
                Ranked(
                    number,
                    unit,
                    float(score[unit]),
                    float(own[unit]),
                    float(context[unit]),
                    float(after[unit]),
                )
            )
    ranked.sort(key=lambda item: -item.score)
    return ranked[:k]


_STOP_STEMS = frozenset(question_stems(" ".join(sorted(FUNCTION_WORDS | QUESTION_WORDS))))
