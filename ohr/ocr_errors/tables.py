"""The tables of a model, ready to draw errors from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from ohr.ocr_errors.characters import Characters, Choice, summed
from ohr.ocr_errors.model import (
    LENGTHS,
    SHARES,
    ErrorModel,
    Slice,
)
from ohr.ocr_errors.words import WORD_KINDS

MOST_WORDS = 1 << 17
"""Words whose risk is kept."""
LEAST_SPECKS = 20
"""Rewritten words from which a slice's share of specks is believed."""
KIND_PRIOR = 20.0
"""Words of each kind in a slice that count for the rates of all kinds."""
LOWS = np.array([low + 1 for low in (0, *LENGTHS[:-1])])
HIGHS = np.array(LENGTHS)
_MEANS = (LOWS + HIGHS) / 2


class StyleTables:
    """The tables of one style of pages, ready to draw from."""

    def __init__(
        self, slices: Sequence[Slice], run_length: float, balance: Sequence[float]
    ) -> None:
        runs = np.array([slice_.runs for slice_ in slices], dtype=float)
        words = np.array([max(1, slice_.words) for slice_ in slices], dtype=float)
        self.runs = _appearing(runs / words[:, None])
        self.by_slice = np.cumsum(self.runs.sum(axis=1))
        self.lengths = [np.cumsum(row) for row in self.runs]
        self.mean = float((self.runs * _MEANS).sum() / self.runs.sum())
        first = [_sum_fates([s.first[k] for s in slices]) for k in range(4)]
        self.first = [
            [Choice(_balanced(_or(s.first[k], first[k]), balance)) for k in range(4)]
            for s in slices
        ]
        following = [_sum_fates([s.following[k] for s in slices]) for k in range(4)]
        self.following = [
            [Choice(_balanced(_or(s.following[k], following[k]), balance)) for k in range(4)]
            for s in slices
        ]
        self.insertions = [
            balance[4] * s.inserted / n if (n := sum(s.runs) - s.first[0][4]) else 0.0
            for s in slices
        ]
        self.run_length = run_length
        together = [sum(column) for column in zip(*(s.specks for s in slices), strict=True)]
        self.specks = [
            a / n if n >= LEAST_SPECKS else together[0] / max(1, together[1])
            for a, n in (s.specks for s in slices)
        ]


class WordRisk:
    """How likely words are wrong because of their characters, relative to all words."""

    def __init__(self, model: ErrorModel, characters: Characters) -> None:
        # Errors that are always made have their own draw.
        self._rates, self._alone = (
            {char: 0.0 if characters.always(rate) else rate for char, rate in rates.items()}
            for rates in (characters.rate, characters.alone_rate)
        )
        slices = [slice_ for style in model.styles for slice_ in style.slices]
        words = sum(n for slice_ in slices for n, _ in slice_.kinds.values())
        wrong = sum(n for slice_ in slices for _, n in slice_.kinds.values())
        rewritten = sum(sum(row) for row in model.channel.sites)
        self._wrong = max(wrong / max(1, words), 1e-4)
        self._rewritten = max(rewritten / max(1, words), 1e-4)
        self._share = min(1.0, rewritten / max(1, wrong))
        """Share of wrong words in which single characters changed: others' do not matter."""
        self._known: dict[str, float] = {}

    def of_words(self, words: Sequence[str]) -> np.ndarray:
        """The risk of each word; 1 on average over the words that were fitted."""
        known = self._known
        if len(known) > MOST_WORDS:
            known.clear()
        result = [known.get(word) or self._risk(word) for word in words]
        return np.array(result)

    def _risk(self, word: str) -> float:
        if len(word) == 1 and word in self._alone:
            risk = self._alone[word] / self._wrong
        else:
            right = (1 - self._rates.get("^", 0.0)) * (1 - self._rates.get("$", 0.0))
            for char in word:
                right *= 1 - self._rates.get(char, 0.0)
            risk = 1 - self._share + self._share * (1 - right) / self._rewritten
        self._known[word] = max(risk, 1e-3)
        return self._known[word]


def run_class(length: int) -> int:
    """0 for a single word, 1 for two to four, 2 for up to sixteen, 3 for more."""
    return 0 if length == 1 else 1 if length <= 4 else 2 if length <= 16 else 3


def _appearing(rates: np.ndarray) -> np.ndarray:
    """Runs per word that appear as pages get worse, by slice and length; all words are covered."""
    highest = np.maximum.accumulate(rates, axis=0)
    new: np.ndarray = np.diff(highest, axis=0, prepend=0.0)
    if not new.sum():
        new[-1, 0] = 1.0
        return new
    covered = float((new * _MEANS).sum())
    if covered < 1:
        # The rest of the words goes wrong last, in runs such as the worst pages have.
        pattern = next(row for row in rates[::-1] if row.sum())
        new[-1] += pattern * (1 - covered) / float((pattern * _MEANS).sum())
    return new


def kind_times(model: ErrorModel) -> tuple[np.ndarray, np.ndarray]:
    """When words go wrong as pages get worse: shares of words with errors, by kind and level.

    A single level is split by the pages' edit distance. Returns the shares of all words, shape
    (levels + 2,), and those of each kind, shape (kinds, levels + 2): from none wrong to all, never
    falling.
    """
    steps: list[list[Mapping[str, tuple[int, int]]]] = [
        [level.kinds] for level in model.levels if level.kinds
    ]
    if len(steps) < 2:
        steps = [[style.slices[k].kinds for style in model.styles] for k in range(len(SHARES))]
    counts = np.array(
        [
            [np.sum([part.get(kind, (0, 0)) for part in step], axis=0) for kind in WORD_KINDS]
            for step in steps
        ],
        dtype=float,
    )
    words, wrong = counts[..., 0], counts[..., 1]
    of_all = wrong.sum(axis=1) / np.maximum(1.0, words.sum(axis=1))
    of_kind = (wrong + KIND_PRIOR * of_all[:, None]) / (words + KIND_PRIOR)
    ranked = np.argsort(of_all, kind="stable")
    of_all, of_kind = of_all[ranked], of_kind[ranked]
    ends = np.zeros((1, len(WORD_KINDS) + 1)), np.ones((1, len(WORD_KINDS) + 1))
    table = np.concatenate((ends[0], np.column_stack((of_all, of_kind)), ends[1]))
    table = np.maximum.accumulate(table, axis=0)
    # Strictly rising, so that each share is reached at one time.
    table += np.linspace(0, 1e-6, len(table))[:, None]
    return table[:, 0], table[:, 1:].T


def insertion_rates(model: ErrorModel) -> dict[str, float]:
    """Kind of word -> how often something is inserted after it, over all wrong words."""
    of_kind = {kind: sum(counts) for kind, counts in model.rubbish.inserted_after.items()}
    wrong = {
        kind: sum(s.kinds.get(kind, (0, 0))[1] for style in model.styles for s in style.slices)
        for kind in of_kind
    }
    average = sum(of_kind.values()) / max(1, sum(wrong.values()))
    return {
        kind: min(5.0, (count + 1) / ((wrong[kind] + 1) * max(average, 1e-3)))
        for kind, count in of_kind.items()
    }


def _sum_fates(rows: Sequence[Sequence[int]]) -> list[int]:
    total = summed(rows)
    return total if sum(total) else [1, *total[1:]]


def _balanced(counts: Sequence[int], balance: Sequence[float]) -> list[int]:
    return [round(1000 * n * factor) for n, factor in zip(counts, balance, strict=False)]


def _or(counts: Sequence[int], otherwise: Sequence[int]) -> Sequence[int]:
    return counts if sum(counts) >= 20 else otherwise
