"""The time of the whole is estimated once every engine has read a page."""

import math
import time

from ohr.adviser.countdown import Countdown
from ohr.ocr.price import spoken


class Work:
    """Reads a page in a hundredth of a second."""

    def __init__(self, label):
        self.label = label

    def read(self, pages, report):
        for _ in pages:
            time.sleep(0.01)
            report(1)


def test_the_time_left_is_known_after_the_first_page_of_every_engine():
    shown = []
    countdown = Countdown({"a": 3, "b": 3, "c": 0}, lambda *values: shown.append(values))
    a, b = Work("a"), Work("b")
    countdown.read(a, [1])
    assert math.isnan(countdown.left_s())
    countdown.read(b, [1])
    assert countdown.left_s() > 0.03
    countdown.read(a, [2, 3])
    countdown.read(b, [2, 3])
    assert countdown.left_s() == 0
    assert [values[:3] for values in shown] == [("a, b", done, 6) for done in range(7)]
    assert countdown.seconds(2)["a"] > 0.01


def test_where_the_time_is_limited_the_end_counts_down_from_it():
    """Before every engine has read a page, and where the pages would take longer."""
    shown = []
    until = time.monotonic() + 0.5
    countdown = Countdown({"a": 1000, "b": 1000}, lambda *values: shown.append(values[3]), until)
    countdown.read(Work("a"), [1])
    countdown.read(Work("b"), [1])
    assert countdown.left_s() > 10
    assert all(0 < left <= 0.5 for left in shown)
    assert shown == sorted(shown, reverse=True)


def test_seconds_are_said_in_a_fitting_unit():
    assert [spoken(each) for each in (0.2, 50, 200, 9000)] == ["1 s", "50 s", "3 min", "2.5 h"]
