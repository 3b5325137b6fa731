"""Fits a model of errors: counts, corrected by what errors that are made from them look like."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import product
from math import log

import numpy as np

from ohr.ocr_errors.alignment import Alignment, Fate, align
from ohr.ocr_errors.counts import AlignedPage, count_errors, error_runs, ranks
from ohr.ocr_errors.edits import page_edits, rewrite
from ohr.ocr_errors.make import ErrorMaker
from ohr.ocr_errors.model import (
    ErrorModel,
    Provenance,
)
from ohr.ocr_errors.words import WORD_KINDS, page_words

CLUSTERINGS = (0.0, 0.75, 1.5, 2.25)
"""Values of the clustering that are tried."""
RUN_LENGTHS = (1.0, 0.7, 0.5, 0.35)
"""Lengths of the runs that are drawn, over those that were counted: runs that touch grow."""
WINDOW = 30
"""Words of a window in which errors are counted."""
PAGES_TRIED = 80
"""Most pages on which a value of the clustering is tried."""
SHORTEST = 0.2
"""Least length of the runs that are drawn, over the counted ones."""
MOST_BALANCE, MOST_KIND_RATE = 4.0, 20.0
"""Largest corrections, and their inverses the smallest."""
BALANCINGS = 4
"""How often the balance of the fates is corrected."""


def fit_model(pages: Sequence[AlignedPage], provenance: Provenance) -> ErrorModel:
    """The model of these pages. Raises OhrError if none has a word.

    How errors bunch is fitted by making errors with each of :data:`CLUSTERINGS` and
    :data:`RUN_LENGTHS`.
    """
    pages = [page for page in pages if page.words.words]
    model = count_errors(pages, provenance)
    clustering, length = _bunching(model, pages)
    model = model.model_copy(update={"clustering": clustering, "run_length": length})
    for _ in range(BALANCINGS):
        model = _balanced(model, pages)
    return model.model_copy(update={"reached": _reached(model, pages)})


def _tried(pages: Sequence[AlignedPage]) -> list[tuple[float, AlignedPage]]:
    """Pages on which errors are made to fit the model, with their ranks."""
    tried = [
        (rank, page)
        for rank, page in zip(ranks(pages), pages, strict=True)
        if 0.01 < page.share < 0.7 and len(page.words.words) >= 3 * WINDOW
    ]
    return tried[:: max(1, len(tried) // PAGES_TRIED)][:PAGES_TRIED]


def _bunching(model: ErrorModel, pages: Sequence[AlignedPage]) -> tuple[float, float]:
    """The clustering and the length of runs under which errors are bunched as in the real output:
    windows of words differ as much, and runs have the same mean length.
    """
    tried = _tried(pages)
    if not tried:
        return 0.0, 1.0
    real = _bunched([page.alignment.fates for _, page in tried])
    best, least = (0.0, 1.0), float("inf")
    for clustering, length in product(CLUSTERINGS, RUN_LENGTHS):
        update = {"clustering": clustering, "run_length": length}
        maker = ErrorMaker(model.model_copy(update=update))
        imitated = _bunched(
            [
                maker.fates(page.words, page.share, rank, np.random.default_rng(number))
                for number, (rank, page) in enumerate(tried)
            ]
        )
        distance = sum(
            abs(log(max(a, 1e-6) / max(b, 1e-6))) for a, b in zip(imitated, real, strict=True)
        )
        if distance < least:
            best, least = (clustering, length), distance
    return best


def _bunched(pages: Sequence[Sequence[Fate]]) -> tuple[float, float]:
    """The mean spread over windows, and the mean length of runs."""
    runs = [end - start for fates in pages for start, end in error_runs(fates)]
    return float(np.mean([_spread(fates) for fates in pages])), float(np.mean(runs or [0]))


def _imitated(
    model: ErrorModel, pages: Sequence[AlignedPage]
) -> Iterable[tuple[AlignedPage, Alignment]]:
    """Pages with errors made instead of the real ones, aligned as the real ones."""
    maker = ErrorMaker(model)
    for number, (rank, page) in enumerate(_tried(pages)):
        seeds = np.random.default_rng(number), np.random.default_rng(-1 - number & 0xFFFF)
        edits = page_edits(maker, page.words, page.share, rank, 1.0, *seeds)
        output = page_words(rewrite(page.pair.truth, edits)).words
        yield page, align(page.words.words, output)


def _balanced(model: ErrorModel, pages: Sequence[AlignedPage]) -> ErrorModel:
    """The model corrected by what made errors have too much or too little of: fates, insertions,
    kinds of words, and the length of runs.
    """
    lengths: tuple[list[int], list[int]] = [], []
    fates = np.ones((2, 5))
    kinds = np.ones((2, len(WORD_KINDS)))
    words = np.full(len(WORD_KINDS), 2.0)
    for page, alignment in _imitated(model, pages):
        of_kind = np.frombuffer(page.words.kinds, dtype=np.uint8)
        words += np.bincount(of_kind, minlength=len(WORD_KINDS))
        for side, aligned in enumerate((page.alignment, alignment)):
            lengths[side].extend(end - start for start, end in error_runs(aligned.fates))
            counts = Counter(aligned.fates)
            fates[side, :4] += [counts[fate] for fate in Fate if fate is not Fate.RIGHT]
            fates[side, 4] += len(aligned.inserted)
            wrong = np.array(aligned.fates) != Fate.RIGHT
            kinds[side] += np.bincount(of_kind[wrong], minlength=len(WORD_KINDS))
    balance = np.array(model.balance) * fates[0] / fates[1]
    hazards = -np.log1p(-np.minimum(0.98, kinds / words))
    rates = np.array([model.kind_rates.get(kind, 1.0) for kind in WORD_KINDS])
    # Only their ratios matter: they say which words go wrong first.
    rates = rates * np.clip(hazards[0] / hazards[1], 0.5, 2)
    rates = np.clip(rates / rates[0], 1 / MOST_KIND_RATE, MOST_KIND_RATE)
    longer = float(np.mean(lengths[0] or [1]) / np.mean(lengths[1] or [1]))
    return model.model_copy(
        update={
            "balance": tuple(
                _factors(np.clip(balance / balance[0], 1 / MOST_BALANCE, MOST_BALANCE))
            ),
            "kind_rates": dict(zip(WORD_KINDS, _factors(rates), strict=True)),
            "run_length": round(min(1.0, max(SHORTEST, model.run_length * longer)), 4),
        }
    )


def _factors(values: np.ndarray) -> list[float]:
    return [round(float(value), 4) for value in values]


def _reached(model: ErrorModel, pages: Sequence[AlignedPage]) -> float:
    """The edit distance that made errors have when they are aligned, over the wanted one."""
    target = reached = 0.0
    for page, alignment in _imitated(model, pages):
        target += page.share
        reached += alignment.share(page.words.words)
    return round(min(1.5, max(0.5, reached / target)), 4) if target else 1.0


def _spread(fates: Sequence[Fate]) -> float:
    """Variance of the share of errors between windows, over that of one window all wrong."""
    wrong = np.array([fate is not Fate.RIGHT for fate in fates], dtype=float)
    windows = wrong[: len(wrong) // WINDOW * WINDOW].reshape(-1, WINDOW).mean(axis=1)
    mean = float(windows.mean())
    return float(windows.var()) / (mean * (1 - mean)) if 0 < mean < 1 else 0.0
