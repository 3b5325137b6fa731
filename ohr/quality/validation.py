"""Leaves whole kinds of pages, writing systems and domains out of the fit, and checks them."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from ohr.quality.fit import Labelled, fit_intervals, remove_layers, scaled_pages
from ohr.quality.predictor import FEWEST_DOCUMENTS, Predictor, kind, unscaled
from ohr.quality.truth import TARGETS

__all__ = ["LeftOut", "fitted_half", "kinds_held", "leave_out"]

BORN_DIGITAL, CLEAN = "born-digital", "clean"


@dataclass(frozen=True)
class LeftOut:
    """One error of the pages that were left out as a whole, by a fit to the others.

    ``coverage`` is the share of page texts whose true error the 90 % intervals contain: a mean over
    documents. ``predicted`` and ``true`` are means, ``width`` is that of the intervals.
    ``predicted`` is of the medians of the predicted distributions, ``mean`` of their means, by
    which engines are compared.
    """

    by: str
    name: str
    target: str
    n: int
    documents: int
    coverage: float
    spearman: float
    true: float
    predicted: float
    width: float
    mean: float = float("nan")


def fitted_half(pages: Sequence[Labelled]) -> list[bool]:
    """Whether each page is of the half of the documents that is fitted.

    In each domain, every second document in an order that their names do not tell.
    """
    clusters = {(page.domain, _document(page)) for page in pages}
    ordered = sorted(clusters, key=lambda of: (of[0], _digest(of[1])))
    places: dict[str, int] = {}
    half: dict[str, bool] = {}
    for domain, cluster in ordered:
        places[domain] = places.get(domain, -1) + 1
        # The first page of a document may be of another domain.
        half.setdefault(cluster, places[domain] % 2 == 0)
    return [half[_document(page)] for page in pages]


def _document(page: Labelled) -> str:
    return page.cluster or page.doc_id


def _digest(name: str) -> str:
    return hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()


def leave_out(fitted: Sequence[Labelled], pages: Sequence[Labelled]) -> list[LeftOut]:
    """Check each kind of page, writing system and domain by a fit to the rest of ``fitted``.

    ``pages`` are all pages with a known error, ``fitted`` those that may be fitted. Documents that
    are checked are never fitted. Pages with a text layer without it are clean page images. These
    are left out twice: alone, where born-digital pages of the other half of the documents are
    fitted, and together with all born-digital pages. Born-digital pages are left out by domain,
    since no other kind has the signals of layers.
    """
    everything = [*pages, *remove_layers(pages)]
    halved = set(map(_document, fitted))
    # The layer's pages count as what they are and as images: both are fitted by their layers.
    groups: list[tuple[str, str, Callable[[Labelled], bool], Callable[[Labelled], bool]]] = []
    for name in sorted({page.page_kind for page in everything} - {"", BORN_DIGITAL}):
        same = lambda page, name=name: page.page_kind == name  # noqa: E731
        if name != CLEAN:
            groups.append(("kind", name, same, same))
            continue
        new = lambda page: page.page_kind == CLEAN and _document(page) not in halved  # noqa: E731
        both = lambda page: page.page_kind in (CLEAN, BORN_DIGITAL)  # noqa: E731
        groups += [("kind", CLEAN, same, new), ("kinds", f"{CLEAN} and {BORN_DIGITAL}", both, same)]
    for name in sorted({page.script for page in everything} - {""}):
        same = lambda page, name=name: page.script == name  # noqa: E731
        groups.append(("writing system", name, same, same))
    for name in sorted({page.domain for page in everything}):
        same = lambda page, name=name: page.domain == name  # noqa: E731
        groups.append(("domain", name, same, same))
    results: list[LeftOut] = []
    for by, name, is_out, is_checked in groups:
        results += _checked(by, name, fitted, everything, is_out, is_checked)
    return results


def _checked(
    by: str,
    name: str,
    fitted: Sequence[Labelled],
    everything: Sequence[Labelled],
    is_out: Callable[[Labelled], bool],
    is_checked: Callable[[Labelled], bool],
) -> Iterator[LeftOut]:
    checked = [page for page in everything if is_checked(page)]
    documents = {_document(page) for page in checked}
    rest = [page for page in fitted if not is_out(page) and _document(page) not in documents]
    if len({page.domain for page in rest}) < 2:
        return
    model = fit_intervals(rest)
    for target in TARGETS:
        for which in (BORN_DIGITAL, ""):
            some = [
                page
                for page in checked
                if (kind(page.values) == "layer") == (which == BORN_DIGITAL)
            ]
            if some:
                yield left_out_error(model, by, f"{name}, {which}".rstrip(", "), target, some)


def left_out_error(
    model: Predictor, by: str, name: str, target: str, pages: Sequence[Labelled]
) -> LeftOut:
    """How well a model predicts one error of pages that it has not seen."""
    from scipy.stats import spearmanr

    truths = np.array([page.values[target] for page in pages])
    ends, values, means = [], [], []
    for page, (centre, deviation) in zip(pages, scaled_pages(model, pages, target), strict=True):
        below, above = model.width_of(kind(page.values), page.page_kind, target)
        ends.append(
            [unscaled(target, centre + step) for step in (-below * deviation, above * deviation)]
        )
        values.append(unscaled(target, centre))
        means.append(model.kind_moments(page.page_kind, target, centre, deviation)[0])
    low, high = np.array(ends).T
    held = (low <= truths + 1e-9) & (truths <= high + 1e-9)
    documents: dict[str, list[bool]] = {}
    for page, holds in zip(pages, held, strict=True):
        documents.setdefault(_document(page), []).append(bool(holds))
    varies = len(pages) > 2 and np.ptp(values) > 0 and np.ptp(truths) > 0
    return LeftOut(
        by,
        name,
        target,
        len(pages),
        len(documents),
        round(float(np.mean([np.mean(of) for of in documents.values()])), 4),
        round(float(spearmanr(values, truths).statistic), 4) if varies else float("nan"),
        round(float(truths.mean()), 4),
        round(float(np.mean(values)), 4),
        round(float((high - low).mean()), 4),
        round(float(np.mean(means)), 4),
    )


def kinds_held(results: Sequence[LeftOut]) -> dict[str, dict[str, float]]:
    """The coverage of each error by kind of page, of those with enough documents.

    That of born-digital pages is of all documents of their domains, each of which was left out.
    """
    shares: dict[tuple[str, str], list[tuple[int, float]]] = {}
    for each in results:
        is_layered = each.by == "domain" and each.name.endswith(f", {BORN_DIGITAL}")
        if is_layered or each.by == "kind":
            name = BORN_DIGITAL if is_layered else each.name
            shares.setdefault((name, each.target), []).append((each.documents, each.coverage))
    by_kind: dict[str, dict[str, float]] = {}
    for (name, target), of in shares.items():
        total = sum(documents for documents, _ in of)
        if total >= FEWEST_DOCUMENTS:
            share = sum(documents * coverage for documents, coverage in of) / total
            by_kind.setdefault(name, {})[target] = round(share, 4)
    return by_kind
