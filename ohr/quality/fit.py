"""Fits the predictor, and holds it against domains that were left out of the fit."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ohr.quality.predictor import (
    COLUMNS,
    COVERAGE,
    Predictor,
    expected,
    joint_normal,
    scale,
    scaled_rows,
)
from ohr.quality.signals import SIGNALS
from ohr.quality.truth import TARGETS


@dataclass(frozen=True)
class Labelled:
    """A page with its truth: the domain that is left out with it, the document, its reading.

    ``values`` has signals and errors, NaN where absent; ``reading`` names engine and noise.
    """

    domain: str
    doc_id: str
    page_no: int
    reading: str
    values: Mapping[str, float]


def fit(pages: Sequence[Labelled], fitted_on: dict[str, Any]) -> Predictor:
    """The model of some pages. Raises ValueError for fewer than two domains."""
    domains = sorted({page.domain for page in pages})
    if len(domains) < 2:
        raise ValueError("a fit leaves one domain out, and needs pages of two")
    model = _model(pages)
    residuals: dict[str, list[tuple[str, float]]] = {target: [] for target in TARGETS}
    gaps: dict[str, list[float]] = {target: [] for target in TARGETS}
    for domain in domains:
        inside = [page for page in pages if page.domain != domain]
        outside = [page for page in pages if page.domain == domain]
        partial = _model(inside)
        for target in TARGETS:
            of_reading: dict[str, dict[tuple[str, int], tuple[float, float]]] = {}
            for page in outside:
                centre, deviation = partial.scaled(page.values, target)
                truth = page.values[target]
                residuals[target].append(
                    (page.doc_id, abs(scale(target, truth) - centre) / deviation)
                )
                place = (page.doc_id, page.page_no)
                of_reading.setdefault(page.reading, {})[place] = (
                    expected(target, centre, deviation),
                    truth,
                )
            gaps[target] += _gaps(of_reading)
    return replace(
        model,
        widths={target: _quantile(residuals[target]) for target in TARGETS},
        bias={
            target: math.sqrt(float(np.mean(np.square(gaps[target])))) if gaps[target] else 0.0
            for target in TARGETS
        },
        fitted_on=fitted_on,
    )


def _model(pages: Sequence[Labelled]) -> Predictor:
    rows = scaled_rows([page.values for page in pages])
    mean, covariance = joint_normal(rows, domain_weights(pages))
    ranges = {}
    for place, name in enumerate(SIGNALS):
        column = rows[:, place][~np.isnan(rows[:, place])]
        if len(column):
            ranges[name] = (round(float(column.min()), 4), round(float(column.max()), 4))
    assert len(mean) == len(COLUMNS)
    return Predictor(
        [round(float(value), 5) for value in mean],
        [[round(float(value), 5) for value in row] for row in covariance],
        ranges,
        dict.fromkeys(TARGETS, 1.0),
        dict.fromkeys(TARGETS, 0.0),
    )


def domain_weights(pages: Sequence[Labelled]) -> np.ndarray:
    """Every domain counts the same, and in it every document."""
    documents: dict[str, dict[str, int]] = {}
    for page in pages:
        of_domain = documents.setdefault(page.domain, {})
        of_domain[page.doc_id] = of_domain.get(page.doc_id, 0) + 1
    return np.array(
        [1 / len(documents[page.domain]) / documents[page.domain][page.doc_id] for page in pages]
    )


def _quantile(residuals: Sequence[tuple[str, float]]) -> float:
    """The factor within which the residuals lie, each document counting the same."""
    counts: dict[str, int] = {}
    for doc_id, _ in residuals:
        counts[doc_id] = counts.get(doc_id, 0) + 1
    level = min(1.0, COVERAGE * (1 + 1 / len(counts)))
    covered = 0.0
    for doc_id, residual in sorted(residuals, key=lambda pair: pair[1]):
        covered += 1 / counts[doc_id] / len(counts)
        if covered >= level - 1e-12:
            return round(residual, 4)
    return round(max(residual for _, residual in residuals), 4)


def _gaps(
    of_reading: Mapping[str, Mapping[tuple[str, int], tuple[float, float]]],
) -> Iterator[float]:
    """Predicted less true difference of the means of each two readings of the same pages."""
    names = sorted(of_reading)
    for place, first in enumerate(names):
        for second in names[place + 1 :]:
            both = of_reading[first].keys() & of_reading[second].keys()
            if both:
                pairs = [(of_reading[first][at], of_reading[second][at]) for at in sorted(both)]
                predicted = np.mean([one[0] - other[0] for one, other in pairs])
                true = np.mean([one[1] - other[1] for one, other in pairs])
                yield float(predicted - true)
