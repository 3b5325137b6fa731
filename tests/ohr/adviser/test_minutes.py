"""How many pages ``--minutes`` are enough for, with a clock of our own."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace

import pandas as pd
import pytest

from ohr.adviser.invented import Inventions
from ohr.adviser.own_pages import OcrSettings
from ohr.adviser.recommend import batches
from ohr.adviser.recommend.batches import read_in_batches
from ohr.adviser.recommend.pace import Pace
from ohr.adviser.sampling import PageSample, page_ref
from ohr.ocr.price import reading_s
from ohr.ocr.sources import PageSource
from ohr.types import PageRef


class Clock:
    """A clock that goes on when an engine reads."""

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
    read_pages: list[PageRef] = field(default_factory=list)

    def unread(self):
        return [page for page in self.pages if page.ref not in self.read_pages]

    def read(self, pages, report):
        self.clock.now += self.start_s + reading_s(len(pages), self.page_s, self.workers)
        self.read_pages += [page.ref for page in pages]
        report(len(pages))

    def cost(self):
        return {"wall_s": self.page_s} if self.states_cost and self.read_pages else {}

    def only(self, refs):
        return self


@pytest.fixture
def read(monkeypatch):
    """Reads pages with engines of given seconds; returns the reading and the engines."""

    def read(pages, minutes, *engines, workers=1, states_cost=True):
        clock = Clock()
        sources = [
            PageSource(Path(f"{place}.png"), f"d{place}", None, 150, None, f"{place}.png")
            for place in range(pages)
        ]
        refs = [page_ref(source) for source in sources]
        layers = dict.fromkeys(refs)
        sample = PageSample(sources, layers, {}, {}, dict.fromkeys(map(str, range(pages)), 1), {})
        works = [
            FakeWork(
                f"engine{number}",
                clock,
                [SimpleNamespace(ref=ref) for ref in refs],
                start_s,
                page_s,
                workers,
                states_cost,
            )
            for number, (start_s, page_s) in enumerate(engines)
        ]
        monkeypatch.setattr(batches, "time", clock)
        monkeypatch.setattr(batches, "plan_reading", lambda *_: works)
        outputs = SimpleNamespace(of_layer=frozenset(), sample=sample)
        monkeypatch.setattr(batches, "collect_outputs", lambda part, *_: replaced(outputs, part))
        table = pd.DataFrame({"engine": ["engine0", "engine1"], "has_layer": [False] * 2})
        monkeypatch.setattr(batches, "judged_outputs", lambda each, *_: (each, table, Inventions()))
        undecided = SimpleNamespace(
            is_settled=False, needs_truth=False, is_compared=False, candidates=[]
        )
        monkeypatch.setattr(batches, "error_verdict", lambda *_: undecided)
        monkeypatch.setattr(batches, "verdict_start", lambda _: "undecided")
        settings = OcrSettings([object()] * len(works), Path("c"), workers, instability=False)
        reading = read_in_batches(sample, settings, {}, 0, lambda *_: None, minutes=minutes)
        return reading, works

    return read


def replaced(outputs, sample):
    return SimpleNamespace(**{**vars(outputs), "sample": sample})


def test_a_slow_start_does_not_eat_the_time_of_the_other_pages(read):
    """A start of 30 s of each engine, and 1 s a page: 2 minutes are enough for more than a page."""
    reading, works = read(200, 2, (30, 1), (5, 1))
    assert reading.stop == "time"
    assert len(works[0].read_pages) == len(works[1].read_pages) > 15
    assert 0.8 * 120 < reading.used_s <= 120


@pytest.mark.parametrize("states_cost", [True, False])
def test_the_time_is_used_and_not_exceeded(read, states_cost):
    reading, works = read(200, 2, (1, 2), (1, 3), states_cost=states_cost)
    assert 0.9 * 120 <= reading.used_s <= 120 + 2
    assert len(works[0].read_pages) == len(works[1].read_pages)


def test_two_workers_read_about_twice_as_much(read):
    counts = [len(read(200, 2, (1, 2), (1, 3), workers=n)[1][0].read_pages) for n in (1, 2)]
    assert counts[1] > 1.7 * counts[0]


def test_with_time_for_all_pages_all_are_read_and_nothing_is_said(read):
    reading, works = read(12, 2, (1, 1), (1, 1))
    assert reading.stop == "all pages"
    assert len(works[0].read_pages) == 12
    assert reading.sentences == []


def test_a_page_is_read_with_each_engine_whatever_it_takes(read):
    reading, works = read(12, 0.01, (5, 40), (5, 90))
    assert [len(work.read_pages) for work in works] == [1, 1]
    assert reading.sentences == [
        "Reading stopped after 1 of 12 pages: the next pages would have taken longer than "
        "--minutes. It took 2 min; --minutes allowed 1 s."
    ]


def test_without_a_limit_no_time_is_mentioned(read):
    reading, _ = read(12, None, (5, 40), (5, 90))
    assert (reading.stop, reading.limit_s, reading.sentences) == ("all pages", None, [])


def test_the_start_of_an_engine_is_apart_from_its_pages():
    pace = Pace(workers=2)
    pace.note("a", 1, 30.0, 4.0)
    assert pace.seconds({"a": 4}) == 26 + 8
    pace.note("a", 4, 26 + 12)
    assert pace.seconds({"a": 2}) == 26 + 6
    assert pace.seconds({"a": 0, "b": 5}) == 0


def test_without_a_known_cost_the_first_page_stands_for_the_others():
    pace = Pace(workers=1)
    pace.note("a", 1, 30.0, math.nan)
    assert pace.seconds({"a": 2}) == 60


def test_a_start_that_was_slow_only_once_does_not_make_pages_cost_nothing():
    pace = Pace(workers=1)
    pace.note("a", 1, 30.0, 2.0)
    pace.note("a", 4, 11.0, 2.0)
    assert pace.seconds({"a": 10}) == 3 + 20
    pace.note("a", 4, 6.0)
    assert pace.seconds({"a": 10}) == 15
