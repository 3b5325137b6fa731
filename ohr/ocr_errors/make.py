"""Makes errors on a page by a model: where (runs of words), what (characters), in which order.

A page is cut into runs of words. Their lengths, their kinds and the order in which they go wrong
follow the model; so does the text that replaces their words. Runs are taken in this order until the
page has the wanted edit distance. So a page with more errors has all those of one with fewer.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from rapidfuzz.distance import Levenshtein

from ohr.ocr_errors.alignment import Fate
from ohr.ocr_errors.characters import Characters, Choice, Draws, Strings
from ohr.ocr_errors.model import (
    LENGTHS,
    RANKS,
    SHARES,
    ErrorModel,
)
from ohr.ocr_errors.tables import (
    HIGHS,
    LOWS,
    StyleTables,
    WordRisk,
    insertion_rates,
    kind_times,
    run_class,
)
from ohr.ocr_errors.words import WORD_KINDS, PageWords

_APART = np.array([0, 0, 2, 0, 4, 5], dtype=np.uint8)
"""Kinds of words with the same number share runs."""
_OPERATOR = re.compile(r"([=+−×<>≤≥≈±])")
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


class ErrorMaker:
    """Makes errors as a model has them."""

    def __init__(self, model: ErrorModel) -> None:
        self.model = model
        self.characters = Characters(model.channel)
        self.strings = Strings(model.rubbish)
        self._styles = [
            StyleTables(style.slices, model.run_length, model.balance) for style in model.styles
        ]
        self._ranks = [
            Choice([style.ranks[rank] for style in model.styles]) for rank in range(RANKS)
        ]
        self._times, self._times_of_kinds = kind_times(model)
        self._kind_rates = np.array([model.kind_rates.get(kind, 1.0) for kind in WORD_KINDS])
        self._insertion_rates = insertion_rates(model)
        self._risk = WordRisk(model, self.characters)
        formulas = model.formulas
        wrong = formulas.count - formulas.right
        self._formula_lost = formulas.lost / wrong if wrong else 0.0
        self._formula_rate = formulas.edits / formulas.symbols if formulas.symbols else 0.0
        rates = (*self.characters.rate.items(), *self.characters.alone_rate.items())
        self._always = {char for char, rate in rates if self.characters.always(rate)}
        self._symbols = {char: Choice(counts) for char, counts in formulas.became.items() if counts}
        self._spaced = formulas.spaced[0] / max(1, formulas.spaced[1])

    def _tables(self, rank: float, uniform: float) -> StyleTables:
        """The style of a page of this rank."""
        choice = self._ranks[min(int(rank * RANKS), RANKS - 1)]
        return self._styles[choice.number(uniform)]

    def page_runs(self, page: PageWords, rank: float, rng: np.random.Generator) -> Iterator[Run]:
        """:meth:`runs` of a page of this rank among all pages."""
        return self.runs(page, self._tables(rank, float(rng.random())), rng)

    def runs(self, page: PageWords, tables: StyleTables, rng: np.random.Generator) -> Iterator[Run]:
        """The page cut into runs of words, those that go wrong first in front."""
        count = len(page.words)
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
                    LOWS[bins.clip(0, len(LENGTHS) - 1)],
                    HIGHS[bins.clip(0, len(LENGTHS) - 1)],
                )
                drawn = low + (uniform[2][own] * (high - low + 1)).astype(int)
                lengths[own] = np.maximum(1, np.rint(drawn * tables.run_length).astype(int))
            ends = at + np.cumsum(lengths)
            starts.append(ends - lengths)
            slices.append(of_slice)
            order.append(uniform[0])
            at = int(ends[-1])
        start = np.concatenate(starts)
        stays = start < count
        start, of_slice = start[stays], np.concatenate(slices)[stays]
        drawn = np.concatenate(order)[stays]
        kinds = np.frombuffer(page.kinds, dtype=np.uint8)
        # Runs end where a table or a chart begins or ends.
        edges = np.flatnonzero(np.diff(_APART[kinds])) + 1
        pieces = np.union1d(start, edges)
        owners = np.searchsorted(start, pieces, side="right") - 1
        start, of_slice, drawn = pieces, of_slice[owners], drawn[owners]
        end = np.append(start[1:], count)
        # Exponential clocks: the chance to be next is in proportion to the rate.
        sums = np.concatenate(([0.0], np.cumsum(self._risk.of_words(page.words))))
        rate = (sums[end] - sums[start]) / (end - start)
        if self.model.clustering:
            windows = rng.standard_normal(count // WINDOW + 1)
            rate = rate * np.exp(self.model.clustering * windows[(start + end) // 2 // WINDOW])
        times = np.zeros(len(start))
        for kind in np.unique(kinds[start]).tolist():
            own = kinds[start] == kind
            times[own] = np.interp(drawn[own], self._times_of_kinds[kind], self._times)
        rate = rate * self._kind_rates[kinds[start]]
        clock = -np.log1p(-np.minimum(times, 1 - 1e-9)) / np.maximum(rate, 1e-9)
        ranked = np.argsort(clock, kind="stable").tolist()
        first, last, number_of = start.tolist(), end.tolist(), of_slice.tolist()
        return (Run(first[i], last[i], number_of[i]) for i in ranked)

    def errors(
        self,
        page: PageWords,
        share: float,
        rank: float,
        rng: np.random.Generator,
        fixed: Mapping[int, tuple[Fate, str]],
        *,
        lost: bool = False,
    ) -> PageErrors:
        """The errors that give the page's content about this edit distance.

        ``fixed`` is drawn by :meth:`fixed`. ``lost``: the engine reads nothing of the page,
        so that all its errors are lost words.
        """
        errors = PageErrors({}, {}, 0.0)
        length = page.length
        if share <= 0 or not page.words:
            return errors
        tables = self._tables(rank, float(rng.random()))
        ranked = self.runs(page, tables, rng)
        share = min(1.0, share / self.model.reached)
        draws = Draws(rng)
        cost, grown = 0.0, 0.0
        of_run = {} if lost else fixed
        for run in ranked:
            for number, entry, extra in self._words(page, run, tables, draws, of_run, lost):
                edits, growth = _cost(page.words[number], entry, extra)
                target = share * max(length, length + grown + growth)
                # The word that reaches the wanted distance counts if that is nearer to it.
                if cost + edits / 2 > target:
                    break
                if entry is not None:
                    errors.texts[number] = entry
                if extra:
                    errors.inserted[number] = extra
                cost, grown = cost + edits, grown + growth
            else:
                continue
            break
        errors.share = cost / max(1.0, length, length + grown)
        return errors

    def fates(
        self, page: PageWords, share: float, rank: float, rng: np.random.Generator
    ) -> list[Fate]:
        """What becomes of each word."""
        fates = [Fate.RIGHT] * len(page.words)
        fixed = self.fixed(page, rng)
        for number, (fate, _) in self.errors(page, share, rank, rng, fixed).texts.items():
            fates[number] = fate
        return fates

    def _words(
        self,
        page: PageWords,
        run: Run,
        tables: StyleTables,
        draws: Draws,
        fixed: Mapping[int, tuple[Fate, str]],
        lost: bool,
    ) -> Iterator[tuple[int, tuple[Fate, str] | None, str]]:
        """The words of a run: their number, what stands for each, and what is inserted after it."""
        choice = tables.first[run.slice][run_class(run.end - run.start)]
        for number in range(run.start, run.end):
            drawn = choice.number(draws.uniform())
            if drawn == 4:  # a right word, with something after it
                if not lost and (extra := self._extra(page, number, draws)):
                    yield number, None, extra
                    return
                drawn = 0
            fate = _FATES[1 + drawn]
            choice = tables.following[run.slice][fate - 1]
            word = page.words[number]
            entry: tuple[Fate, str]
            if lost:
                entry = Fate.LOST, ""
            elif number in fixed:
                entry = fixed[number]
            else:
                entry = self._instead(word, fate, tables.specks[run.slice], draws)
            extra = ""
            # A fixed word may stand in the text without its run: its edit has nothing beside it.
            if number == run.end - 1 and not lost and number not in fixed:
                kind = WORD_KINDS[page.kinds[number]]
                chance = tables.insertions[run.slice] * self._insertion_rates.get(kind, 1.0)
                if draws.uniform() < chance:
                    extra = self._extra(page, number, draws)
            yield number, entry, extra

    def _instead(self, word: str, fate: Fate, specks: float, draws: Draws) -> tuple[Fate, str]:
        """What stands for a word of this fate.

        ``specks`` is the share of rewritten words that keep their letters.
        """
        if len(word) == 1 and fate is not Fate.JOINED:
            alone = self.characters.instead(word, draws, self.strings)
            if alone is not None:
                return (Fate.RUBBISH if alone else Fate.LOST), alone
        if fate is Fate.REWRITTEN:
            if (
                draws.uniform() < specks
                and (text := self.characters.add_speck(word, draws)) != word
            ):
                return fate, text
            return fate, self.characters.rewrite(word, draws, self.strings)
        if fate is Fate.RUBBISH:
            return fate, self.strings.instead(word, draws)
        if fate is Fate.JOINED:
            return fate, word + self.characters.joints.draw(draws.uniform())
        return Fate.LOST, ""

    def _extra(self, page: PageWords, number: int, draws: Draws) -> str:
        """What is inserted after a word; nothing after a formula."""
        kind = WORD_KINDS[page.kinds[number]]
        return "" if kind == "formula" else self.strings.extra(kind, draws)

    def fixed(self, page: PageWords, rng: np.random.Generator) -> dict[int, tuple[Fate, str]]:
        """What stands for formulas, and for words with a character that the engine never reads.

        It is drawn once, since errors and the loss of mark-up may both decide about them.
        """
        draws = Draws(rng)
        fixed: dict[int, tuple[Fate, str]] = {}
        formula, always = WORD_KINDS.index("formula"), self._always
        for number, (word, kind) in enumerate(zip(page.words, page.kinds, strict=True)):
            if kind == formula:
                fixed[number] = self._formula(word, draws)
            elif always and not always.isdisjoint(word):
                text = self.characters.systematic(word, draws, self.strings)
                if text is not None and text != word:
                    fixed[number] = (Fate.REWRITTEN if text else Fate.LOST), text
        return fixed

    def _formula(self, symbols: str, draws: Draws) -> tuple[Fate, str]:
        if draws.uniform() < self._formula_lost:
            return Fate.LOST, ""
        text = "".join(self._symbol(char, draws) for char in symbols) or symbols[:1]
        if draws.uniform() < self._spaced:
            text = " ".join(_OPERATOR.sub(r" \1 ", text).split())
        return Fate.REWRITTEN, text

    def _symbol(self, char: str, draws: Draws) -> str:
        uniform = draws.uniform()
        if (choice := self._symbols.get(char)) is not None:
            return choice.draw(uniform)
        if draws.uniform() >= self._formula_rate:
            return char
        if uniform < 0.4:
            return ""
        single = self.characters.single.get(char)
        if single is not None:
            return single.draw(draws.uniform())
        return self.strings.text(1, draws)


_FATES = tuple(Fate)


def _cost(word: str, entry: tuple[Fate, str] | None, extra: str) -> tuple[float, float]:
    """Edits of a word and what is inserted after it, and by how much the page grows."""
    cost, growth = (len(extra) + 1, len(extra) + 1) if extra else (0, 0)
    if entry is None:
        return cost, growth
    fate, text = entry
    if fate is Fate.LOST:
        return cost + len(word) + 1, growth - len(word) - 1
    if fate is Fate.JOINED:
        speck = len(text) - len(word)
        return cost + max(1, speck), growth + speck - 1
    return cost + Levenshtein.distance(word, text), growth + len(text) - len(word)
