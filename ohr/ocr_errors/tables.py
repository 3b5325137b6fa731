"""The tables of a model, ready to draw errors from."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ohr.ocr_errors.characters import Characters, Choice, summed
from ohr.ocr_errors.model import (
    END,
    LENGTHS,
    SHARES,
    START,
    ErrorModel,
    FateCounts,
    Runs,
    Slice,
    Style,
)
from ohr.ocr_errors.words import PART_OF_KIND, PARTS, WORD_KINDS, PageWords

MOST_WORDS = 1 << 17
"""Words whose risk is kept."""
EVEN = ((1.0,) * 5, (1.0,) * 5)
"""The balance of a kind of words without corrections."""
EVEN_SLICES = ((1.0,) * 5,) * len(SHARES)
"""That of a part of the page, by slice."""
EVEN_RATES = (1.0,) * len(SHARES)
"""The rates of a kind of words without corrections, by slice."""
LEAST_PAGES = 8
"""Pages from which a style's slice is believed."""
LEAST_WORDS, LEAST_RUNS = 500, 20
"""Words or runs from which the runs of a part are believed."""
LEAST_SPECKS = 20
"""Rewritten words from which a slice's share of specks is believed."""
MOST_COVERED = 0.98
"""Largest share of words in runs that were counted; the rest goes wrong last."""
_LOWS = np.array([low + 1 for low in (0, *LENGTHS[:-1])])
_HIGHS = np.array(LENGTHS)
_MEANS = (_LOWS + _HIGHS) / 2
_SPANS = _HIGHS - _LOWS + 1


class PartTables:
    """The runs of one part of the pages, ready to draw from."""

    def __init__(self, slices: Sequence[Runs], length_rates: Sequence[float]) -> None:
        words = np.array([[max(1, runs.words)] for runs in slices])
        counted = np.array([runs.lengths for runs in slices]) / words
        rates = counted * np.array(length_rates)
        # Runs are placed independently, so that some words are in several.
        covered = np.maximum.accumulate(np.minimum(counted @ _MEANS, MOST_COVERED))
        self._words = np.diff(-np.log1p(-covered), prepend=0.0)
        runs = _appearing(rates, self._words)
        self._of_slice = runs.sum(axis=1)
        self._before = np.cumsum(self._of_slice) - self._of_slice
        # The lengths of a slice come after those of the slices before it.
        self._by_length = (self._before[:, None] + np.cumsum(runs, axis=1)).ravel()
        worst = next((row for row in rates[::-1] if row.sum()), np.eye(len(LENGTHS))[0])
        self._worst = np.cumsum(worst) / worst.sum()
        self._worst_mean = float(worst @ _MEANS / worst.sum())
        self._known: tuple[float, float, np.ndarray, np.ndarray] | None = None

    def _shares(self, weight: float) -> tuple[float, np.ndarray, np.ndarray]:
        """Runs per word; shares of the runs, and of the words in them, up to each slice. Parts of
        one page have the same weight.
        """
        if self._known is None or self._known[0] != weight:
            weights = np.array([weight] + [1.0] * (len(SHARES) - 1))
            runs = np.append(0.0, np.cumsum(self._of_slice * weights))
            words = -np.expm1(-np.append(0.0, np.cumsum(self._words * weights)))
            self._known = weight, float(runs[-1]), runs / (runs[-1] or 1.0), words
        return self._known[1:]

    def draw(
        self, count: int, rng: np.random.Generator, weight: float = 1.0
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """Runs in so many words; they may overlap.

        Returns the first word of each, the one after its last, its slice, the share of words (in
        [0, 1)) in runs that appear before it as pages get worse, and whether it goes wrong last:
        runs of the worst pages, one after the other, so that every word goes wrong in the end.
        ``weight``: how many runs of the first slice there are, over the counted ones.
        """
        per_word, places, covered = self._shares(weight)
        uniform = rng.random((4, int(count * per_word + rng.random())))
        slices = np.minimum(places[1:].searchsorted(uniform[0], side="right"), len(SHARES) - 1)
        place = self._before[slices] + uniform[1] * self._of_slice[slices]
        bins = self._by_length.searchsorted(place, side="right") - slices * len(LENGTHS)
        lengths = _lengths(bins, uniform[2])
        start = (uniform[3] * (count + lengths - 1)).astype(int) - lengths + 1
        last = rng.random((3, int(count / self._worst_mean * 1.3) + 8))
        ends = np.cumsum(_lengths(self._worst.searchsorted(last[0], side="right"), last[1]))
        starts = np.append(0, ends[:-1])
        n_last = int(starts.searchsorted(count))
        stops = np.minimum(np.append(start + lengths, ends[:n_last]), count)
        stops[-1] = count  # should the lengths have been too few
        return (
            np.append(np.maximum(start, 0), starts[:n_last]),
            stops,
            np.append(slices, np.full(n_last, len(SHARES) - 1)),
            np.append(np.interp(uniform[0], places, covered), last[2, :n_last]),
            np.append(np.zeros(len(start), dtype=bool), np.ones(n_last, dtype=bool)),
        )


def _lengths(bins: np.ndarray, uniform: np.ndarray) -> np.ndarray:
    """Lengths of runs in these bins."""
    bins = np.clip(bins, 0, len(LENGTHS) - 1)
    lengths: np.ndarray = _LOWS[bins] + (uniform * _SPANS[bins]).astype(int)
    return lengths


class StyleTables:
    """The tables of pages that are like these ones in each slice, ready to draw from."""

    def __init__(self, model: ErrorModel, own: Sequence[Slice]) -> None:
        believed = {part: _believed(model.styles, own, part) for part in PARTS}
        self.parts = [PartTables(believed[part], model.length_rates) for part in PARTS]
        self.first: list[list[list[Choice]]] = []
        """Kind of word -> slice -> class of the run's length -> fate of its first word."""
        self.following: list[list[list[Choice]]] = []
        """Kind of word -> slice -> fate of the word before -> fate of the next one."""
        self.following_long: list[list[list[Choice]]] = []
        self.insertions: list[list[float]] = []
        """Kind of word -> slice -> chance that something is inserted after a run's last word."""
        for kind, part in zip(WORD_KINDS, PART_OF_KIND, strict=True):
            slices = believed[PARTS[part]]
            of_slices = np.array(model.slice_balance.get(PARTS[part], EVEN_SLICES))
            alone, longer = np.array(model.balance.get(kind, EVEN))
            rows = np.array([longer] * 4)
            self.first.append(
                _choices([s.first for s in slices], np.array([alone, *rows[1:]]), of_slices)
            )
            self.following.append(_choices([s.following for s in slices], rows, of_slices))
            self.following_long.append(
                _choices([s.following_long for s in slices], rows, of_slices)
            )
            self.insertions.append(
                [
                    float(factor * longer[4]) * s.inserted / n
                    if (n := sum(s.lengths) - s.first[0][4])
                    else 0.0
                    for factor, s in zip(of_slices[:, 4], slices, strict=True)
                ]
            )
        specks = [slice_.specks for slice_ in own]
        together = [sum(column) for column in zip(*specks, strict=True)]
        self.specks = [
            a / n if n >= LEAST_SPECKS else together[0] / max(1, together[1]) for a, n in specks
        ]


class WordRisk:
    """How likely words are wrong because of their characters."""

    def __init__(self, model: ErrorModel, characters: Characters) -> None:
        # Errors that are always made have their own draw.
        self._rates, self._alone = (
            {char: 0.0 if characters.always(rate) else rate for char, rate in rates.items()}
            for rates in (characters.rate, characters.alone_rate)
        )
        counts = [
            entry
            for style in model.styles
            for slice_ in style.slices
            for kinds in slice_.kinds.values()
            for entry in kinds.values()
        ]
        words, wrong = sum(n for n, _ in counts), sum(n for _, n in counts)
        rewritten = sum(slice_.specks[1] for style in model.styles for slice_ in style.slices)
        self._wrong = max(wrong / max(1, words), 1e-4)
        self._rewritten = max(rewritten / max(1, words), 1e-4)
        self._share = min(1.0, rewritten / max(1, wrong))
        """Share of wrong words in which single characters changed: others' do not matter."""
        self._known: dict[str, float] = {}

    def page_risks(self, page: PageWords) -> np.ndarray:
        """The risk of each word, over that of the page's words of its kind.

        Kinds go wrong when :class:`KindTimes` says.
        """
        known_values = self._known
        if len(known_values) > MOST_WORDS:
            known_values.clear()
        risks = np.array([known_values.get(word) or self._risk(word) for word in page.words])
        kinds = np.frombuffer(page.kinds, dtype=np.uint8)
        sums = np.bincount(kinds, risks, minlength=len(WORD_KINDS))
        means = sums / np.maximum(1, np.bincount(kinds, minlength=len(WORD_KINDS)))
        return risks / means[kinds]

    def _risk(self, word: str) -> float:
        if len(word) == 1 and word in self._alone:
            risk = self._alone[word] / self._wrong
        else:
            right = (1 - self._rates.get(START, 0.0)) * (1 - self._rates.get(END, 0.0))
            for char in word:
                right *= 1 - self._rates.get(char, 0.0)
            risk = 1 - self._share + self._share * (1 - right) / self._rewritten
        self._known[word] = max(risk, 1e-3)
        return self._known[word]


def run_class(length: int) -> int:
    """0 for a single word, 1 for two to four, 2 for up to sixteen, 3 for more."""
    return 0 if length == 1 else 1 if length <= 4 else 2 if length <= 16 else 3


def _appearing(rates: np.ndarray, words: np.ndarray) -> np.ndarray:
    """Runs per word that appear as pages get worse, by slice and length, with so many words."""
    highest = np.maximum.accumulate(rates, axis=0)
    new: np.ndarray = np.diff(highest, axis=0, prepend=0.0)
    new = np.where(new.sum(axis=1, keepdims=True) > 0, new, rates)
    new *= (words / np.maximum(new @ _MEANS, 1e-12))[:, None]
    return new


def _believed(styles: Sequence[Style], slices: Sequence[Slice], part: str) -> list[Runs]:
    """Slice -> the runs of a part; where a style has few pages or words, those of all styles, and
    where these have few words, those of all parts.
    """
    result = []
    for number, own in enumerate(slices):
        runs, all_styles = own.runs[part], [other.slices[number].runs for other in styles]
        if own.pages < LEAST_PAGES or not _is_enough(runs):
            runs = _together([entry[part] for entry in all_styles])
        if not _is_enough(runs):
            runs = _together([runs for entry in all_styles for runs in entry.values()])
        result.append(runs)
    return result


def _is_enough(runs: Runs) -> bool:
    return runs.words >= LEAST_WORDS or sum(runs.lengths) >= LEAST_RUNS


def _together(counts: Sequence[Runs]) -> Runs:
    return Runs(
        words=sum(runs.words for runs in counts),
        lengths=tuple(summed([runs.lengths for runs in counts])),
        first=_sums([runs.first for runs in counts]),
        following=_sums([runs.following for runs in counts]),
        following_long=_sums([runs.following_long for runs in counts]),
        inserted=sum(runs.inserted for runs in counts),
    )


def _sums(tables: Sequence[FateCounts]) -> FateCounts:
    a, b, c, d = (tuple(summed(rows)) for rows in zip(*tables, strict=True))
    return a, b, c, d


def _choices(
    slices: Sequence[FateCounts], balance: np.ndarray, of_slices: np.ndarray
) -> list[list[Choice]]:
    """Slice -> row -> fate; rows with few counts are those of all slices."""
    together = [_sum_fates(rows) for rows in zip(*slices, strict=True)]
    return [
        [Choice(_balanced(_or(of_slice[k], together[k]), balance[k] * factors)) for k in range(4)]
        for of_slice, factors in zip(slices, of_slices, strict=True)
    ]


def _sum_fates(rows: Sequence[Sequence[int]]) -> list[int]:
    total = summed(rows)
    return total if sum(total) else [1, *total[1:]]


def _balanced(counts: Sequence[int], balance: np.ndarray) -> list[int]:
    return [round(1000 * n * factor) for n, factor in zip(counts, balance, strict=False)]


def _or(counts: Sequence[int], otherwise: Sequence[int]) -> Sequence[int]:
    return counts if sum(counts) >= 20 else otherwise
