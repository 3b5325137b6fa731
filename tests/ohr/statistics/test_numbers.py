"""How numbers are written: three decimals in tables, two in sentences, a real minus."""

from __future__ import annotations

import math

import pytest

from ohr.statistics.numbers import (
    ends,
    interval,
    number,
    p_value,
    percent,
    prose,
    prose_bound,
    prose_interval,
    prose_p,
    signed,
    whole,
)


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        (number(0.0861), "0.086"),
        (number(-0.0861), "−0.086"),
        (number(-0.00001), "0.000"),
        (number(math.nan), "-"),
        (number(0.25, 2), "0.25"),
        (interval(-164.2, 59.6, whole), "[−164, 60]"),
        (signed(0.0861), "+0.086"),
        (signed(-0.0861, 2), "−0.09"),
        (interval(-0.1, 0.25), "[−0.100, 0.250]"),
        (interval(math.nan, math.nan), "-"),
        (ends(0.1, 0.25), " [0.100, 0.250]"),
        (ends(math.nan, math.nan), ""),
        (percent(0.126), "13 %"),
        (percent(-0.001), "0 %"),
        (p_value(0.0161), "0.016"),
        (p_value(0.0504), "0.0504"),
        (p_value(0.0004), "<0.001"),
        (p_value(math.nan), "-"),
        (prose(0.25), "0.25"),
        (prose(-0.031), "−0.03"),
        (prose_interval(0.013, 0.157), "0.01 to 0.16"),
        (prose_interval(math.nan, math.nan), "no interval"),
        (prose_p(0.016), "p 0.016"),
        (prose_p(0.0001), "p < 0.001"),
    ],
)
def test_numbers_have_one_shape(written, expected):
    assert written == expected


def test_what_is_ruled_out_is_rounded_up():
    assert (prose_bound(0.081), prose_bound(0.08), prose_bound(0.0)) == ("0.09", "0.08", "0.00")
