"""Makes errors on a page by a model: where (runs of words), what (characters), in which order.

Runs of words are put on a page. Their lengths, their kinds and the order in which they go wrong
follow the model; so does the text that replaces their words. Runs are taken in this order until the
page has the wanted edit distance. So a page with more errors has all those of one with fewer.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any

import numpy as np
from rapidfuzz.distance import Levenshtein

from ohr.metrics.alignment import Fate
from ohr.ocr_errors.characters import Characters, Choice, Draws, Strings
from ohr.ocr_errors.formulas import FormulaErrors
from ohr.ocr_errors.model import SHARES, ErrorModel
from ohr.ocr_errors.own_script import OwnScript, PageScripts
from ohr.ocr_errors.tables import EVEN_RATES, StyleTables, WordRisk, run_class
from ohr.ocr_errors.times import KindTimes, LeastShares, kind_times
from ohr.ocr_errors.words import (
    CACHED_PAGES,
    WORD_KINDS,
    PageWords,
    layout_group,
    page_layout,
    page_parts,
)

WINDOWS = (30, 90)
"""Words that share their rate of errors, where errors cluster: in narrow and in wide windows."""
SPARE = 2.0
"""Runs that are drawn to go wrong without noise, over their mean number."""
CACHED_RUNS = 4 * CACHED_PAGES
"""Pages, once per draw, whose runs are kept: about 4 kB each."""
_Runs = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]
"""Start, end, slice and ``is_first`` of runs, those that go wrong first in front."""
TextEdit = tuple[int, str, str]
"""At this place of the source, the first text gives way to the second."""


@dataclass(frozen=True, slots=True)
class WordRun:
    """A run of words that goes wrong; ``slice`` says on how bad a page it is typical.

    ``is_first``: it goes wrong without noise.
    """

    start: int
    end: int
    slice: int
    is_first: bool


@dataclass(slots=True)
class PageErrors:
    """The errors of a page: what stands for each word that is wrong."""

    texts: dict[int, tuple[Fate, str]]
    inserted: dict[int, str]
    """Word -> what follows it and stands for no word."""


@dataclass(frozen=True, slots=True)
class _Known:
    """What a model says of a page, whatever is drawn."""

    parts: list[tuple[int, int, int]]
    risks: np.ndarray
    """Sum of the risks of the words before each word, and of all."""
    times: KindTimes
    least: float
    """The edit distance that its words imply without noise."""
    fixed: list[int]
    """Formulas, and words with a character that the engine never reads."""
    scripts: PageScripts


class ErrorMaker:
    """Makes errors as a model has them."""

    def __init__(self, model: ErrorModel) -> None:
        self.model = model
        self.characters = Characters(model.channel, model.output_lengths)
        self.strings = Strings(model.rubbish, model.output_lengths)
        self._tables: dict[tuple[int, ...], StyleTables] = {}
        """The style in each slice -> its tables."""
        self._styles = [
            Choice([style.slices[k].pages for style in model.styles]) for k in range(len(SHARES))
        ]
        self._times = kind_times(model)
        self._least = LeastShares(model)
        self._kind_rates = np.array([model.kind_rates.get(kind, EVEN_RATES) for kind in WORD_KINDS])
        self._risk = WordRisk(model, self.characters)
        self._known: dict[str, _Known] = {}
        self._runs: dict[tuple[str, float, int], tuple[_Runs, Mapping[str, Any]]] = {}
        """Page, its rank, state of the generator -> runs, and its state after them."""
        self._own_script = OwnScript(model, self.characters, self.strings)
        self._formulas = FormulaErrors(model, self.characters, self.strings)
        rates = (*self.characters.rate.items(), *self.characters.alone_rate.items())
        self._always = {char for char, rate in rates if self.characters.always(rate)}

    def _prepare(self, page: PageWords) -> _Known:
        known_values = self._known.get(page.source)
        if known_values is None:
            formula, always = WORD_KINDS.index("formula"), self._always
            times = self._times[layout_group(page_layout(page))]
            scripts = self._own_script.page_scripts(page)
            known_values = _Known(
                page_parts(page),
                np.concatenate(([0.0], np.cumsum(self._risk.page_risks(page)))),
                times,
                self._least.expected(np.frombuffer(page.kinds, dtype=np.uint8), times),
                [
                    number
                    for number, (word, kind) in enumerate(zip(page.words, page.kinds, strict=True))
                    if kind == formula or not always.isdisjoint(word)
                ],
                scripts,
            )
            if len(self._known) >= CACHED_PAGES:
                self._known.clear()
            self._known[page.source] = known_values
        return known_values

    def _style(self, uniform: float) -> StyleTables:
        """The tables of a page. Its style may differ between slices: the worse pages are, the fewer
        have errors in characters, and the more have loss. A page keeps its place among the others.
        """
        styles = tuple(choice.number(uniform) for choice in self._styles)
        if (known_values := self._tables.get(styles)) is None:
            slices = tuple(
                self.model.styles[style].slices[number] for number, style in enumerate(styles)
            )
            known_values = self._tables[styles] = StyleTables(self.model, slices)
        return known_values

    def page_runs(
        self, page: PageWords, rank: float, rng: np.random.Generator
    ) -> Iterator[WordRun]:
        """:meth:`runs` of a page of this rank among all pages."""
        return self.runs(page, rank, self._style(float(rng.random())), rng)

    def runs(
        self, page: PageWords, rank: float, tables: StyleTables, rng: np.random.Generator
    ) -> Iterator[WordRun]:
        """Runs of the page's words, those that go wrong first in front; the last have all words.

        Twice as many go wrong without noise as the page has on average: :meth:`errors` takes as
        many as it needs. The same draw of a page has the same runs at every edit distance, so they
        are kept. ``rng`` is of :func:`numpy.random.default_rng`.
        """
        generator = rng.bit_generator
        key = page.source, rank, int(generator.state["state"]["state"])
        known_values = self._runs.get(key)
        if known_values is None:
            if len(self._runs) >= CACHED_RUNS:
                self._runs.clear()
            known_values = self._runs[key] = self._draw(page, rank, tables, rng), generator.state
        else:
            generator.state = known_values[1]
        return map(WordRun, *(values.tolist() for values in known_values[0]))

    def _draw(
        self, page: PageWords, rank: float, tables: StyleTables, rng: np.random.Generator
    ) -> _Runs:
        count = len(page.words)
        known_values, pieces = self._prepare(page), []
        weight = (
            SPARE * self._least.weight(known_values.least, rank) if self._least.is_known else 1.0
        )
        for first, after, part in known_values.parts:
            start, end, *rest = tables.parts[part].draw(after - first, rng, weight)
            pieces.append((first + start, first + end, *rest))
        start, end, of_slice, order, is_last = (
            np.concatenate(own) for own in zip(*pieces, strict=True)
        )
        kinds = np.frombuffer(page.kinds, dtype=np.uint8)
        # Exponential clocks: the chance to be next is in proportion to the rate.
        rate = (known_values.risks[end] - known_values.risks[start]) / (end - start)
        for number, width in enumerate(WINDOWS):
            windows = rng.standard_normal(count // width + 1)
            clustering = self.model.clustering[number]
            rate = rate * np.exp(clustering * windows[(start + end) // 2 // width])
        times = np.zeros(len(start))
        for kind in np.unique(kinds[start]).tolist():
            own = kinds[start] == kind
            times[own] = known_values.times.word_times(kind, order[own], weight)
        rate = rate * self._kind_rates[kinds[start], of_slice]
        clock = -np.log1p(-np.minimum(times, 1 - 1e-9)) / np.maximum(rate, 1e-9)
        is_first = (of_slice == 0) & ~is_last & self._least.is_known
        ranked = np.lexsort((clock, ~is_first, is_last))
        return (
            start[ranked].astype(np.int32),
            end[ranked].astype(np.int32),
            of_slice[ranked].astype(np.int8),
            is_first[ranked],
        )

    def errors(
        self,
        page: PageWords,
        share: float,
        rank: float,
        rng: np.random.Generator,
        fixed: Mapping[int, tuple[Fate, str]],
        *,
        gate: float = 1.0,
        lost: bool = False,
    ) -> PageErrors:
        """The errors that give the page's content about this edit distance.

        ``fixed`` is drawn by :meth:`fixed`: these words go wrong whatever the runs, and ``gate`` in
        [0, 1] is the share of their edits that counts. ``lost``: the engine reads nothing of the
        page, so that all its errors are lost words.
        """
        errors = PageErrors({}, {})
        length = page.length
        if share <= 0 or not page.words:
            return errors
        tables = self._style(float(rng.random()))
        spare = list[WordRun]()
        runs = chain(self.runs(page, rank, tables, rng), spare)
        share = min(1.0, share / self.model.reached)
        draws = Draws(rng)
        of_run = {} if lost else fixed
        cost_of_fixed = self._cost_of_fixed(page, of_run)
        least = self._least.share(self._prepare(page).least, rank) * length - cost_of_fixed
        cost, grown = 0.0, 0.0
        for run in runs:
            if run.is_first and cost >= least:
                spare.append(replace(run, is_first=False))
                continue
            for number, entry, extra in self._words(page, run, tables, draws, of_run, lost):
                if number in errors.texts or number in errors.inserted:
                    continue
                edits, growth = _cost(page.words[number], entry, extra, page.gap(number))
                if number in of_run:
                    edits = growth = 0.0
                target = share * max(length, length + grown + growth) - gate * cost_of_fixed
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
        return errors

    def _cost_of_fixed(self, page: PageWords, fixed: Mapping[int, tuple[Fate, str]]) -> float:
        """Edits of the words that go wrong whatever the runs, on average."""
        formula, dropped = WORD_KINDS.index("formula"), self._formulas.dropped
        return sum(
            _cost(page.words[number], entry, "", page.gap(number))[0]
            * (dropped if page.kinds[number] == formula else 1.0)
            for number, entry in fixed.items()
        )

    def _words(
        self,
        page: PageWords,
        run: WordRun,
        tables: StyleTables,
        draws: Draws,
        fixed: Mapping[int, tuple[Fate, str]],
        lost: bool,
    ) -> Iterator[tuple[int, tuple[Fate, str] | None, str]]:
        """The words of a run: their number, what stands for each, and what is inserted after it."""
        kind = page.kinds[run.start]
        length = run_class(run.end - run.start)
        choice = tables.first[kind][run.slice][length]
        following = tables.following_long if length == 3 else tables.following
        for number in range(run.start, run.end):
            drawn = choice.number(draws.uniform())
            if drawn == 4:  # a right word, with something after it
                if not lost and (extra := self._extra(page, number, run.slice, draws)):
                    yield number, None, extra
                    return
                drawn = 0
            fate = _FATES[1 + drawn]
            choice = following[page.kinds[number]][run.slice][fate - 1]
            entry: tuple[Fate, str]
            if lost:
                entry = Fate.LOST, ""
            elif number in fixed:
                entry = fixed[number]
            else:
                entry = self._instead(
                    page, number, fate, run.slice, tables.specks[run.slice], draws
                )
            extra = ""
            # A fixed word may stand in the text without its run: its edit has nothing beside it.
            # What is inserted beside a lost word would stand for it, and be counted as rubbish.
            may_follow = entry[0] is not Fate.LOST and number not in fixed
            chance = tables.insertions[page.kinds[number]][run.slice] if may_follow else 0.0
            if number == run.end - 1 and draws.uniform() < chance:
                extra = self._extra(page, number, run.slice, draws)
            yield number, entry, extra

    def _instead(
        self,
        page: PageWords,
        number: int,
        fate: Fate,
        of_slice: int,
        specks: float,
        draws: Draws,
    ) -> tuple[Fate, str]:
        """What stands for a word of this fate.

        ``specks`` is the share of rewritten words that keep their letters.
        """
        word = page.words[number]
        if fate is Fate.JOINED and not page.gap(number):
            fate = Fate.REWRITTEN  # there is no space that could go
        own = self._prepare(page).scripts.word_script(number)
        if own is not None:
            touches = page.is_unspaced(number)
            share = 0.0 if touches else specks
            return fate, self._own_script.instead(word, own, fate, of_slice, share, touches, draws)
        if len(word) == 1 and fate is not Fate.JOINED:
            alone = self.characters.instead(word, of_slice, draws, self.strings)
            if alone is not None:
                return (Fate.RUBBISH if alone else Fate.LOST), alone
        if fate is Fate.REWRITTEN:
            if (
                draws.uniform() < specks
                and (text := self.characters.add_speck(word, draws)) != word
            ):
                return fate, text
            return fate, self.characters.rewrite(word, of_slice, draws, self.strings)
        if fate is Fate.RUBBISH:
            return fate, self.strings.instead(word, of_slice, draws)
        if fate is Fate.JOINED:
            return fate, word + self.characters.joints.draw(draws.uniform())
        return Fate.LOST, ""

    def _extra(self, page: PageWords, number: int, of_slice: int, draws: Draws) -> str:
        """What is inserted after a word; nothing after a formula."""
        kind = WORD_KINDS[page.kinds[number]]
        if kind == "formula":
            return ""
        extra = self.strings.extra(kind, of_slice, draws)
        own = self._prepare(page).scripts.word_script(number)
        return extra if own is None else own.localised(extra, draws)

    def fixed(self, page: PageWords, rng: np.random.Generator) -> dict[int, tuple[Fate, str]]:
        """What stands for formulas, and for words with a character that the engine never reads.

        It is drawn once, since errors and the loss of mark-up may both decide about them.
        """
        draws = Draws(rng)
        fixed: dict[int, tuple[Fate, str]] = {}
        formula, scripts = WORD_KINDS.index("formula"), self._prepare(page).scripts
        for number in self._prepare(page).fixed:
            word = page.words[number]
            if page.kinds[number] == formula:
                fate, text = self._formulas.draw(word, draws)
                if (own := scripts.word_script(number)) and text not in ("", word):
                    text = self._own_script.rubbish(word, own, draws)
                fixed[number] = fate, text
                continue
            always = self.characters.systematic(word, draws, self.strings)
            if always and (own := scripts.word_script(number)):
                always = own.localised(always, draws)
            if always is not None and always != word:
                fixed[number] = (Fate.REWRITTEN if always else Fate.LOST), always
        return fixed


_FATES = tuple(Fate)


def _cost(word: str, entry: tuple[Fate, str] | None, extra: str, gap: int) -> tuple[float, float]:
    """Edits of a word and what is inserted after it, and by how much the page grows.

    ``gap`` are the characters between the word and the next one.
    """
    cost, growth = (len(extra) + gap, len(extra) + gap) if extra else (0, 0)
    if entry is None:
        return cost, growth
    fate, text = entry
    if fate is Fate.LOST:
        return cost + len(word) + gap, growth - len(word) - gap
    if fate is Fate.JOINED:
        speck = len(text) - len(word)
        return cost + max(1, speck), growth + speck - 1
    return cost + Levenshtein.distance(word, text), growth + len(text) - len(word)
