"""Reads pages without a usable layer: all with the first engine, doubtful ones with the second."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import pandas as pd

from ohr.adviser.auto.choice import PageChoice, Reading, choose_reading
from ohr.adviser.countdown import Countdown, Report, spoken
from ohr.adviser.invented import InventionJudge, Inventions, judged_outputs
from ohr.adviser.own_pages import (
    EngineWork,
    SampleOutputs,
    add_predictions,
    collect_outputs,
    keep_assessed,
)
from ohr.adviser.quality.table import DECIDES
from ohr.adviser.sampling import PageSample
from ohr.errors import ConfigError
from ohr.quality.table import Observation
from ohr.quality.texts import content
from ohr.types import FAILED, PageRef

Say = Callable[[str], None]


@dataclass(frozen=True)
class Budget:
    """How much may be spent on second readings.

    ``most_error`` is the largest predicted error of a text that is accepted as it is, in [0, 1];
    ``seconds`` are wall seconds for all readings together, None for no limit.
    """

    most_error: float
    seconds: float | None = None


@dataclass(frozen=True)
class AutoReadings:
    """The choice of each page that was read, and the engines' words."""

    choices: tuple[PageChoice, ...] = ()
    seen: Mapping[str, Mapping[PageRef, Observation]] = field(default_factory=dict)
    lines: tuple[str, ...] = ()
    """What a user should know of the engines: who invents, what could not be judged."""


def read_twice(
    sample: PageSample,
    works: Sequence[EngineWork],
    budget: Budget,
    workers: int,
    report: Report,
    say: Say,
) -> AutoReadings:
    """Read the pages of a sample by one or two engines, and choose between their outputs.

    No page of ``sample`` has a usable layer. Raises OhrError; ConfigError before anything but the
    first page is read if the first engine alone takes longer than the budget.
    """
    first, *rest = works
    second = rest[0] if rest else None
    started = time.perf_counter()
    costs = _read_one_page(works, workers, report)
    _say_price(first, second, costs, budget, workers, say)
    unread = first.unread()
    countdown = Countdown({first.label: len(unread)}, report)
    countdown.read(first, unread)
    outputs = collect_outputs(sample, [first], {first.label: costs.get(first.label, math.nan)})
    _, table, inventions = judged_outputs(outputs, InventionJudge(), predict_pages)
    alone = _readings(table, outputs, inventions)[first.label]
    doubtful = [ref for ref in alone if alone[ref].doubt(budget.most_error)]
    if second is None or not doubtful:
        why = "no second engine was given" if second is None else ""
        return AutoReadings(
            tuple(
                choose_reading(ref, reading, None, budget.most_error, why)
                for ref, reading in alone.items()
            ),
            outputs.seen,
            tuple(inventions.lines()),
        )
    chosen, left_out = _affordable(
        sorted(doubtful, key=lambda ref: _urgency(alone[ref])),
        second,
        costs.get(second.label, math.nan),
        budget,
        time.perf_counter() - started,
        workers,
    )
    more = f"; no time for {len(left_out)} more" if left_out else ""
    say(f"read again by {second.label}: {len(chosen)} of {pages_of(len(alone))}{more}")
    again = second.only(chosen)
    unread = again.unread()
    countdown = Countdown({again.label: len(unread)}, report)
    countdown.read(again, unread)
    outputs = collect_outputs(
        sample, [first, again], {work.label: costs.get(work.label, math.nan) for work in works}
    )
    outputs, table, inventions = judged_outputs(outputs, InventionJudge(), predict_pages)
    both = _readings(table, outputs, inventions)
    choices = []
    for ref, reading in alone.items():
        if ref in both[again.label]:
            choices.append(
                choose_reading(
                    ref, both[first.label][ref], both[again.label][ref], budget.most_error
                )
            )
        else:
            why = f"read by {first.label} alone: the budget was spent"
            choices.append(choose_reading(ref, reading, None, budget.most_error, why))
    return AutoReadings(tuple(choices), outputs.seen, tuple(inventions.lines()))


def _read_one_page(works: Sequence[EngineWork], workers: int, report: Report) -> dict[str, float]:
    """Wall seconds per page and worker of each engine: as stored, or of one page that is read now;
    an engine that can read none of the pages has none."""
    costs = {}
    for work in works:
        seconds = work.cost().get("wall_s", math.nan)
        unread = work.unread()
        if math.isnan(seconds) and unread:
            countdown = Countdown({work.label: 1}, report)
            countdown.read(work, unread[:1])
            seconds = work.cost().get(
                "wall_s", countdown.seconds(workers).get(work.label, math.nan)
            )
        costs[work.label] = seconds
    return costs


def _say_price(
    first: EngineWork,
    second: EngineWork | None,
    costs: Mapping[str, float],
    budget: Budget,
    workers: int,
    say: Say,
) -> None:
    """Print what reading takes. Raises ConfigError if the first engine exceeds the budget."""
    unread = len(first.unread())
    seconds = wall_s(unread, costs[first.label], workers)
    price = f"{first.label}: {pages_of(unread)} to read, about {_spoken(seconds)}"
    if second is not None:
        most = wall_s(len(second.unread()), costs[second.label], workers)
        price += (
            f"; {second.label} then reads those whose predicted error is above "
            f"{budget.most_error:.2f} or unknown, at most about {_spoken(most)} more"
        )
    say(price)
    if budget.seconds is not None and seconds > budget.seconds:
        raise ConfigError(
            f"{first.label} alone takes about {_spoken(seconds)} for {pages_of(unread)}, more than "
            f"the {_spoken(budget.seconds)} of the budget: allow more time, read fewer pages "
            "(--pages), or name a faster engine (--engines)"
        )


def wall_s(pages: int, page_s: float, workers: int) -> float:
    """Wall seconds for some pages at ``page_s`` seconds a page and worker."""
    return pages * page_s / min(workers, pages) if pages else 0.0


def _affordable(
    refs: Sequence[PageRef],
    second: EngineWork,
    page_s: float,
    budget: Budget,
    spent_s: float,
    workers: int,
) -> tuple[list[PageRef], list[PageRef]]:
    """The pages that the second engine reads, and those for which there is no time.

    Pages in the cache take no time. An engine of unknown speed reads all pages.
    """
    unread = {page.ref for page in second.unread()}
    readable = {page.ref for page in second.pages}
    refs = [ref for ref in refs if ref in readable]
    if budget.seconds is None or math.isnan(page_s) or page_s <= 0:
        return list(refs), []
    remaining = max(0.0, budget.seconds - spent_s)
    most = math.floor(remaining * workers / page_s)
    chosen: list[PageRef] = []
    left_out: list[PageRef] = []
    for ref in refs:
        if ref in unread and most <= 0:
            left_out.append(ref)
            continue
        most -= ref in unread
        chosen.append(ref)
    return chosen, left_out


def _urgency(reading: Reading) -> tuple[bool, float]:
    """Sorts readings: those that cannot be assessed first, then by predicted error."""
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
        )
        if bool(row["assessed"]):
            reading = replace(
                reading,
                error=float(row[DECIDES]),
                low=float(row[f"{DECIDES}_low"]),
                high=float(row[f"{DECIDES}_high"]),
                in_range=bool(row["in_range"]),
            )
        readings[engine][ref] = reading
    return readings


def counted(count: int, noun: str) -> str:
    """``1 page``, ``2 pages``."""
    return f"{count:,} {noun}{'s' * (count != 1)}"


def pages_of(count: int) -> str:
    """``1 page``, ``2 pages``."""
    return counted(count, "page")


def _spoken(seconds: float) -> str:
    return "an unknown time" if math.isnan(seconds) else spoken(seconds)
