"""Makes errors on a page by a model: where (runs of words), what (characters), in which order.

A page is cut into runs of words. Their lengths, their kinds and the order in which they go wrong
follow the model; so does the text that replaces their words. Runs are taken in this order until the
page has the wanted edit distance. So a page with more errors has all those of one with fewer.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from rapidfuzz.distance import Levenshtein

from ohr.ocr_errors.alignment import Fate
from ohr.ocr_errors.characters import Characters, Choice, Draws, Strings, summed
from ohr.ocr_errors.model import (
    LENGTHS,
    RANKS,
    SHARES,
    ErrorModel,
    Slice,
)
from ohr.ocr_errors.words import WORD_KINDS, PageWords

WINDOW = 30
"""Words that share their rate of errors, where errors cluster."""
TextEdit = tuple[int, str, str]
"""At this place of the source, the first text gives way to the second."""


@dataclass(frozen=True, slots=True)
class Run:
    """A run of words that goes wrong; ``slice`` says on how bad a page it is typical."""

    start: int
    end: int
    slice: int


@dataclass(slots=True)
class PageErrors:
    """The errors of a page: what stands for each word that is wrong."""

    texts: dict[int, tuple[Fate, str]]
    inserted: dict[int, str]
    """Word -> what follows it and stands for no word."""
    share: float


class _StyleTables:
    """The tables of one style of pages, ready to draw from."""

    def __init__(self, slices: Sequence[Slice], run_length: float) -> None:
        runs = np.array([slice_.runs for slice_ in slices], dtype=float)
        words = np.array([max(1, slice_.words) for slice_ in slices], dtype=float)
        self.runs = _appearing(runs / words[:, None])
        self.by_slice = np.cumsum(self.runs.sum(axis=1))
        self.lengths = [np.cumsum(row) for row in self.runs]
        self.mean = float((self.runs * _MEANS).sum() / self.runs.sum())
        first = [_sum_fates([s.first[k] for s in slices]) for k in range(4)]
        self.first = [[Choice(_or(s.first[k], first[k])) for k in range(4)] for s in slices]
        following = [_sum_fates([s.following[k] for s in slices]) for k in range(4)]
        self.following = [
            [Choice(_or(s.following[k], following[k])) for k in range(4)] for s in slices
        ]
        self.insertions = [
            s.inserted / n if (n := sum(s.runs) - s.first[0][4]) else 0.0 for s in slices
        ]
        self.run_length = run_length


class ErrorMaker:
    """Makes errors as a model has them."""

    def __init__(self, model: ErrorModel) -> None:
        self.model = model
        self.characters = Characters(model.channel)
        self.strings = Strings(model.rubbish)
        self._styles = [_StyleTables(style.slices, model.run_length) for style in model.styles]
        self._ranks = [
            Choice([style.ranks[rank] for style in model.styles]) for rank in range(RANKS)
        ]
        self._weights = _kind_weights(model)
        formulas = model.formulas
        wrong = formulas.count - formulas.right
        self._formula_lost = formulas.lost / wrong if wrong else 0.0
        self._formula_rate = formulas.edits / formulas.symbols if formulas.symbols else 0.0

    def _tables(self, rank: float, uniform: float) -> _StyleTables:
        """The style of a page of this rank."""
        choice = self._ranks[min(int(rank * RANKS), RANKS - 1)]
        return self._styles[choice.number(uniform)]

    def page_runs(self, kinds: Sequence[int], rank: float, rng: np.random.Generator) -> list[Run]:
        """:meth:`runs` of a page of this rank among all pages."""
        return self.runs(kinds, self._tables(rank, float(rng.random())), rng)

    def runs(
        self, kinds: Sequence[int], tables: _StyleTables, rng: np.random.Generator
    ) -> list[Run]:
        """The page cut into runs of words, those that go wrong first in front."""
        count = len(kinds)
        size = int(count / max(1.0, tables.mean * tables.run_length) * 1.3) + 8
        starts: list[np.ndarray] = []
        slices: list[np.ndarray] = []
        order: list[np.ndarray] = []
        at = 0
        while at < count:
            uniform = rng.random((3, size))
            of_slice = np.searchsorted(
                tables.by_slice, uniform[0] * tables.by_slice[-1], side="right"
            ).clip(0, len(SHARES) - 1)
            lengths = np.ones(size, dtype=int)
            for number in np.unique(of_slice):
                own = of_slice == number
                sums = tables.lengths[number]
                bins = np.searchsorted(sums, uniform[1][own] * sums[-1], side="right")
                low, high = (
                    _LOWS[bins.clip(0, len(LENGTHS) - 1)],
                    _HIGHS[bins.clip(0, len(LENGTHS) - 1)],
                )
                drawn = low + (uniform[2][own] * (high - low + 1)).astype(int)
                lengths[own] = np.maximum(1, np.rint(drawn * tables.run_length).astype(int))
            ends = at + np.cumsum(lengths)
            starts.append(ends - lengths)
            slices.append(of_slice)
            order.append(-np.log1p(-uniform[0]))
            at = int(ends[-1])
        start = np.concatenate(starts)
        stays = start < count
        start, of_slice = start[stays], np.concatenate(slices)[stays]
        end = np.append(start[1:], count)
        # Exponential clocks: the chance to be next is in proportion to the rate.
        sums = np.concatenate(([0.0], np.cumsum(self._weights[np.asarray(kinds)])))
        rate = (sums[end] - sums[start]) / (end - start)
        if self.model.clustering:
            windows = rng.standard_normal(count // WINDOW + 1)
            rate = rate * np.exp(self.model.clustering * windows[(start + end) // 2 // WINDOW])
        clock = np.concatenate(order)[stays] / np.maximum(rate, 1e-9)
        ranked = np.argsort(clock, kind="stable").tolist()
        first, last, number_of = start.tolist(), end.tolist(), of_slice.tolist()
        return [Run(first[i], last[i], number_of[i]) for i in ranked]

    def errors(
        self,
        page: PageWords,
        share: float,
        rank: float,
        rng: np.random.Generator,
        formulas: Mapping[int, tuple[Fate, str]],
        *,
        lost: bool = False,
    ) -> PageErrors:
        """The errors that give the page's content about this edit distance.

        ``formulas`` are drawn by :meth:`formulas`. ``lost``: the engine reads nothing of the page,
        so that all its errors are lost words.
        """
        errors = PageErrors({}, {}, 0.0)
        length = page.length
        if share <= 0 or not page.words:
            return errors
        tables = self._tables(rank, float(rng.random()))
        ranked = self.runs(page.kinds, tables, rng)
        share = min(1.0, share / self.model.reached)
        draws = Draws(rng)
        cost, grown = 0.0, 0.0
        for run in ranked:
            of_run = {} if lost else formulas
            texts, inserted, edits, growth = self._run(page, run, tables, draws, of_run, lost)
            target = share * max(length, length + grown + growth)
            # The run that reaches the wanted distance counts if that is nearer to it.
            if cost + edits / 2 > target:
                break
            errors.texts |= texts
            errors.inserted |= inserted
            cost, grown = cost + edits, grown + growth
        errors.share = cost / max(1.0, length, length + grown)
        return errors

    def fates(
        self, page: PageWords, share: float, rank: float, rng: np.random.Generator
    ) -> list[Fate]:
        """What becomes of each word."""
        fates = [Fate.RIGHT] * len(page.words)
        formulas = self.formulas(page, rng)
        for number, (fate, _) in self.errors(page, share, rank, rng, formulas).texts.items():
            fates[number] = fate
        return fates

    def _run(
        self,
        page: PageWords,
        run: Run,
        tables: _StyleTables,
        draws: Draws,
        formulas: Mapping[int, tuple[Fate, str]],
        lost: bool,
    ) -> tuple[dict[int, tuple[Fate, str]], dict[int, str], float, float]:
        texts_of_run: dict[int, tuple[Fate, str]] = {}
        inserted: dict[int, str] = {}
        cost, growth = 0.0, 0.0
        size = run.end - run.start
        choice = tables.first[run.slice][run_class(size)]
        for number in range(run.start, run.end):
            drawn = choice.number(draws.uniform())
            if drawn == 4:  # a right word, with something after it
                if not lost and page.kinds[number] != 3 and (extra := self.strings.extra(draws)):
                    inserted[number] = extra
                    return texts_of_run, inserted, len(extra) + 1.0, len(extra) + 1.0
                drawn = 0
            fate = Fate(1 + drawn)
            choice = tables.following[run.slice][fate - 1]
            word = page.words[number]
            if lost:
                fate = Fate.LOST
            if number in formulas:
                fate, text = formulas[number]
            elif fate is Fate.REWRITTEN:
                text = self.characters.rewrite(word, draws, self.strings)
            elif fate is Fate.RUBBISH:
                text = self.strings.instead(word, draws)
            else:
                text = word if fate is Fate.JOINED else ""
            texts_of_run[number] = (fate, text)
            if fate is Fate.LOST:
                cost, growth = cost + len(word) + 1, growth - len(word) - 1
            elif fate is Fate.JOINED:
                cost, growth = cost + 1, growth - 1
            else:
                cost += Levenshtein.distance(word, text)
                growth += len(text) - len(word)
        if not lost and draws.uniform() < tables.insertions[run.slice]:
            last = run.end - 1
            if page.kinds[last] != 3 and (extra := self.strings.extra(draws)):
                inserted[last] = extra
                cost, growth = cost + len(extra) + 1, growth + len(extra) + 1
        return texts_of_run, inserted, cost, growth

    def formulas(self, page: PageWords, rng: np.random.Generator) -> dict[int, tuple[Fate, str]]:
        """What stands for each formula that goes wrong: nothing, or its symbols with errors.

        It is drawn once, since errors and the loss of mark-up may both decide about a formula.
        """
        numbers = [number for number, kind in enumerate(page.kinds) if kind == 3]
        if not numbers:
            return {}
        draws = Draws(rng)
        return {number: self._formula(page.words[number], draws) for number in numbers}

    def _formula(self, symbols: str, draws: Draws) -> tuple[Fate, str]:
        if draws.uniform() < self._formula_lost:
            return Fate.LOST, ""
        text = "".join(
            self._symbol(char, draws) if draws.uniform() < self._formula_rate else char
            for char in symbols
        )
        return Fate.REWRITTEN, text or symbols[:1]

    def _symbol(self, char: str, draws: Draws) -> str:
        uniform = draws.uniform()
        if uniform < 0.4:
            return ""
        choice = self.characters.single.get(char)
        if choice is not None:
            return choice.draw(draws.uniform())
        return self.strings.text(1, draws)


_LOWS = np.array([low + 1 for low in (0, *LENGTHS[:-1])])
_HIGHS = np.array(LENGTHS)
_MEANS = (_LOWS + _HIGHS) / 2


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


def _kind_weights(model: ErrorModel) -> np.ndarray:
    """The rate of errors of each kind of word, relative to the page's."""
    wrong = np.zeros(len(WORD_KINDS))
    expected = np.zeros(len(WORD_KINDS))
    for slice_ in (slice_ for style in model.styles for slice_ in style.slices[:-1]):
        counts = np.array([slice_.kinds.get(kind, (0, 0)) for kind in WORD_KINDS], dtype=float)
        if counts[:, 0].sum():
            wrong += counts[:, 1]
            expected += counts[:, 0] * counts[:, 1].sum() / counts[:, 0].sum()
    return (wrong + 1) / (expected + 1)


def _sum_fates(rows: Sequence[Sequence[int]]) -> list[int]:
    total = summed(rows)
    return total if sum(total) else [1, *total[1:]]


def _or(counts: Sequence[int], otherwise: Sequence[int]) -> Sequence[int]:
    return counts if sum(counts) >= 20 else otherwise
