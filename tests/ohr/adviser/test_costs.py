"""The cost of an engine, in a sentence."""

import math

from ohr.adviser.recommend.report import EngineCost


def test_a_busy_machine_is_named_where_wall_time_is_much_longer_than_cpu_time():
    idle = EngineCost("engine", cpu_s=2.0, wall_s=2.1, pages_per_hour=1_683, licence="MIT")
    assert idle.sentence(1, 0) == (
        "engine: 2.0 CPU s per page, 1,700 pages an hour on this machine with 1 worker; "
        "licence MIT."
    )
    busy = EngineCost("engine", cpu_s=2.0, wall_s=8.4, pages_per_hour=430, licence="MIT")
    assert busy.is_busy
    assert "Wall time is 4.2 times CPU time: the machine was busy" in busy.sentence(2, 5)


def test_a_cost_that_is_not_known_is_said_to_be():
    cost = EngineCost("engine", math.nan, math.nan, math.nan, licence="")
    assert not cost.is_busy
    assert cost.sentence(1, 9) == (
        "engine: time not known, pages were read before; licence not stated."
    )
