"""How many pages ``--minutes`` are enough for, with a clock of our own."""

from __future__ import annotations

import math
from pathlib import Path
from types import SimpleNamespace

import pandas as pd
import pytest

from ohr.adviser.own_pages import OcrSettings
from ohr.adviser.recommend import batches
from ohr.adviser.recommend.batches import read_in_batches
from ohr.adviser.recommend.pace import Pace
from ohr.ocr.progress import Silent
from tests.ohr.adviser.timed import Clock, collected, sample_of, time_checks, works_of


@pytest.fixture
def read(monkeypatch):
    """Reads pages with engines of given seconds; returns the reading and the engines."""

    def read(pages, minutes, *engines, check_s=0, **more):
        clock = Clock()
        sample = sample_of(pages)
        works = works_of(sample, clock, *engines, **more)
        monkeypatch.setattr(batches, "time", clock)
        monkeypatch.setattr(batches, "plan_reading", lambda *_: works)
        monkeypatch.setattr(batches, "collect_outputs", collected)
        table = pd.DataFrame({"engine": ["engine0", "engine1"], "has_layer": [False] * 2})
        time_checks(monkeypatch, clock, check_s, table)
        undecided = SimpleNamespace(
            is_settled=False, needs_truth=False, is_compared=False, candidates=[]
        )
        monkeypatch.setattr(batches, "error_verdict", lambda *_: undecided)
        monkeypatch.setattr(batches, "verdict_start", lambda _: "undecided")
        settings = OcrSettings(
            [object()] * len(works), Path("c"), more.get("workers", 1), instability=False
        )
        reading = read_in_batches(sample, settings, {}, 0, Silent(), minutes=minutes)
        return reading, works

    return read


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


@pytest.mark.parametrize("check_s", [1, 5, 20])
def test_the_checks_of_what_is_read_are_within_the_time_too(read, check_s):
    reading, works = read(200, 4, (1, 2), (1, 3), check_s=check_s)
    assert 0.85 * 240 <= reading.used_s <= 240
    assert len(works[0].read_pages) == len(works[1].read_pages)
    assert reading.check_s == check_s


@pytest.mark.parametrize("slower_from", [1, 4])
def test_pages_that_take_longer_than_the_first_do_not_exceed_the_time_by_much(read, slower_from):
    """A blank page first, and then receipts: nobody knows what a page takes before it is read."""
    reading, _ = read(16, 1.5, (1, 2), (1, 3), slower_from=slower_from, states_cost=False)
    assert reading.used_s <= 1.4 * 90


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
