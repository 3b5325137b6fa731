"""The variants of BM25, as Kamphuis et al. write them down (Which BM25 do you mean?, 2020).

A text scores the sum over the query's terms of inverse document frequency times term factor:

- ``idf_*(df, n)``: of terms that occur in ``df`` of ``n`` texts, int ``(terms,)``, df >= 1;
- ``factor_*(tf, lengths, mean, shape)``: of terms that occur ``tf`` times, tf >= 1, in texts of
  ``lengths`` terms where the mean is ``mean``; float ``(postings,)``, as all three are.

The order of each sum and product is part of what is kept: scores are compared to the last bit.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Shape:
    """Saturation ``k1`` >= 0, length normalisation ``b`` in [0, 1], lower bound ``delta`` >= 0."""

    k1: float
    b: float
    delta: float


def idf_lucene(df: np.ndarray, n: int) -> np.ndarray:
    """Lucene, exact lengths: ``log(1 + (n - df + 0.5) / (df + 0.5))``, above 0."""
    return _log(1 + (n - df + 0.5) / (df + 0.5))


def idf_robertson(df: np.ndarray, n: int) -> np.ndarray:
    """Robertson et al.: ``log((n - df + 0.5) / (df + 0.5))``, never below 0."""
    return _log(np.maximum((n - df + 0.5) / (df + 0.5), 1.0))


def idf_atire(df: np.ndarray, n: int) -> np.ndarray:
    """ATIRE: ``log(n / df)``."""
    return _log(n / df)


def idf_bm25l(df: np.ndarray, n: int) -> np.ndarray:
    """BM25L: ``log((n + 1) / (df + 0.5))``."""
    return _log((n + 1) / (df + 0.5))


def idf_bm25plus(df: np.ndarray, n: int) -> np.ndarray:
    """BM25+: ``log((n + 1) / df)``."""
    return _log((n + 1) / df)


def factor_robertson(tf: np.ndarray, lengths: np.ndarray, mean: float, shape: Shape) -> np.ndarray:
    """Robertson et al., and Lucene: ``tf / (k1 * pivot + tf)``."""
    return np.asarray(tf / (shape.k1 * _pivot(lengths, mean, shape.b) + tf))


def factor_atire(tf: np.ndarray, lengths: np.ndarray, mean: float, shape: Shape) -> np.ndarray:
    """ATIRE: ``(k1 + 1) * tf / (k1 * pivot + tf)``."""
    return np.asarray(tf * (shape.k1 + 1) / (shape.k1 * _pivot(lengths, mean, shape.b) + tf))


def factor_bm25l(tf: np.ndarray, lengths: np.ndarray, mean: float, shape: Shape) -> np.ndarray:
    """BM25L: ``(k1 + 1) * (c + delta) / (k1 + c + delta)`` with ``c = tf / pivot``."""
    c = tf / _pivot(lengths, mean, shape.b)
    return np.asarray((shape.k1 + 1) * (c + shape.delta) / (shape.k1 + c + shape.delta))


def factor_bm25plus(tf: np.ndarray, lengths: np.ndarray, mean: float, shape: Shape) -> np.ndarray:
    """BM25+: ``(k1 + 1) * tf / (k1 * pivot + tf) + delta``."""
    return factor_atire(tf, lengths, mean, shape) + shape.delta


def absent_bm25l(shape: Shape) -> float:
    """What BM25L gives a term that does not occur: c is 0."""
    if not shape.delta:
        return 0.0
    return (shape.k1 + 1) * shape.delta / (shape.k1 + shape.delta)


def absent_bm25plus(shape: Shape) -> float:
    """What BM25+ gives a term that does not occur: delta."""
    return shape.delta


def _absent(shape: Shape) -> float:
    return 0.0


def _pivot(lengths: np.ndarray, mean: float, b: float) -> np.ndarray:
    return 1 - b + b * lengths / mean


def _log(ratios: np.ndarray) -> np.ndarray:
    """Logarithms, by the C library: numpy's differ in the last bit from processor to processor."""
    return np.array([math.log(ratio) for ratio in ratios.tolist()])


@dataclass(frozen=True)
class Formula:
    """A variant: idf, term factor, and the factor of a term that does not occur in a text."""

    idf: Callable[[np.ndarray, int], np.ndarray]
    factor: Callable[[np.ndarray, np.ndarray, float, Shape], np.ndarray]
    absent: Callable[[Shape], float] = _absent


FORMULAS: Mapping[str, Formula] = {
    "lucene": Formula(idf_lucene, factor_robertson),
    "robertson": Formula(idf_robertson, factor_robertson),
    "atire": Formula(idf_atire, factor_atire),
    "bm25l": Formula(idf_bm25l, factor_bm25l, absent_bm25l),
    "bm25+": Formula(idf_bm25plus, factor_bm25plus, absent_bm25plus),
}
