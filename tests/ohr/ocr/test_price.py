"""What reading takes, in seconds and in words."""

import math

import pytest

from ohr.ocr.price import comparable_seconds, reading_s, time_text


@pytest.mark.parametrize(
    ("pages", "workers", "seconds"), [(0, 4, 0.0), (-2, 4, 0.0), (2, 4, 3.0), (8, 4, 6.0)]
)
def test_no_more_workers_count_than_pages(pages, workers, seconds):
    assert reading_s(pages, 3.0, workers) == seconds


def test_no_page_takes_no_time_even_of_an_engine_that_was_not_timed():
    assert reading_s(0, math.nan, 2) == 0
    assert math.isnan(reading_s(1, math.nan, 2))


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(math.nan, "time not known"), (0.0, "no time"), (0.2, "about 1 s"), (200, "about 3 min")],
)
def test_a_time_in_words(seconds, text):
    assert time_text(seconds) == text


@pytest.mark.parametrize(
    ("slow_machine", "faster"),
    [
        # The first engine was timed while the machine did other work.
        ({"wall_s": 6.0, "cpu_s": 2.0}, "first"),
        # It waits for a server or a GPU: its CPU time says nothing.
        ({"wall_s": 60.0, "cpu_s": 0.1}, "second"),
        ({"wall_s": 6.0}, "second"),
    ],
)
def test_an_engine_is_faster_by_cpu_seconds_unless_one_waits(slow_machine, faster):
    seconds = comparable_seconds({"first": slow_machine, "second": {"wall_s": 3.0, "cpu_s": 2.9}})
    assert min(seconds, key=seconds.__getitem__) == faster
