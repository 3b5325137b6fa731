"""Which engines write what is not on your pages: invented text, and numbers that glyphs contradict.

Each output of a page is judged by the other engines' outputs, the page's usable text layer and its
ink (:mod:`ohr.quality.witness`, :mod:`ohr.quality.disputed_numbers`). An engine that invents is
never taken, whatever its predicted errors are: these do not see what an output has and no other
has.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any

import pandas as pd

from ohr.adviser.empty_pages import settle_empty
from ohr.adviser.own_pages import SampleOutputs
from ohr.adviser.page_image import PageImage
from ohr.adviser.sampling import page_ref
from ohr.documents.layers.scripts import main_script
from ohr.files.safe_text import plain
from ohr.ocr.progress import Progress, Silent
from ohr.quality.disputed_numbers import (
    DisputedNumber,
    compare_with_witness,
    decided,
    spread,
)
from ohr.quality.table import Observation, signal_table
from ohr.quality.witness import PageJudgement, ReadBoxes, Seen, judge_page, read_boxes
from ohr.types import FAILED, PageRef

FALSE_RATE = 0.03
"""Share of the pages of honest engines that are taken to be accused: on severely distorted pages 2
of 72 were, on clean pages 0 of 48 (docs/results/made-up.md)."""
ALPHA = 0.05
"""Chance at most with which so many accused pages of an honest engine are taken for invention."""
FEWEST_ACCUSED = 2
"""An engine is rejected only if at least so many pages are accused: one page may have what only one
engine can read, such as a faint line in another script."""
NUMBER_ALPHA = 0.001
USUAL_NUMBERS = 0.04
"""Share of numbers that an honest engine reads differently on clean pages, at most."""
FEWEST_NUMBERS = 3
NUMBERS_READ = 12
"""Most disputed numbers of a page that are read again."""
_QUOTED = 120
_NAMED = 3


@dataclass(frozen=True)
class PageNumbers:
    """An engine's numbers of a page beside another engine's: ``compared``, ``disputed``, of which
    ``read`` were read again, ``contradicted`` of these; and its ``words`` beside them, of which
    ``words_changed`` differ.
    """

    compared: int = 0
    disputed: int = 0
    read: int = 0
    contradicted: tuple[DisputedNumber, ...] = ()
    words: int = 0
    words_changed: int = 0

    @property
    def estimate(self) -> float:
        """Number of contradicted numbers, if those that were not read are like the others."""
        return self.disputed * len(self.contradicted) / self.read if self.read else 0.0


@dataclass(frozen=True)
class Veto:
    """Why an engine is not taken.

    ``words`` is the number of invented words on ``pages``, ``without_ink`` that of words there in
    whose box is no ink, and ``numbers`` that of contradicted numbers.
    """

    engine: str
    sentence: str
    pages: tuple[PageRef, ...]
    words: int = 0
    examples: tuple[str, ...] = ()
    numbers: int = 0
    without_ink: int = 0

    def json_content(self) -> dict[str, Any]:
        """The veto for ``recommendation.json``; its examples are untrusted text."""
        return {
            "engine": self.engine,
            "sentence": self.sentence,
            "pages": [{"document": ref.doc_id, "page": ref.page_no + 1} for ref in self.pages],
            "invented_words": self.words,
            "words_without_ink": self.without_ink,
            "contradicted_numbers": self.numbers,
            "examples": [plain(text) for text in self.examples],
        }


@dataclass(frozen=True)
class Inventions:
    """What was found on the pages of each engine of page images."""

    pages: Mapping[str, Mapping[PageRef, PageJudgement]] = field(default_factory=dict)
    numbers: Mapping[str, Mapping[PageRef, PageNumbers]] = field(default_factory=dict)

    @cached_property
    def vetoes(self) -> dict[str, Veto]:
        """The engines that are never taken, with the reason."""
        vetoes = {}
        for engine in self.pages:
            veto = self._text_veto(engine) or self._number_veto(engine)
            if veto is not None:
                vetoes[engine] = veto
        return vetoes

    def invents(self, engine: str, ref: PageRef) -> bool:
        """Whether an engine's output of a page has invented text."""
        judged = self.pages.get(engine, {}).get(ref)
        return judged is not None and bool(judged.invented)

    def _text_veto(self, engine: str) -> Veto | None:
        judged = self.pages[engine]
        worst = {ref: each.score for ref, each in judged.items() if each.invented}
        if len(worst) < FEWEST_ACCUSED or _tail(len(worst), len(judged), FALSE_RATE) >= ALPHA:
            return None
        refs = sorted(worst, key=lambda ref: -worst[ref])
        words = sum(judged[ref].invented_words for ref in refs)
        examples = tuple(judged[ref].invented[0].text for ref in refs[:_NAMED])
        blank = sum(judged[ref].is_blank for ref in refs)
        on = f", {blank} of them blank" if blank else ""
        sentence = (
            f"{engine} invents text, so it is never taken: on {len(refs)} of {_pages(len(judged))}"
            f"{on} it writes {words} words that neither another output nor the page has, such as "
            f"{_quoted(examples[0])} ({_page(refs[0])})."
        )
        without_ink = sum(judged[ref].without_ink or 0 for ref in refs)
        if without_ink:
            be = "is" if without_ink == 1 else "are"
            sentence += f" {without_ink} of its words there {be} where the page has no ink."
        return Veto(engine, sentence, tuple(refs), words, examples, without_ink=without_ink)

    def _number_veto(self, engine: str) -> Veto | None:
        pages = self.numbers.get(engine, {})
        compared = sum(each.compared for each in pages.values())
        wrong = round(sum(each.estimate for each in pages.values()))
        read = sum(len(each.contradicted) for each in pages.values())
        words = sum(each.words for each in pages.values())
        changed = sum(each.words_changed for each in pages.values())
        # An engine that also misreads the words between them misreads; it changes nothing.
        usual = max(USUAL_NUMBERS, changed / words if words else 0.0)
        if read < FEWEST_NUMBERS or _tail(wrong, compared, min(1.0, usual)) >= NUMBER_ALPHA:
            return None
        refs = [ref for ref, each in pages.items() if each.contradicted]
        first = pages[refs[0]].contradicted[0]
        examples = tuple(_number(pages[ref].contradicted[0]) for ref in refs[:_NAMED])
        sentence = (
            f"{engine} writes other numbers than the page, so it is never taken: about {wrong} of "
            f"{compared:,} on {_pages(len(refs))}, between words that it reads rightly. Read "
            f"again, the glyphs say {_quoted([first.other][0])}, where it has "
            f"{_quoted(first.own)} ({_page(refs[0])}, after {_quoted(first.context)})."
        )
        return Veto(engine, sentence, tuple(refs), 0, examples, wrong)

    def add_columns(self, table: pd.DataFrame) -> pd.DataFrame:
        """The table with ``invented_words``, ``longest_invented``, ``words_without_ink``,
        ``contradicted_numbers`` and ``invention_judged`` for each page; empty where there is
        nothing to judge by.
        """
        rows = []
        for row in table[["engine", "doc_id", "page_no"]].to_dict("records"):
            ref = PageRef(str(row["doc_id"]), int(row["page_no"]))
            judged = self._judged(row)
            numbers = self.numbers.get(str(row["engine"]), {}).get(ref)
            rows.append(
                {
                    "invented_words": None if judged is None else judged.invented_words,
                    "longest_invented": None if judged is None else judged.longest,
                    "words_without_ink": None if judged is None else judged.without_ink,
                    "contradicted_numbers": None if numbers is None else len(numbers.contradicted),
                    "invention_judged": judged is not None and judged.is_judged,
                }
            )
        added = pd.DataFrame(rows, index=table.index)
        counts = ["invented_words", "longest_invented", "words_without_ink", "contradicted_numbers"]
        return table.assign(**added.astype(dict.fromkeys(counts, "Int64")))

    def is_blank(self, engine: str, ref: PageRef) -> bool | None:
        """Whether a page has no ink that looks like text; None if the engine's output of it was
        not judged."""
        judged = self.pages.get(engine, {}).get(ref)
        return None if judged is None else judged.is_blank

    def _judged(self, row: Mapping[Any, Any]) -> PageJudgement | None:
        ref = PageRef(str(row["doc_id"]), int(row["page_no"]))
        return self.pages.get(str(row["engine"]), {}).get(ref)

    def lines(self) -> list[str]:
        """Lines about invented text and changed numbers, the vetoes first."""
        sentences = [veto.sentence for veto in self.vetoes.values()]
        for engine, judged in self.pages.items():
            accused = [ref for ref, each in judged.items() if each.invented]
            if accused and engine not in self.vetoes:
                named = ", ".join(map(_page, accused[:_NAMED]))
                text = judged[accused[0]].invented[0].text
                sentences.append(
                    f"{engine}: text that neither another output nor the page has, on "
                    f"{len(accused)} of {_pages(len(judged))} ({named}), such as {_quoted(text)}: "
                    "too little to tell invention from misreading"
                )
            unknown = [each for each in judged.values() if not each.is_judged]
            if unknown:
                reasons = dict.fromkeys(each.reason for each in unknown)
                sentences.append(
                    f"{engine}: whether it invents cannot be judged on {len(unknown)} of "
                    f"{_pages(len(judged))}: {'; '.join(reasons)}"
                )
        clean = [
            engine
            for engine, judged in self.pages.items()
            if any(each.is_judged for each in judged.values())
            and not any(each.invented for each in judged.values())
        ]
        if clean:
            every = [each for name in clean for each in self.pages[name].values()]
            partly = "" if all(each.is_judged for each in every) else ", where it can be judged"
            named = " and ".join(clean)
            sentences.append(f"no invented text was found in the output of {named}{partly}")
        return sentences


def _page(ref: PageRef) -> str:
    return plain(f"page {ref.page_no + 1} of {ref.doc_id}")


def _pages(count: int) -> str:
    return f"{count} page{'s' * (count != 1)}"


def _quoted(text: str) -> str:
    short = text if len(text) <= _QUOTED else f"{text[: _QUOTED - 1].rstrip()}…"
    return f"“{plain(short)}”"


def _number(number: DisputedNumber) -> str:
    return f"{number.own} for {number.other}"


class InventionJudge:
    """Judges samples of outputs; a page that was judged with the same texts is not judged again."""

    def __init__(self, reader: ReadBoxes | None = None) -> None:
        self._reader = reader or read_boxes
        self._judged: dict[tuple[Any, ...], PageJudgement] = {}
        self._compared: dict[tuple[Any, ...], PageNumbers] = {}

    def judge(
        self, outputs: SampleOutputs, report: Callable[[int, int], None] = lambda done, total: None
    ) -> Inventions:
        """Judge every page of every engine of page images. Raises what the recognisers raise.

        ``report`` gets the number of pages that are judged, and of all.
        """
        sources = {page_ref(source): source for source in outputs.sample.pages}
        engines = [name for name in outputs.seen if name not in outputs.of_layer]
        pages: dict[str, dict[PageRef, PageJudgement]] = {name: {} for name in engines}
        numbers: dict[str, dict[PageRef, PageNumbers]] = {name: {} for name in engines}
        for done, (ref, source) in enumerate(sources.items()):
            report(done, len(sources))
            of_page = {
                name: outputs.seen[name][ref]
                for name in engines
                if ref in outputs.seen[name]
                and outputs.seen[name][ref].outcome.status not in FAILED
            }
            image = PageImage(source, self._reader)
            layer = outputs.sample.layers.get(ref)
            for name, seen in of_page.items():
                rest = [
                    _seen(other)
                    for label, other in of_page.items()
                    if label != name
                    and label not in outputs.composites
                    and label not in outputs.kin.get(name, ())
                ]
                witnesses = [*rest, *([Seen(layer)] if layer else [])]
                key = (ref, _seen(seen), tuple(witnesses))
                if key not in self._judged:
                    self._judged[key] = judge_page(key[1], witnesses, image.grey, image.read)
                    self._compared[key] = self._numbers(seen, rest, image)
                pages[name][ref] = self._judged[key]
                numbers[name][ref] = self._compared[key]
        report(len(sources), len(sources))
        return Inventions(pages, numbers)

    def _numbers(self, seen: Observation, rest: Sequence[Seen], image: PageImage) -> PageNumbers:
        """The numbers beside those of the engine that has the most of them in the same places."""
        compared = [
            compare_with_witness(seen.text, each.text, each.words) for each in rest if each.words
        ]
        if not compared:
            return PageNumbers()
        best = max(compared, key=lambda each: each.compared - len(each.disputed))
        chosen = spread(best.disputed, NUMBERS_READ)
        page = image.grey() if chosen else None
        placed = [(number, number.box) for number in chosen if number.box is not None]
        boxes = [(box, main_script(f"{number.context} {number.other}")) for number, box in placed]
        readings = [] if page is None else image.read(page, boxes)
        contradicted = [
            number
            for (number, _), reading in zip(placed[: len(readings)], readings, strict=True)
            if decided(number, list(reading.values())) == "other"
        ]
        return PageNumbers(
            best.compared,
            len(best.disputed),
            len(chosen) if page is not None else 0,
            tuple(contradicted),
            best.words,
            best.words_changed,
        )


def _seen(page: Observation) -> Seen:
    return Seen(page.text, page.words)


def drop_engines(outputs: SampleOutputs, engines: Sequence[str]) -> SampleOutputs:
    """The outputs with the signals of the other engines as if ``engines`` had not read: no engine
    is charged for lacking what another one invented.
    """
    if not engines:
        return outputs
    rest = {name: pages for name, pages in outputs.seen.items() if name not in engines}
    own = outputs.table
    keys = ["engine", "doc_id", "page_no"]
    sample = outputs.sample
    anew = signal_table(
        rest,
        sample.layers,
        outputs.of_layer,
        sample.holes,
        outputs.scripts,
        outputs.kin,
        outputs.pictured,
    )
    if anew.empty:
        return outputs
    extra = [name for name in own if name not in anew or name in keys]
    anew = anew.merge(own[extra], on=keys, how="left", validate="one_to_one")
    table = pd.concat([anew[list(own)], own[own["engine"].isin(list(engines))]])
    order = {name: place for place, name in enumerate(outputs.seen)}
    table = table.sort_values("engine", key=lambda column: column.map(order), kind="stable")
    return replace(outputs, table=table.reset_index(drop=True))


def judged_outputs(
    outputs: SampleOutputs,
    judge: InventionJudge,
    predict: Callable[[SampleOutputs], pd.DataFrame],
    progress: Progress | None = None,
) -> tuple[SampleOutputs, pd.DataFrame, Inventions]:
    """The outputs without what was invented in their signals, their predictions, and what was
    found. ``predict`` gives the table of predictions.
    """
    progress = progress or Silent()
    checking = partial(progress.new_stage("checking", "pages", brief=True), "for invented text")
    inventions = judge.judge(outputs, checking)
    with progress.doing("predicting errors"):
        outputs = drop_engines(outputs, list(inventions.vetoes))
        table = settle_empty(predict(outputs), inventions.is_blank)
    return outputs, inventions.add_columns(table), inventions


def _tail(count: int, of: int, rate: float) -> float:
    """Chance of ``count`` or more of ``of``, each with a chance of ``rate``."""
    from scipy.special import bdtrc  # imported only when needed: it takes a tenth of a second

    return float(bdtrc(count - 1, of, rate)) if count > 0 else 1.0
