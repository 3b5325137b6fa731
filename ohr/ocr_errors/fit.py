"""Fits a model of errors: counts, corrected by what errors that are made from them look like."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import log

import numpy as np

from ohr.metrics.alignment import Alignment, Fate, align
from ohr.ocr_errors.counts import count_errors, fates_in_runs, length_bin
from ohr.ocr_errors.edits import page_edits, rewrite
from ohr.ocr_errors.make import WINDOWS, ErrorMaker
from ohr.ocr_errors.model import LENGTHS, SHARES, ErrorModel, Provenance
from ohr.ocr_errors.pages import AlignedPage, error_runs, page_slices, ranks
from ohr.ocr_errors.tables import EVEN, EVEN_RATES, EVEN_SLICES
from ohr.ocr_errors.words import PART_OF_KIND, PARTS, WORD_KINDS, page_words

CLUSTERINGS = (0.0, 0.25, 0.5, 0.75, 1.0, 1.5, 2.25)
"""Values of the clustering that are tried."""
PAGES_TRIED = 60
"""Most pages of each slice on which errors are made to correct the model."""
MOST_BALANCE, MOST_KIND_RATE = 8.0, 20.0
"""Largest corrections, and their inverses the smallest."""
BALANCINGS = 4
"""How often the balance is corrected, before and after the clustering is fitted."""
PRIOR = 5.0
"""Words that each fate of a kind has at least, so that few words correct little."""
_Tried = tuple[float, int, AlignedPage]


def fit_model(pages: Sequence[AlignedPage], provenance: Provenance) -> ErrorModel:
    """The model of these pages. Raises OhrError if none has a word.

    How errors bunch is fitted by making errors with each of :data:`CLUSTERINGS`.
    """
    pages = [page for page in pages if page.words.words]
    model = count_errors(pages, provenance)
    for _ in range(BALANCINGS):
        model = _balanced(model, pages)
    model = _bunching(model, pages)
    for _ in range(BALANCINGS):
        model = _balanced(model, pages)
    return model.model_copy(update={"reached": _reached(model, pages)})


def _tried(pages: Sequence[AlignedPage]) -> list[_Tried]:
    """Pages on which errors are made to fit the model, with their ranks and slices."""
    tried = [
        (rank, number, page)
        for rank, number, page in zip(ranks(pages), page_slices(pages), pages, strict=True)
        if 0.01 < page.share < 0.7 and len(page.words.words) >= 3 * WINDOWS[0]
    ]
    chosen = []
    for number in range(len(SHARES)):
        own = [entry for entry in tried if entry[1] == number]
        places = np.linspace(0, len(own) - 1, min(len(own), PAGES_TRIED))
        chosen += [own[place] for place in np.rint(places).astype(int)]
    return chosen


def _bunching(model: ErrorModel, pages: Sequence[AlignedPage]) -> ErrorModel:
    """The model under which errors are bunched as in the real output: windows differ as much."""
    tried = _tried(pages)
    real = _spreads([page.alignment for _, _, page in tried])

    def distance(clustering: tuple[float, float]) -> float:
        maker = ErrorMaker(model.model_copy(update={"clustering": clustering}))
        spreads = _spreads([alignment for _, _, alignment in _imitated(maker, tried)])
        return sum(
            abs(log(max(a, 1e-3) / max(b, 1e-3))) for a, b in zip(spreads, real, strict=True)
        )

    best = min(((0.0, wide) for wide in CLUSTERINGS), key=distance)
    best = min(((narrow, best[1]) for narrow in CLUSTERINGS), key=distance)
    best = min(((best[0], wide) for wide in CLUSTERINGS), key=distance)
    return model.model_copy(update={"clustering": best})


def _spreads(alignments: Sequence[Alignment]) -> list[float]:
    """For windows of each width: the variance of the share of errors between a page's windows, over
    that of windows all wrong or all right.
    """
    return [_spread([aligned.fates for aligned in alignments], width) for width in WINDOWS]


def _imitated(
    maker: ErrorMaker, tried: Sequence[_Tried]
) -> Iterable[tuple[int, AlignedPage, Alignment]]:
    """Pages with errors made instead of the real ones, aligned as the real ones; their slices."""
    for number, (rank, of_slice, page) in enumerate(tried):
        seeds = np.random.default_rng(number), np.random.default_rng(-1 - number & 0xFFFF)
        edits = page_edits(maker, page.words, page.share, rank, 1.0, *seeds)
        output = page_words(rewrite(page.pair.truth, edits)).words
        yield of_slice, page, align(page.words.words, output)


def _balanced(model: ErrorModel, pages: Sequence[AlignedPage]) -> ErrorModel:
    """The model corrected by what made errors have too much or too little of: fates and insertions
    by kind of word, words with errors by kind, and the length of runs.
    """
    lengths = np.full((2, len(LENGTHS)), PRIOR)
    fates = np.full((2, len(WORD_KINDS), 2, 5), PRIOR)
    slices = np.full((2, len(PARTS), len(SHARES), 5), PRIOR)
    part_of = np.array(PART_OF_KIND)
    kinds = np.full((2, len(SHARES), len(WORD_KINDS)), PRIOR)
    words = np.full((len(SHARES), len(WORD_KINDS)), 2 * PRIOR)
    maker = ErrorMaker(model)
    for position, page, alignment in _imitated(maker, _tried(pages)):
        of_kind = np.frombuffer(page.words.kinds, dtype=np.uint8)
        words[position] += np.bincount(of_kind, minlength=len(WORD_KINDS))
        for side, aligned in enumerate((page.alignment, alignment)):
            fates_of = fates_in_runs(page.words, aligned.fates, maker.characters)
            of_word = np.array(fates_of)
            longer = np.zeros(len(of_word), dtype=int)
            for start, end in error_runs(fates_of):
                lengths[side, length_bin(end - start)] += 1
                longer[start:end] = end - start > 1
            wrong = of_word != Fate.RIGHT
            np.add.at(fates[side], (of_kind[wrong], longer[wrong], of_word[wrong] - 1), 1)
            np.add.at(slices[side, :, position], (part_of[of_kind[wrong]], of_word[wrong] - 1), 1)
            kinds[side, position] += np.bincount(of_kind[wrong], minlength=len(WORD_KINDS))
            for place, text in aligned.inserted:
                beside = int(wrong[max(0, place - 1) : place + 1].any())
                # Characters count: much of what is inserted is aligned with words beside it.
                fates[side, of_kind[max(0, place - 1)], beside, 4] += len(text) + 1
                slices[side, part_of[of_kind[max(0, place - 1)]], position, 4] += len(text) + 1
    balance = np.array([model.balance.get(kind, EVEN) for kind in WORD_KINDS])
    slice_balance = np.array([model.slice_balance.get(part, EVEN_SLICES) for part in PARTS])
    balance, slice_balance = _corrected(balance, fates), _corrected(slice_balance, slices)
    # A word that is joined with one that is wrong, too, is counted as rewritten.
    balance[:, 1, Fate.JOINED - 1] = np.minimum(1.0, balance[:, 1, Fate.JOINED - 1])
    hazards = -np.log1p(-np.minimum(0.98, kinds / words))
    rates = np.array([model.kind_rates.get(kind, EVEN_RATES) for kind in WORD_KINDS]).T
    # Only their ratios matter: they say which words go wrong first.
    rates = rates * np.clip(hazards[0] / hazards[1], 0.5, 2)
    rates = np.clip(rates / rates[:, :1], 1 / MOST_KIND_RATE, MOST_KIND_RATE)
    length_rates = np.array(model.length_rates) * np.clip(lengths[0] / lengths[1], 0.5, 2)
    length_rates = np.clip(length_rates / length_rates[0], 1 / MOST_BALANCE, MOST_BALANCE)
    return model.model_copy(
        update={
            "balance": {
                kind: (_factors(alone), _factors(several))
                for kind, (alone, several) in zip(WORD_KINDS, balance, strict=True)
            },
            "slice_balance": {
                part: tuple(map(_factors, own))
                for part, own in zip(PARTS, slice_balance, strict=True)
            },
            "kind_rates": dict(zip(WORD_KINDS, map(_factors, rates.T), strict=True)),
            "length_rates": _factors(length_rates),
        }
    )


def _corrected(balance: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """Factors of fates, corrected by their shares of the real and the made words with errors."""
    shares = counts / counts[..., :4].sum(axis=-1, keepdims=True)
    # Kinds and slices are corrected together: each does half.
    factors = balance * np.sqrt(shares[0] / shares[1])
    result: np.ndarray = np.clip(factors, 1 / MOST_BALANCE, MOST_BALANCE)
    return result


def _factors(values: np.ndarray) -> tuple[float, ...]:
    return tuple(round(float(value), 4) for value in values)


def _reached(model: ErrorModel, pages: Sequence[AlignedPage]) -> float:
    """The edit distance that made errors have when they are aligned, over the wanted one."""
    target = reached = 0.0
    for _, page, alignment in _imitated(ErrorMaker(model), _tried(pages)):
        target += page.share
        reached += alignment.share(page.words.words)
    return round(min(1.5, max(0.5, reached / target)), 4) if target else 1.0


def _spread(pages: Sequence[Sequence[Fate]], width: int) -> float:
    variance = most = 0.0
    for fates in pages:
        wrong = np.array([fate is not Fate.RIGHT for fate in fates], dtype=float)
        if len(wrong) >= 2 * width:
            windows = wrong[: len(wrong) // width * width].reshape(-1, width).mean(axis=1)
            variance += float(windows.var())
            most += float(windows.mean() * (1 - windows.mean()))
    return variance / most if most else 0.0
