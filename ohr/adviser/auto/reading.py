"""Reads pages without a usable layer: all with the first engine, doubtful ones with the second."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import pandas as pd

from ohr.adviser.auto.choice import PageChoice, Reading, choose_reading
from ohr.adviser.checks import OutputChecks
from ohr.adviser.countdown import Countdown
from ohr.adviser.invented import Inventions
from ohr.adviser.own_pages import (
    EngineWork,
    SampleOutputs,
    add_predictions,
    collect_outputs,
    keep_assessed,
)
from ohr.adviser.quality.table import DECIDES
from ohr.adviser.sampling import PageSample
from ohr.display.wording import pages_of
from ohr.errors import ConfigError
from ohr.ocr.price import reading_s, spoken, time_text
from ohr.ocr.progress import Progress
from ohr.quality.table import Observation
from ohr.quality.texts import content
from ohr.types import FAILED, PageRef

Say = Callable[[str], None]
PROBE = 16
"""Pages by which it is decided which engine reads the others."""


@dataclass(frozen=True)
class Budget:
    """What is accepted without a second engine, and how long the command may take.

    ``most_error`` is the largest predicted error of a text that is accepted as it is, in [0, 1];
    ``seconds`` are wall seconds for all that the command does, None for no limit. ``started`` is
    when it began, by :func:`time.monotonic`; by default now.
    """

    most_error: float
    seconds: float | None = None
    started: float = field(default_factory=time.monotonic)

    def left_s(self) -> float:
        """The seconds that are left now; infinite without a limit."""
        if self.seconds is None:
            return math.inf
        return self.seconds - (time.monotonic() - self.started)


@dataclass(frozen=True)
class AutoReadings:
    """The choice of each page that was read, and the engines' words."""

    choices: tuple[PageChoice, ...] = ()
    seen: Mapping[str, Mapping[PageRef, Observation]] = field(default_factory=dict)
    lines: tuple[str, ...] = ()
    """What a user should know of the engines: who invents, what could not be judged."""


class AutoReader:
    """Reads the pages of a sample by one or two engines, and chooses between their outputs.

    No page of the sample has a usable layer. ``say`` gets lines while pages are read.
    """

    def __init__(
        self,
        sample: PageSample,
        works: Sequence[EngineWork],
        budget: Budget,
        workers: int,
        progress: Progress,
        say: Say,
    ) -> None:
        self._sample, self._works, self._budget = sample, works, budget
        self._workers, self._progress, self._say = workers, progress, say
        self._first = works[0]
        self._second = works[1] if len(works) > 1 else None
        self._refs = [page.ref for page in self._first.pages]
        self._read_by: dict[str, set[PageRef]] = {work.label: set() for work in works}
        self._costs: dict[str, float] = {}
        self._checks = OutputChecks(predict_pages, progress)
        self._unchecked: set[PageRef] = set()

    def read(self) -> AutoReadings:
        """The choice of each page. Raises OhrError; ConfigError, before each engine has read more
        than one page, if the first engine alone takes longer than the budget."""
        if any(work.only(self._refs[:1]).unread() for work in self._works):
            self._say("one page with each engine first, for the price")
        for work in self._works:
            self._costs[work.label] = self._page_s(work)
        # What a check takes is known from the page that all have read.
        self._assess({work.label: set(self._refs[:1]) for work in self._works})
        self._check_price()
        self._read_once()
        readings, outputs, inventions = self._assess()
        alone = {ref: each for of in readings.values() for ref, each in of.items()}
        if self._second is None:
            why = "no second engine was given"
        else:
            why = "there was no time for a second engine"
            if self._read_again(alone):
                readings, outputs, inventions = self._assess()
        most = self._budget.most_error
        choices = []
        for ref in self._refs:
            first, *rest = [each[ref] for each in readings.values() if ref in each]
            choices.append(choose_reading(ref, first, rest[0] if rest else None, most, why))
        return AutoReadings(tuple(choices), outputs.seen, tuple(inventions.lines()))

    def _page_s(self, work: EngineWork) -> float:
        """Wall seconds per page and worker: those of the first page, which is read now unless it is
        stored. A repeated command thus decides the same."""
        first = work.only(self._refs[:1])
        countdown = Countdown({work.label: 1}, self._progress)
        if unread := first.unread():
            countdown.read(first, unread)
        measured = countdown.seconds(self._workers).get(work.label, math.nan)
        return first.cost().get("wall_s", measured)

    def _check_price(self) -> None:
        """Print the price of reading. Raises ConfigError if the first engine exceeds the budget."""
        first, second, most = self._first, self._second, self._budget.most_error
        unread = len(first.unread())
        seconds = reading_s(unread, self._costs[first.label], self._workers)
        price = f"{first.label}: {_price(unread, seconds)}"
        if second is not None:
            rest = len(second.unread())
            more = reading_s(rest, self._costs[second.label], self._workers)
            where = f"{second.label}, where the predicted error is above {most:.2f} or unknown"
            price += f"; {where}: {'at most ' * bool(rest)}{_price(rest, more)}"
            if not unread + rest:
                price = f"all pages by {first.label} and {second.label} are in the cache"
        checks_s = self._checks.seconds(len(self._refs) - self._checks.checked)
        if checks_s >= 1:
            price += f"; to check what they write: {time_text(checks_s)}"
        self._say(price)
        limit = self._budget.seconds
        if limit is not None and seconds > self._budget.left_s():
            used = limit - self._budget.left_s()
            raise ConfigError(
                f"{first.label} alone takes {time_text(seconds)} for {pages_of(unread)}, more "
                f"than is left of the {spoken(limit)} of the budget after {spoken(used)}: allow "
                "more time, read fewer pages (--pages), or name a faster engine (--engines)"
            )

    def _read_once(self) -> None:
        """Read every page by one engine: by the first, unless it reads so many of :data:`PROBE`
        pages badly that it costs less to read all others by the second alone."""
        first, second = self._first, self._second
        probe = self._refs[:: max(1, len(self._refs) // PROBE)][:PROBE]
        self._read(first, probe)
        rest = [ref for ref in self._refs if ref not in set(probe)]
        if second is not None and rest and self._has_time(second, len(rest)):
            readings, *_ = self._assess()
            most = self._budget.most_error
            bad = sum(bool(each.doubt(most)) for each in readings[first.label].values())
            first_s, second_s = self._costs[first.label], self._costs[second.label]
            if first_s + bad / len(probe) * second_s >= second_s:  # False if a time is not known
                self._say(
                    f"{first.label} reads {bad} of {pages_of(len(probe))} badly: it costs less to "
                    f"read the other {len(rest):,} by {second.label} alone"
                )
                self._read(second, rest)
                return
        self._read(first, rest)

    def _read_again(self, alone: Mapping[PageRef, Reading]) -> bool:
        """Read doubtful pages by the engine that has not read them, the worst first, as long as
        there is time; returns whether any is read."""
        most = self._budget.most_error
        doubtful = sorted(
            (ref for ref, reading in alone.items() if reading.doubt(most)),
            key=lambda ref: _urgency(alone[ref]),
        )
        for work in self._works:
            refs = [ref for ref in doubtful if alone[ref].engine != work.label]
            unread = {page.ref for page in work.only(refs).unread()}
            fits = self._pages_that_fit(work)
            in_time = [ref for ref in refs if ref in unread][:fits]
            chosen = [ref for ref in refs if ref not in unread or ref in set(in_time)]
            if refs:
                left_out = len(refs) - len(chosen)
                more = f"; no time for {left_out:,} more" if left_out else ""
                again = f"read again by {work.label}: {len(chosen):,} of"
                self._say(f"{again} {pages_of(len(alone))}{more}")
            self._read(work, chosen)
        return bool(doubtful)

    def _read(self, work: EngineWork, refs: Sequence[PageRef]) -> None:
        unread = work.only(refs).unread()
        if unread:
            Countdown({work.label: len(unread)}, self._progress).read(work, unread)
        self._read_by[work.label].update(refs)
        self._unchecked.update(refs)

    def _has_time(self, work: EngineWork, pages: int) -> bool:
        return self._pages_that_fit(work) >= pages

    def _pages_that_fit(self, work: EngineWork) -> int:
        """How many pages an engine can still read, in the time that checks leave, also those of
        these pages; an engine of unknown speed reads all."""
        page_s, left_s = self._costs[work.label], self._budget.left_s()
        if math.isinf(left_s) or not page_s > 0:
            return len(self._refs)
        left_s = max(0.0, left_s - self._checks.seconds(len(self._unchecked)))
        return math.floor(left_s / (page_s / self._workers + self._checks.seconds(1)))

    def _assess(
        self, read_by: Mapping[str, Collection[PageRef]] | None = None
    ) -> tuple[dict[str, dict[PageRef, Reading]], SampleOutputs, Inventions]:
        """The outputs so far, or those ``read_by`` the engines, with their predictions."""
        read_by = self._read_by if read_by is None else read_by
        works = [work.only(read_by[work.label]) for work in self._works]

        def collect() -> SampleOutputs:
            with self._progress.doing("comparing the engines' outputs"):
                return collect_outputs(self._sample, works, self._costs)

        outputs, table, inventions = self._checks.check(collect)
        self._unchecked.clear()
        return _readings(table, outputs, inventions), outputs, inventions


def _urgency(reading: Reading) -> tuple[bool, float]:
    """Sorts outputs: those that cannot be assessed first, then by predicted error."""
    error = reading.error
    return not (reading.failed or reading.invents or math.isnan(error)), -error


def predict_pages(outputs: SampleOutputs) -> pd.DataFrame:
    """The table of outputs with their predicted errors, where they can be assessed."""
    return keep_assessed(add_predictions(outputs.table))


def _readings(
    table: pd.DataFrame, outputs: SampleOutputs, inventions: Inventions
) -> dict[str, dict[PageRef, Reading]]:
    """The outputs by engine and page, with their predictions."""
    failed = {str(status) for status in FAILED}
    readings: dict[str, dict[PageRef, Reading]] = {label: {} for label in outputs.seen}
    rows: list[dict[Any, Any]] = table.to_dict("records")
    for row in rows:
        engine = str(row["engine"])
        ref = PageRef(str(row["doc_id"]), int(row["page_no"]))
        reading = Reading(
            engine,
            characters=len(content(outputs.text(engine, ref))),
            seconds=float(row["wall_s"]),
            invents=engine in inventions.vetoes or inventions.invents(engine, ref),
            failed=row["status"] in failed,
            writes_script=bool(row["writes_script"]),
        )
        if bool(row["assessed"]):
            reading = replace(
                reading,
                error=float(row[DECIDES]),
                low=float(row[f"{DECIDES}_low"]),
                high=float(row[f"{DECIDES}_high"]),
                in_range=bool(row["in_range"]),
            )
        else:
            reading = replace(reading, not_assessed=str(row["not_assessed"]))
        readings[engine][ref] = reading
    return readings


def _price(unread: int, seconds: float) -> str:
    return f"{pages_of(unread)} to read, {time_text(seconds)}" if unread else "none to read"
