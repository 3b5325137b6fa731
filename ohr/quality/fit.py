"""Fits the predictor, and checks it on domains that were left out of the fit."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

import numpy as np

from ohr.quality.assessing import page_pairs
from ohr.quality.predictor import (
    COLUMNS,
    COVERAGE,
    KINDS,
    Predictor,
    joint_normal,
    kind,
    moments,
    scale,
    scaled_rows,
)
from ohr.quality.signals import SIGNALS
from ohr.quality.truth import TARGETS
from ohr.quality.winners import KnowledgeBases, gaps, least_doubt

LAYER_SIGNALS = ("layer", "lost_passages")


FEWEST_ASSESSED = 40
FEWEST_OF_KIND = 10
"""Fewest documents of a kind of page for intervals of its own: the conformal 90 % need ten."""
FOLDS = 5
"""Parts of the documents, each of which is left out once."""
_LEAST_WIDTH = 0.1
"""Least length of each side of an interval, in deviations."""

Group = tuple[str, str, str]
"""Kind of page, domain, and document."""
Score = tuple[Group, str, float]
"""Group, kind of evidence, and deviations of the truth above the prediction."""


@dataclass(frozen=True)
class Labelled:
    """A page with known errors; its domain is left out of the fit as a whole.

    ``values`` has signals and errors, NaN if absent; ``knowledge_base`` names engine and noise.
    ``cluster`` is the document that is in whole either fitted or checked, ``apart`` how far the
    output is from those of other engines (:func:`ohr.quality.bounds.write_apart`).
    """

    domain: str
    doc_id: str
    page_no: int
    knowledge_base: str
    values: Mapping[str, float]
    page_kind: str = ""
    script: str = ""
    cluster: str = ""
    apart: str = ""

    @property
    def engine(self) -> str:
        """The label of the engine."""
        return self.knowledge_base.rpartition(", ")[0]


def fit(pages: Sequence[Labelled], fitted_on: dict[str, Any]) -> Predictor:
    """Fit the predictor to some pages. Raises ValueError for fewer than two domains.

    A page with a text layer also counts for the intervals of scans, without the layer's signals.
    A signal that fewer than :data:`FEWEST_ASSESSED` pages have is left out of predictions: its
    weight would be chance.
    """
    pages = drop_rare_signals(pages)
    residuals = _left_out(pages)
    scores, widths = _scores(residuals), _all_widths(residuals)
    domains = len({page.domain for page in pages})
    coverage = {
        which: {target: _coverage(scores[which, target]) for target in TARGETS} for which in KINDS
    }
    bias = {
        which: {target: _root_mean_square(residuals.gaps[which, target]) for target in TARGETS}
        for which in KINDS
    }
    doubt = {
        which: {
            target: round(
                bias[which][target]
                * least_doubt(residuals.knowledge_bases[which, target], bias[which][target]),
                4,
            )
            for target in TARGETS
        }
        for which in KINDS
    }
    offsets, kind_widths = _fit_kinds(pages, residuals)
    return replace(
        _model(pages),
        widths=widths,
        kind_widths=kind_widths,
        kind_offsets=offsets,
        bias=bias,
        doubt=doubt,
        coverage=coverage,
        covered=f"{domains} domains, each left out of the fit and of the widths",
        fitted_on=fitted_on,
    )


def drop_rare_signals(pages: Sequence[Labelled]) -> list[Labelled]:
    """The pages without the signals that fewer than :data:`FEWEST_ASSESSED` of them have."""
    rare = [
        name
        for name in SIGNALS
        if sum(not math.isnan(page.values[name]) for page in pages) < FEWEST_ASSESSED
    ]
    return [
        replace(page, values=dict(page.values) | dict.fromkeys(rare, math.nan)) for page in pages
    ]


def fit_intervals(pages: Sequence[Labelled]) -> Predictor:
    """What :func:`fit` gives, without how far winners are to be doubted. Raises ValueError."""
    pages = drop_rare_signals(pages)
    residuals = _left_out(pages)
    offsets, kind_widths = _fit_kinds(pages, residuals)
    return replace(
        _model(pages),
        widths=_all_widths(residuals),
        kind_widths=kind_widths,
        kind_offsets=offsets,
    )


def _left_out(pages: Sequence[Labelled]) -> _Residuals:
    """The residuals of each domain by a model of the others."""
    domains = sorted({page.domain for page in pages})
    if len(domains) < 2:
        raise ValueError(
            "a fit needs pages of at least two domains: it leaves each one out in turn"
        )
    residuals = _Residuals()
    for domain in domains:
        partial = _model([page for page in pages if page.domain != domain])
        outside = [page for page in pages if page.domain == domain]
        residuals.add(partial, outside)
        residuals.add(partial, remove_layers(outside))
    return residuals


def _left_out_documents(pages: Sequence[Labelled]) -> _Residuals:
    """The residuals of each of :data:`FOLDS` parts of the documents by a model of the others."""
    documents = sorted({_group(page)[1:] for page in pages})
    fold_of = {document: place % FOLDS for place, document in enumerate(documents)}
    residuals = _Residuals()
    for fold in range(FOLDS):
        partial = _model([page for page in pages if fold_of[_group(page)[1:]] != fold])
        outside = [page for page in pages if fold_of[_group(page)[1:]] == fold]
        residuals.add(partial, outside)
        residuals.add(partial, remove_layers(outside))
    return residuals


def _scores(residuals: _Residuals) -> dict[tuple[str, str], list[Score]]:
    # Without pages with a text layer, the residuals of scans are all that is known.
    return {
        (which, target): residuals.scores[which, target] or residuals.scores["scan", target]
        for which, target in product(KINDS, TARGETS)
    }


def _all_widths(residuals: _Residuals) -> dict[str, dict[str, tuple[float, float]]]:
    scores = _scores(residuals)
    return {
        which: {target: _widths(scores[which, target]) for target in TARGETS} for which in KINDS
    }


def _fit_kinds(
    pages: Sequence[Labelled], residuals: _Residuals
) -> tuple[dict[str, dict[str, float]], dict[str, dict[str, tuple[float, float]]]]:
    """Offsets and factors of the kinds of pages with :data:`FEWEST_OF_KIND` documents.

    An offset is the median of what is left out by documents. The factors are those of domains left
    out, or of documents where the kind is all of one domain. They are the kind's own where these
    are narrower than those of all kinds.
    """
    of_all = _all_widths(residuals)
    by_documents = _left_out_documents(pages)
    offsets: dict[str, dict[str, float]] = {}
    widths: dict[str, dict[str, tuple[float, float]]] = {}
    for (which, target), scores in residuals.scores.items():
        for name in sorted({group[0] for group, _, _ in scores} - {""}):
            own = [each for each in scores if each[0][0] == name]
            seen = [each for each in by_documents.scores[which, target] if each[0][0] == name]
            if len({group for group, _, _ in own}) < FEWEST_OF_KIND:
                continue
            groups, signed = [group for group, _, _ in seen], [score for _, _, score in seen]
            offset = _quantile(groups, np.array(signed), 0.5)
            if len({domain for (_, domain, _), _, _ in own}) == 1:
                own = seen
            shifted = [(group, evidence, score - offset) for group, evidence, score in own]
            narrower = min(_widths(shifted), of_all[which][target], key=sum)
            offsets.setdefault(name, {})[target] = round(offset, 4)
            widths.setdefault(name, {})[target] = narrower
    return offsets, widths


def remove_layers(pages: Sequence[Labelled]) -> list[Labelled]:
    """The pages with a text layer, as if they were clean page images without one."""
    nothing = dict.fromkeys(LAYER_SIGNALS, math.nan)
    return [
        replace(
            page,
            values=dict(page.values) | nothing,
            page_kind="clean" if page.page_kind else "",
        )
        for page in pages
        if kind(page.values) == "layer"
    ]


def _root_mean_square(values: Sequence[float]) -> float:
    return round(math.sqrt(sum(value**2 for value in values) / len(values)), 4) if values else 0.0


class _Residuals:
    """Differences between predictions and truth on domains that were left out."""

    def __init__(self) -> None:
        each = list(product(KINDS, TARGETS))
        self.scores: dict[tuple[str, str], list[Score]] = {of: [] for of in each}
        self.gaps: dict[tuple[str, str], list[float]] = {of: [] for of in each}
        self.knowledge_bases: dict[tuple[str, str], KnowledgeBases] = {of: {} for of in each}
        """Pages of all domains, by the name of the knowledge base."""

    def add(self, model: Predictor, pages: Sequence[Labelled]) -> None:
        """Add the pages of one domain, predicted by a model that has not seen it."""
        for which, target in product(KINDS, TARGETS):
            knowledge_bases: KnowledgeBases = {}
            some = [page for page in pages if kind(page.values) == which]
            scaled = scaled_pages(model, some, target)
            for page, (centre, deviation) in zip(some, scaled, strict=True):
                truth = page.values[target]
                score = (scale(target, truth) - centre) / deviation
                self.scores[which, target].append((_group(page), _evidence(page), score))
                mean, spread = moments(target, centre, deviation)
                place = (page.doc_id, page.page_no)
                knowledge_bases.setdefault(page.knowledge_base, {})[place] = (mean, truth, spread)
            self.gaps[which, target] += gaps(knowledge_bases)
            for name, of in knowledge_bases.items():
                self.knowledge_bases[which, target].setdefault(name, {}).update(of)


def scaled_pages(
    model: Predictor, pages: Sequence[Labelled], target: str
) -> list[tuple[float, float]]:
    """Centre and deviation of each page's error, raised where outputs are too far apart."""
    results: list[tuple[float, float]] = [(math.nan, math.nan)] * len(pages)
    for rows in _group_by_page(pages):
        signals = {
            str(place): {**pages[place].values, "page_kind": pages[place].page_kind}
            for place in rows
        }
        named = [{"engine": pages[place].engine, "apart": pages[place].apart} for place in rows]
        pairs = {
            (str(rows[int(first)]), str(rows[int(second)])): of
            for (first, second), of in page_pairs(named).items()
        }
        for place, scaled in model.scaled_together(signals, pairs, target).items():
            results[int(place)] = scaled
    return results


def _group_by_page(pages: Sequence[Labelled]) -> list[list[int]]:
    """The places of the outputs of each page under each noise."""
    places: dict[tuple[str, str, int, str], list[int]] = {}
    for place, page in enumerate(pages):
        noise = page.knowledge_base.rpartition(", ")[2]
        places.setdefault((page.domain, page.doc_id, page.page_no, noise), []).append(place)
    return list(places.values())


def _model(pages: Sequence[Labelled]) -> Predictor:
    rows = scaled_rows([page.values for page in pages])
    mean, covariance = joint_normal(rows, page_weights(list(map(_group, pages))))
    ranges = {}
    for place, name in enumerate(SIGNALS):
        column = rows[:, place][~np.isnan(rows[:, place])]
        if len(column):
            ranges[name] = (round(float(column.min()), 4), round(float(column.max()), 4))
    assert len(mean) == len(COLUMNS)
    return Predictor(
        [round(float(value), 6) for value in mean],
        [[round(float(value), 6) for value in row] for row in covariance],
        ranges,
        {which: dict.fromkeys(TARGETS, (1.0, 1.0)) for which in KINDS},
        {which: dict.fromkeys(TARGETS, 0.0) for which in KINDS},
        {which: dict.fromkeys(TARGETS, 0.0) for which in KINDS},
    )


def page_weights(groups: Sequence[Group]) -> np.ndarray:
    """The weight of each page: all kinds of pages weigh the same, and in a kind all documents."""
    pages, documents = Counter(groups), Counter(name for name, _, _ in set(groups))
    return np.array([1 / pages[of] / documents[of[0]] / len(documents) for of in groups])


def _group(page: Labelled) -> Group:
    return page.page_kind, page.domain, page.cluster or page.doc_id


def _evidence(page: Labelled) -> str:
    """What a page's evidence is: repeats (``instability``), words of engines, or only text."""
    values = page.values
    if not math.isnan(values["instability"]):
        return "instability"
    engines = (values["confidence"], values["disagreement"])
    return "text" if all(map(math.isnan, engines)) else "words"


def _widths(scores: Sequence[Score]) -> tuple[float, float]:
    """The factors below and above that hold for every kind of evidence with enough pages."""
    by_evidence: dict[str, list[tuple[Group, float]]] = {}
    for domain, evidence, score in scores:
        by_evidence.setdefault(evidence, []).append((domain, score))
    enough = [of for of in by_evidence.values() if len(of) >= FEWEST_ASSESSED]
    both = [_both(of) for of in enough or [[(domain, score) for domain, _, score in scores]]]
    return max(below for below, _ in both), max(above for _, above in both)


def _both(residuals: Sequence[tuple[Group, float]]) -> tuple[float, float]:
    """The factors below and above for pages with one kind of evidence.

    Their proportion is that of the tails of the residuals; one conformal factor widens both until
    the interval holds for pages of a new domain (conformalised quantiles: Romano, Patterson and
    Candes 2019).
    """
    groups = [group for group, _ in residuals]
    signed = np.array([score for _, score in residuals])
    tail = (1 + COVERAGE) / 2
    below = max(_quantile(groups, -signed, tail), _LEAST_WIDTH)
    above = max(_quantile(groups, signed, tail), _LEAST_WIDTH)
    misses = np.maximum(signed / above, -signed / below)
    factor = _quantile(groups, misses, COVERAGE * (1 + 1 / len(set(groups))))
    return round(below * factor, 4), round(above * factor, 4)


def _coverage(scores: Sequence[Score]) -> float:
    """The share of pages whose truth lies in intervals from the residuals of other domains.

    It is the mean over the domains; NaN for fewer than two.
    """
    held = []
    for domain in sorted({of for (_, of, _), _, _ in scores}):
        rest = [score for score in scores if score[0][1] != domain]
        if rest:
            below, above = _widths(rest)
            own = [miss for (_, of, _), _, miss in scores if of == domain]
            held.append(np.mean([-below <= miss <= above for miss in own]))
    return round(float(np.mean(held)), 4) if held else math.nan


def _quantile(groups: Sequence[Group], values: np.ndarray, level: float) -> float:
    """The quantile of the values at ``level``, weighted by :func:`page_weights`."""
    order = np.argsort(values, kind="stable")
    covered = np.cumsum(page_weights(groups)[order])
    place = np.searchsorted(covered, min(1.0, level) - 1e-12)
    return float(values[order[min(int(place), len(values) - 1)]])
