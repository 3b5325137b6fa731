"""Calibrates the means of predicted errors on documents that the model was not fitted on.

Intervals and ranks rest on the median of a predicted distribution; means over pages, by which
engines are compared, rest on its mean. That is right only if errors scatter around the median as
the model says. Where they scatter less, as on receipts, the mean is too high. So the mean of each
kind of page is moved, by as many deviations as make the means of other documents right.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import replace

import numpy as np

from ohr.quality.fit import FEWEST_OF_KIND, Labelled, scaled_pages
from ohr.quality.predictor import Predictor, moments
from ohr.quality.truth import TARGETS

MOST_DEVIATIONS = 3.0
"""A mean is moved by no more deviations than this."""
_HALVINGS = 30


def calibrate_means(
    model: Predictor, pages: Sequence[Labelled], kinds: Collection[str] = ()
) -> Predictor:
    """The model with the means of some kinds of pages moved so that they are right on ``pages``.

    ``pages`` are of documents that were not fitted; those of a document count as one. ``kinds``
    are the kinds of pages to calibrate, by default all with :data:`FEWEST_OF_KIND` documents.
    Raises ValueError for a kind of ``kinds`` with fewer documents.
    """
    shifts = {name: dict(of) for name, of in model.kind_mean_shifts.items()}
    for name in sorted(kinds or {page.page_kind for page in pages} - {""}):
        own = [page for page in pages if page.page_kind == name]
        documents = len({page.cluster or page.doc_id for page in own})
        if documents < FEWEST_OF_KIND:
            if kinds:
                raise ValueError(
                    f"kind of page {name!r}: {documents} documents, and it takes {FEWEST_OF_KIND}"
                )
            continue
        shifts[name] = {target: _mean_shift(model, own, target) for target in TARGETS}
    return replace(model, kind_mean_shifts=shifts)


def _mean_shift(model: Predictor, pages: Sequence[Labelled], target: str) -> float:
    """The deviations by which the means of these pages are to be moved."""
    scaled = scaled_pages(model, pages, target)
    counts = Counter(page.cluster or page.doc_id for page in pages)
    weights = np.array([1 / counts[page.cluster or page.doc_id] for page in pages])
    truth = float(np.average([page.values[target] for page in pages], weights=weights))
    low, high = -MOST_DEVIATIONS, MOST_DEVIATIONS
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        means = [moments(target, centre + middle * spread, spread)[0] for centre, spread in scaled]
        low, high = (low, middle) if np.average(means, weights=weights) > truth else (middle, high)
    return round((low + high) / 2, 4)
