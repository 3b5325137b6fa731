"""Reads pages in batches, and stops when more pages cannot change the verdict on the engines.

The engines are compared after 16 pages, 32, 64 and so on, and after all. If every look tested at
the usual level, some look would show a difference too easily. So the alpha of .05 is spent as pages
are read: after a share t of them, .05 t may have been spent, and each look tests at what it adds.
The sum is .05, so all looks hold together at 95 %, whenever the reading stops. Source: Lan and
DeMets, Discrete sequential boundaries for clinical trials, 1983 (their third function, of constant
rate). They also use how looks depend on each other; that each increment is a level of its own is
conservative (Bonferroni). ``python -m benchmarks.stopping`` measures how often a verdict is wrong
and how many pages are saved.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
import pandas as pd

from ohr.adviser.checks import OutputChecks
from ohr.adviser.countdown import Countdown
from ohr.adviser.invented import Inventions
from ohr.adviser.own_pages import (
    EngineWork,
    OcrSettings,
    SampleOutputs,
    collect_outputs,
    plan_reading,
)
from ohr.adviser.quality.study import predict_errors
from ohr.adviser.quality.table import DECIDES
from ohr.adviser.recommend.pace import Pace
from ohr.adviser.recommend.report import verdict_start
from ohr.adviser.recommend.verdicts import (
    CLOSE,
    FEWEST_WITHOUT_LAYER,
    MeasureVerdict,
    basis,
    error_verdict,
)
from ohr.adviser.sampling import PageSample, page_ref
from ohr.ocr.files import FilePage
from ohr.ocr.observe import REPEATS
from ohr.ocr.price import spoken
from ohr.ocr.progress import Progress
from ohr.statistics.inference import ALPHA
from ohr.types import PageRef

FIRST = 16
"""Number of pages in the first batch: about as many as the first ten questions need."""
SECOND_PART = 3
"""Number of pages that are read after the first one, before the time is looked at again."""

Stop = Literal["all pages", "settled", "undecidable", "time", "one left"]


@dataclass(frozen=True)
class Reading:
    """The pages that were read, and why no more were.

    ``table`` has the predicted errors of ``outputs``; ``planned`` is the number of pages that could
    have been read, ``looks`` the number of times that the engines would have been compared.
    ``alpha`` is that of the last look.
    """

    outputs: SampleOutputs
    table: pd.DataFrame
    planned: int
    looks: int
    stop: Stop
    alpha: float = ALPHA
    inventions: Inventions = field(default_factory=Inventions)
    used_s: float = 0.0
    """Wall seconds that reading took."""
    limit_s: float | None = None
    """Wall seconds that it might take; None without a limit."""
    check_s: float = math.nan
    """Wall seconds per page that its check for invented text took; NaN if not known."""

    @property
    def sentences(self) -> list[str]:
        """Why reading stopped before all pages were read; empty if it did not."""
        count = len(self.outputs.sample.pages)
        after = f"Reading stopped after {count} of {self.planned} pages: "
        points = f"{100 * CLOSE:.0f} points"
        why = {
            "settled": f"the engines' wrong characters differ significantly, or by {points} at "
            "most (--read-all: read all pages).",
            "undecidable": "more pages cannot show a difference in wrong characters, because the "
            "predictions are too uncertain; transcribed pages can (--truth).",
            "one left": "all engines but one invent text (--read-all: read all pages).",
            "time": "the next pages would have taken longer than --minutes.",
        }
        return [after + why[self.stop] + self._used] if self.stop in why else []

    @property
    def _used(self) -> str:
        if self.limit_s is None:
            return ""
        return f" It took {spoken(self.used_s)}; --minutes allowed {spoken(self.limit_s)}."


def look_sizes(pages: int, least: int = 0) -> tuple[int, ...]:
    """The numbers of pages after which engines are compared: doubling, and all ``pages``.

    None is smaller than ``least`` or than :data:`FIRST`, unless there are no more pages.
    """
    sizes, size = [], FIRST
    while 3 * size < 2 * pages:  # a last batch of less than half joins the one before
        if size >= least:
            sizes.append(size)
        size *= 2
    return (*sizes, pages)


def look_alpha(size: int, before: int, planned: int) -> float:
    """The alpha of a look after ``size`` of ``planned`` pages, the look before at ``before``."""
    return ALPHA * (size - before) / planned


def spread_order(pages: Sequence[PageRef], seed: int) -> list[PageRef]:
    """The pages in an order of which every beginning is spread over the documents like the whole.

    Within a document the order is random.
    """
    documents: dict[str, list[PageRef]] = {}
    for ref in pages:
        documents.setdefault(ref.doc_id, []).append(ref)
    places: list[tuple[float, PageRef]] = []
    for doc_id, refs in documents.items():
        rng = np.random.default_rng([seed, *doc_id.encode()])
        start = rng.uniform()
        order = rng.permutation(len(refs))
        places += [((i + start) / len(refs), refs[place]) for i, place in enumerate(order)]
    return [ref for _, ref in sorted(places)]


def verdict_first(order: Sequence[PageRef], for_ocr: Set[PageRef]) -> list[PageRef]:
    """The pages that the verdict needs first, as many as it needs, which have no usable text layer;
    the others in their order.

    Time may run out before they would have come.
    """
    first = [ref for ref in order if ref in for_ocr][:FEWEST_WITHOUT_LAYER]
    chosen = set(first)
    return first + [ref for ref in order if ref not in chosen]


def stop_reason(verdict: MeasureVerdict) -> Literal["settled", "undecidable", ""]:
    """Why no more pages are needed for this verdict; empty if they are.

    Engines with the same score on every page are settled: more pages would hardly part them.
    """
    are_same = verdict.is_compared and all(each.is_same for each in verdict.candidates[1:])
    if verdict.is_settled or are_same:
        return "settled"
    return "undecidable" if verdict.needs_truth else ""


def are_enough(read: Sequence[PageRef], for_ocr: Set[PageRef]) -> bool:
    """Whether enough of the pages that need OCR were read to compare engines by these alone."""
    return sum(ref in for_ocr for ref in read) >= min(FEWEST_WITHOUT_LAYER, len(for_ocr))


def stops_early(settings: OcrSettings, read_all: bool, pages: int) -> bool:
    """Whether reading may stop before all ``pages``, because the engines are compared."""
    return len(settings.engines) > 1 and not read_all and len(look_sizes(pages)) > 1


def read_in_batches(
    sample: PageSample,
    settings: OcrSettings,
    known_values: Mapping[PageRef, str],
    seed: int,
    progress: Progress,
    *,
    minutes: float | None = None,
    started: float | None = None,
    read_all: bool = False,
    say: Callable[[str], None] = lambda line: None,
) -> Reading:
    """Read and observe pages until the engines' wrong characters are compared.

    ``known`` are transcriptions: the first batch has all these pages. Pages are read as long as the
    next one would be read and checked within ``minutes``, by the time of the pages before.
    ``started`` is when these began, by :func:`time.monotonic`; by default now. With ``read_all``,
    or a single engine, all pages are read. Nor does reading stop before enough pages are read of
    those that the verdict is about, which have no usable text layer, as far as there are such.
    ``say`` gets a line after each look but the last. Raises OhrError.
    """
    started = time.monotonic() if started is None else started
    for_ocr = {ref for ref, layer in sample.layers.items() if layer is None}
    order = verdict_first(spread_order(list(map(page_ref, sample.pages)), seed), for_ocr)
    least = 1 + max((order.index(ref) for ref in known_values), default=-1)
    in_batches = stops_early(settings, read_all, len(order))
    sizes = look_sizes(len(order), least) if in_batches else (len(order),)
    limit_s = None if minutes is None else 60 * minutes
    until = None if limit_s is None else started + limit_s
    checks = OutputChecks(lambda each: predict_errors(each, known_values), progress)
    reader = _Reader(sample, settings, order, checks, progress, until, stops_early=len(sizes) > 1)
    before = 0
    for size in sizes:
        is_read = reader.read_in_time(size, max(least, 1))
        outputs, table, inventions = checks.check(reader.outputs)
        stop: Stop = "all pages" if is_read else "time"
        # Time does not depend on which engine is better: a last look may spend all that is left.
        alpha = look_alpha(len(order) if stop == "time" else size, before, len(order))
        if stop == "all pages" and size < len(order):
            rows, _ = basis(table, outputs.of_layer)
            rows = rows[~rows["engine"].isin(list(inventions.vetoes))]
            verdict = error_verdict(rows, DECIDES, alpha)
            say(f"after {size} of at most {len(order)} pages: {verdict_start(verdict)}")
            is_one_left = bool(inventions.vetoes) and rows["engine"].nunique() == 1
            if is_one_left:
                stop = "one left"
            elif are_enough(order[:size], for_ocr):
                stop = stop_reason(verdict) or stop
        if stop != "all pages":
            break
        before = size
    progress.stop()
    return Reading(
        outputs,
        table,
        len(order),
        len(sizes),
        stop,
        alpha,
        inventions,
        used_s=time.monotonic() - started,
        limit_s=limit_s,
        check_s=checks.page_s,
    )


class _Reader:
    """Reads the pages of a sample in an order, with every engine."""

    def __init__(
        self,
        sample: PageSample,
        settings: OcrSettings,
        order: Sequence[PageRef],
        checks: OutputChecks,
        progress: Progress,
        until: float | None,
        *,
        stops_early: bool,
    ) -> None:
        layered = [ref for ref, layer in sample.layers.items() if layer is not None]
        self._sample, self._order, self._workers = sample, order, settings.workers
        self._checks = checks
        self._works: Sequence[EngineWork] = plan_reading(sample.pages, settings, layered)
        place = {ref: i for i, ref in enumerate(order)}
        self._unread: dict[str, list[FilePage]] = {
            work.label: sorted(work.unread(), key=lambda page: place[page.ref])
            for work in self._works
        }
        counts = {label: len(pages) for label, pages in self._unread.items()}
        self._countdown = Countdown(counts, progress, until)
        self._until, self._pace = until, Pace(settings.workers)
        self._times = 1 + len(REPEATS) * settings.instability
        self._layered = set(layered)
        self._done = 0
        for work in self._works:  # a page each, so that the time of the others can be estimated
            self._read(work, self._unread[work.label][:1])
        self._countdown.say_estimate(at_most=stops_early)

    def read_in_time(self, size: int, least: int) -> bool:
        """Read the first ``size`` pages, or as many as there is time for, but ``least``.

        Returns whether all are read. After each part it is seen anew what there is time for, since
        the first pages say little of the others: a part has at most as many pages as were read
        before, or :data:`SECOND_PART`, unless the engines' start takes longer than the pages.
        """
        if self._until is None:
            self.read(size)
        elif not self._checks.checked:  # a page, so that the time of the others is known
            self.read(min(1, size))
            self._checks.check(self.outputs)
        while self._until is not None and self._done < size:
            goal = min(size, self._affordable(self._until - time.monotonic()))
            most = max(self._done + SECOND_PART, 2 * self._done)
            if goal > most and self._pace.is_worth_a_start(self._counts(goal)):
                goal = most
            if goal <= self._done >= least:
                break
            self.read(max(goal, min(least, size)))
        return self._done >= size

    def _affordable(self, left_s: float) -> int:
        """The number of pages in all that can be read and checked in so many seconds more.

        Pages that are stored are only checked.
        """
        for size in range(self._done + 1, len(self._order) + 1):
            check_s = self._checks.seconds(size - self._checks.checked)
            if self._pace.seconds(self._counts(size)) + check_s > left_s:
                return size - 1
        return len(self._order)

    def _counts(self, size: int) -> dict[str, int]:
        """How many of the first ``size`` pages each engine has to read yet."""
        refs = set(self._order[self._done : size])
        return {
            label: sum(page.ref in refs for page in pages) for label, pages in self._unread.items()
        }

    def read(self, size: int) -> None:
        """Read the first ``size`` pages."""
        refs = set(self._order[:size])
        for work in self._works:
            self._read(work, [page for page in self._unread[work.label] if page.ref in refs])
        self._done = size

    def outputs(self) -> SampleOutputs:
        """The outputs of the pages that were read."""
        refs = set(self._order[: self._done])
        works = [work.only(refs) for work in self._works]
        seconds = self._countdown.seconds(self._workers)
        return collect_outputs(self._sample.only(refs), works, seconds)

    def _read(self, work: EngineWork, pages: Sequence[FilePage]) -> None:
        if pages:
            started = time.monotonic()
            self._countdown.read(work, pages)
            times = 1 if self._layered.issuperset(page.ref for page in pages) else self._times
            page_s = work.cost().get("wall_s", math.nan) * times
            self._pace.note(work.label, len(pages), time.monotonic() - started, page_s)
            read = {page.ref for page in pages}
            remaining = self._unread[work.label]
            self._unread[work.label] = [page for page in remaining if page.ref not in read]
