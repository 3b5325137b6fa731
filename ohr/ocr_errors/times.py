"""When the words of a page go wrong as pages get worse: by their kind, by layout, without noise."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ohr.ocr_errors.model import SHARES, ErrorModel, quantile
from ohr.ocr_errors.words import LAYOUT_GROUPS, WORD_KINDS

LAST = 0.98
"""Most words that go wrong in the first slice."""
MOST_WEIGHT = 2.0
"""Most errors of a page without noise, over what its words imply; the inverse is the least. Words
say more of it than ranks: a page that is bad under noise need not be bad without."""
KIND_PRIOR = 20.0
"""Words of each kind in a slice that count for the rates of all kinds."""


@dataclass(frozen=True)
class KindTimes:
    """When words go wrong as pages of a group of layouts get worse.

    Shares of words with errors, from none to all, never falling.
    """

    of_all: np.ndarray
    """Of all words: float ``(slices + 2,)``."""
    of_kinds: np.ndarray
    """Of each kind: float ``(kinds, slices + 2)``."""

    def word_times(self, kind: int, shares: np.ndarray, weight: float) -> np.ndarray:
        """When words of a kind go wrong, by the share of its words that do so before.

        ``weight``: how many words go wrong in the first slice, over the counted ones.
        """
        own = self.of_kinds[kind]
        first = min(own[1] * weight, LAST)
        rising = np.maximum.accumulate(np.concatenate(([0.0, first], own[2:])))
        rising += np.linspace(0, 1e-6, len(rising))
        times: np.ndarray = np.interp(shares, rising, self.of_all)
        return times


class LeastShares:
    """The edit distance that pages have without noise, by their words and by their rank.

    Only if several levels were fitted: otherwise every page has the weight 1.
    """

    def __init__(self, model: ErrorModel) -> None:
        self._quantiles = model.lowest.quantiles if len(model.levels) > 1 else None
        counts = [
            entry
            for style in model.styles
            for kinds in style.slices[0].kinds.values()
            for entry in kinds.values()
        ]
        words, wrong = sum(n for n, _ in counts), sum(n for _, n in counts)
        self._share_of_wrong = model.lowest.edit_distance * words / max(1, wrong)
        """Edit distance per share of wrong words."""

    @property
    def is_known(self) -> bool:
        """Whether the first slice has what goes wrong without noise."""
        return self._quantiles is not None

    def share(self, expected: float, rank: float) -> float:
        """The edit distance without noise of a page of this rank whose words imply ``expected``."""
        return expected * self.weight(expected, rank) if self.is_known else 0.0

    def expected(self, kinds: np.ndarray, times: KindTimes) -> float:
        """The edit distance of a page with these kinds of words."""
        wrong = float(times.of_kinds[:, 1][kinds].mean()) if len(kinds) else 0.0
        return self._share_of_wrong * wrong

    def weight(self, expected: float, rank: float) -> float:
        """How many more errors a page of this rank has without noise than its words imply."""
        if self._quantiles is None or expected <= 0:
            return 1.0
        of_rank = quantile(self._quantiles, rank)
        return min(MOST_WEIGHT, max(1 / MOST_WEIGHT, of_rank / expected))


def kind_times(model: ErrorModel) -> dict[str, KindTimes]:
    """Group of layouts -> when its words go wrong.

    Groups and kinds with few words have the rates of all groups, and of all kinds.
    """
    counts = np.array(
        [
            [
                [
                    np.sum([style.slices[k].kinds[group][kind] for style in model.styles], axis=0)
                    for kind in WORD_KINDS
                ]
                for k in range(len(SHARES))
            ]
            for group in LAYOUT_GROUPS
        ],
        dtype=float,
    )
    together = counts.sum(axis=0)
    of_all = together[..., 1].sum(axis=1) / np.maximum(1.0, together[..., 0].sum(axis=1))
    of_kinds = _shrunk(together, of_all[:, None])
    return {
        group: _times(
            np.concatenate((own.sum(axis=1, keepdims=True), own), axis=1),
            np.column_stack((of_all, of_kinds)),
        )
        for group, own in zip(LAYOUT_GROUPS, counts, strict=True)
    }


def _shrunk(counts: np.ndarray, prior: np.ndarray) -> np.ndarray:
    """Shares of wrong words from words and wrong ones; those of few words are near the prior."""
    shares: np.ndarray = (counts[..., 1] + KIND_PRIOR * prior) / (counts[..., 0] + KIND_PRIOR)
    return shares


def _times(counts: np.ndarray, prior: np.ndarray) -> KindTimes:
    """From counts ``(slices, 1 + kinds, 2)``, first of all words: isotonic regression by slice."""
    from scipy.optimize import isotonic_regression  # half a second: only where it is needed

    weights, shares = counts[..., 0] + KIND_PRIOR, _shrunk(counts, prior)
    table = np.array(
        [
            np.concatenate(([0.0], isotonic_regression(own, weights=weight).x, [1.0]))
            for own, weight in zip(shares.T, weights.T, strict=True)
        ]
    )
    # Strictly rising, so that each share is reached at one time.
    table += np.linspace(0, 1e-6, table.shape[1])
    return KindTimes(table[0], table[1:])
