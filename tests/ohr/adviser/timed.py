"""Engines and checks that take time on a clock of our own."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path
from types import SimpleNamespace

import pandas as pd

from ohr.adviser import checks
from ohr.adviser.invented import Inventions
from ohr.adviser.sampling import PageSample, page_ref
from ohr.ocr.price import reading_s
from ohr.ocr.sources import PageSource
from ohr.types import PageRef


class Clock:
    """A clock that goes on when an engine reads, or outputs are checked."""

    def __init__(self) -> None:
        self.now = 100.0

    def monotonic(self) -> float:
        return self.now

    perf_counter = monotonic


@dataclass
class FakeWork:
    """An engine that takes ``start_s`` for each call, and ``page_s`` per page and worker."""

    label: str
    clock: Clock
    pages: list[SimpleNamespace]
    start_s: float
    page_s: float
    workers: int = 1
    states_cost: bool = True
    slower_from: int = 10**9
    """Number of pages after which each takes three times as long."""
    read_pages: list[PageRef] = field(default_factory=list)

    def unread(self):
        return [page for page in self.pages if page.ref not in self.read_pages]

    def read(self, pages, report):
        slow = min(len(pages), max(0, len(self.read_pages) + len(pages) - self.slower_from))
        self.clock.now += self.start_s
        self.clock.now += reading_s(len(pages) + 2 * slow, self.page_s, self.workers)
        self.read_pages += [page.ref for page in pages]
        report(len(pages))

    def cost(self):
        return {"wall_s": self.page_s} if self.states_cost and self.read_pages else {}

    def only(self, refs):
        return replace(self, pages=[page for page in self.pages if page.ref in refs])


def sample_of(pages: int) -> PageSample:
    """Images of as many documents, without text layers."""
    sources = [
        PageSource(Path(f"{place}.png"), f"d{place}", None, 150, None, f"{place}.png")
        for place in range(pages)
    ]
    layers = dict.fromkeys(map(page_ref, sources))
    return PageSample(sources, layers, {}, {}, dict.fromkeys(map(str, range(pages)), 1), {})


def works_of(
    sample: PageSample, clock: Clock, *engines, workers=1, states_cost=True, slower_from=10**9
):
    """Engines of given seconds: for each call, and per page."""
    return [
        FakeWork(
            f"engine{number}",
            clock,
            [SimpleNamespace(ref=page_ref(source)) for source in sample.pages],
            start_s,
            page_s,
            workers,
            states_cost,
            slower_from,
        )
        for number, (start_s, page_s) in enumerate(engines)
    ]


def collected(part: PageSample, works, _seconds) -> SimpleNamespace:
    """The outputs of some works, each of which has only the pages that are asked for."""
    refs = set(map(page_ref, part.pages))
    seen = {
        work.label: {page.ref: "text" for page in work.pages if page.ref in refs} for work in works
    }
    return SimpleNamespace(of_layer=frozenset(), sample=part, seen=seen)


def time_checks(monkeypatch, clock: Clock, check_s: float, table: pd.DataFrame) -> None:
    """Let checks take ``check_s`` for each page whose engines are others than before."""
    checked = {}

    def judged(outputs, *_):
        for ref in {ref for pages in outputs.seen.values() for ref in pages}:
            engines = {label for label, pages in outputs.seen.items() if ref in pages}
            clock.now += check_s * (checked.get(ref) != engines)
            checked[ref] = engines
        return outputs, table, Inventions()

    monkeypatch.setattr(checks, "time", clock)
    monkeypatch.setattr(checks, "judged_outputs", judged)
