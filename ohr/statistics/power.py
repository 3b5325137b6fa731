"""Power: how often a study of so many documents would show a loss of a given size.

Documents are drawn from a pilot's, with its mean losses taken out and the loss in question put in.
Documents lose as unevenly as those of the pilot differ: where most do not change at all, the loss
falls on the few others. Every simulated study is tested as a real one: the levels of all curves are
one family, their trends another (:mod:`ohr.statistics.inference`), and a level is shown only if its
trend is too.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from scipy.special import ndtri

from ohr.statistics.inference import ALPHA, adjusted_p_values

POWER = 0.8
STUDIES = 400
"""Simulated studies for each power: its standard error is at most .025."""
FLIPS = 999
FEWEST, MOST = 6, 5000
"""Numbers of documents that are tried; with fewer nothing can be shown."""
_ROUNDS = 3
_GROWTH = 1.07
_HALVINGS = 60
_TINY = 1e-12
_CHANCE = 0.03
"""A simulated power this far below 0.8 may be chance."""


@dataclass(frozen=True)
class PilotCurves:
    """The differences of a pilot by document, and the curve that has the loss in question.

    ``levels`` is float ``(documents, comparisons)``: the summed difference of a document's
    questions at each level of each curve, noisy less clean. ``trends`` is ``(documents, curves)``:
    their summed slopes, without a column where no curve has two levels. ``counts`` is
    ``(documents,)``: questions.
    """

    levels: np.ndarray
    trends: np.ndarray
    counts: np.ndarray
    level_shifts: np.ndarray
    """``(comparisons,)``: the loss at each level as a share of the loss in question; 0 for other
    curves, 1 for the level that is to be shown."""
    trend_shifts: np.ndarray
    """``(curves,)``: what the loss in question adds to each slope, as a share of the loss."""

    @property
    def n_documents(self) -> int:
        """Documents of the pilot."""
        return len(self.counts)

    def spread(self) -> float:
        """Standard deviation over documents of the difference, at the level to be shown.

        Documents weigh as much as they have questions: divided by the root of a number of
        documents it is the standard error of the mean difference over their questions.
        """
        shown = centred(self).levels[:, int(np.argmax(self.level_shifts))]
        return float(np.sqrt((shown**2).sum() * self.n_documents) / self.counts.sum())


def centred(pilot: PilotCurves) -> PilotCurves:
    """The pilot with every mean difference taken out: it has no loss at all."""
    total = pilot.counts.sum()

    def remaining_sums(sums: np.ndarray) -> np.ndarray:
        remaining: np.ndarray = sums - pilot.counts[:, None] * (sums.sum(axis=0) / total)
        return remaining

    return replace(pilot, levels=remaining_sums(pilot.levels), trends=remaining_sums(pilot.trends))


def power(
    pilot: PilotCurves,
    documents: int,
    difference: float,
    *,
    studies: int = STUDIES,
    flips: int = FLIPS,
    seed: int = 0,
) -> float:
    """The share of studies of so many documents that show a loss of ``difference``, in [0, 1].

    The loss grows along its curve as the pilot's shifts say; the other curves lose nothing, which
    makes their correction the hardest. Equal arguments give equal results.
    """
    null, uneven = centred(pilot), _uneven_losses(pilot, difference)
    level = int(np.argmax(pilot.level_shifts))
    rng = np.random.default_rng([seed, documents])
    shown = 0
    for _ in range(studies):
        drawn, like = rng.integers(pilot.n_documents, size=(2, documents))
        added = (uneven[like] * pilot.counts[drawn])[:, None]
        levels = null.levels[drawn] - added * pilot.level_shifts
        if adjusted_p_values(levels, flips=flips, seed=seed)[level] > ALPHA:
            continue
        if pilot.trend_shifts.any():
            trends = null.trends[drawn] - added * pilot.trend_shifts
            trend_p = adjusted_p_values(trends, flips=flips, seed=seed)
            shown += bool(trend_p[int(np.argmax(pilot.trend_shifts))] <= ALPHA)
        else:
            shown += 1
    return shown / studies


def _uneven_losses(pilot: PilotCurves, difference: float) -> np.ndarray:
    """Losses ``(documents,)`` in [0, 1] with this mean, in proportion to the pilot's changes.

    None exceeds 1, the whole score: a larger mean falls on further documents.
    """
    changes = np.abs(pilot.levels[:, int(np.argmax(pilot.level_shifts))] / pilot.counts)
    changing = changes > 0
    if (share := float(changing.mean())) <= difference:  # they lose all, and others the rest
        rest = (difference - share) / max(1.0 - share, _TINY)
        return np.where(changing, 1.0, rest)
    low, high = 0.0, 1.0 / float(changes[changing].min())
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        if float(np.minimum(1.0, middle * changes).mean()) < difference:
            low = middle
        else:
            high = middle
    result: np.ndarray = np.minimum(1.0, high * changes)
    return result


def documents_needed(
    pilot: PilotCurves, difference: float, *, studies: int = STUDIES, seed: int = 0
) -> int | None:
    """The fewest documents that show a loss in four of five studies; None for more than MOST."""
    spread = pilot.spread()
    if spread == 0:
        return FEWEST
    critical = float(ndtri(1 - ALPHA / 2))
    documents = 0
    for _ in range(_ROUNDS):
        size = (critical + float(ndtri(POWER))) * spread / difference
        guess = max(FEWEST, math.ceil(size**2))
        if guess > MOST:
            return None
        if guess == documents:
            break
        documents = guess
        critical = _critical(pilot, documents, difference, studies, seed)
    while power(pilot, documents, difference, studies=studies, seed=seed) < POWER - _CHANCE:
        documents += max(1, documents // 20)
        if documents > MOST:
            return None
    return documents


def smallest_difference(
    pilot: PilotCurves, documents: int, *, studies: int = STUDIES, seed: int = 0
) -> float | None:
    """The smallest loss that so many documents show in four of five studies, in (0, 1].

    None if even a loss of 1 is not shown.
    """
    if documents < FEWEST:
        return None
    error = pilot.spread() / math.sqrt(documents)
    if error == 0:
        return None
    critical = float(ndtri(1 - ALPHA / 2))
    difference = 0.0
    for _ in range(_ROUNDS):
        difference = (critical + float(ndtri(POWER))) * error
        critical = _critical(pilot, documents, difference, studies, seed)
    difference = (critical + float(ndtri(POWER))) * error
    while power(pilot, documents, difference, studies=studies, seed=seed) < POWER - _CHANCE:
        difference *= _GROWTH
        if difference > 1.0:
            return None
    return difference


def _critical(
    pilot: PilotCurves, documents: int, difference: float, studies: int, seed: int
) -> float:
    """The standard errors beyond which a loss is shown, from the power of one difference."""
    share = power(pilot, documents, difference, studies=studies, seed=seed)
    share = min(max(share, 1 / studies), 1 - 1 / studies)
    return difference * math.sqrt(documents) / pilot.spread() - float(ndtri(share))
