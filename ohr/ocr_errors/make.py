"""Makes errors on a page by a model: where (runs of words), what (characters), in which order.

A page is cut into runs of words. Their lengths, their kinds and the order in which they go wrong
follow the model; so does the text that replaces their words. Runs are taken in this order until the
page has the wanted edit distance. So a page with more errors has all those of one with fewer.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
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

MOST_WORDS = 1 << 17
"""Words whose risk is kept."""
LEAST_SPECKS = 20
"""Rewritten words from which a slice's share of specks is believed."""
KIND_PRIOR = 20.0
"""Words of each kind in a slice that count for the rates of all kinds."""
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


class _StyleTables:
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


class _WordRisk:
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


class ErrorMaker:
    """Makes errors as a model has them."""

    def __init__(self, model: ErrorModel) -> None:
        self.model = model
        self.characters = Characters(model.channel)
        self.strings = Strings(model.rubbish)
        self._styles = [
            _StyleTables(style.slices, model.run_length, model.balance) for style in model.styles
        ]
        self._ranks = [
            Choice([style.ranks[rank] for style in model.styles]) for rank in range(RANKS)
        ]
        self._times, self._times_of_kinds = _kind_times(model)
        self._kind_rates = np.array([model.kind_rates.get(kind, 1.0) for kind in WORD_KINDS])
        self._insertion_rates = _insertion_rates(model)
        self._risk = _WordRisk(model, self.characters)
        formulas = model.formulas
        wrong = formulas.count - formulas.right
        self._formula_lost = formulas.lost / wrong if wrong else 0.0
        self._formula_rate = formulas.edits / formulas.symbols if formulas.symbols else 0.0
        rates = (*self.characters.rate.items(), *self.characters.alone_rate.items())
        self._always = {char for char, rate in rates if self.characters.always(rate)}
        self._symbols = {char: Choice(counts) for char, counts in formulas.became.items() if counts}
        self._spaced = formulas.spaced[0] / max(1, formulas.spaced[1])

    def _tables(self, rank: float, uniform: float) -> _StyleTables:
        """The style of a page of this rank."""
        choice = self._ranks[min(int(rank * RANKS), RANKS - 1)]
        return self._styles[choice.number(uniform)]

    def page_runs(self, page: PageWords, rank: float, rng: np.random.Generator) -> Iterator[Run]:
        """:meth:`runs` of a page of this rank among all pages."""
        return self.runs(page, self._tables(rank, float(rng.random())), rng)

    def runs(
        self, page: PageWords, tables: _StyleTables, rng: np.random.Generator
    ) -> Iterator[Run]:
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
                    _LOWS[bins.clip(0, len(LENGTHS) - 1)],
                    _HIGHS[bins.clip(0, len(LENGTHS) - 1)],
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
        tables: _StyleTables,
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
_LOWS = np.array([low + 1 for low in (0, *LENGTHS[:-1])])
_HIGHS = np.array(LENGTHS)
_MEANS = (_LOWS + _HIGHS) / 2


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


def _kind_times(model: ErrorModel) -> tuple[np.ndarray, np.ndarray]:
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


def _insertion_rates(model: ErrorModel) -> dict[str, float]:
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
