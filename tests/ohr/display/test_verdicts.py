"""A sentence says no more than its interval and its test."""

from __future__ import annotations

import math

from hypothesis import given
from hypothesis import strategies as st

from ohr.display.verdicts import effect_text, estimate_text, size_text
from ohr.display.wording import ALPHA
from ohr.statistics import too_few

SHARES = st.floats(-1, 1)
DOCUMENTS = st.integers(1, 200)


@given(SHARES, SHARES, SHARES, st.floats(0, 1), DOCUMENTS)
def test_only_what_is_shown_stands_without_a_reservation(
    value: float, low: float, high: float, p: float, documents: int
) -> None:
    text = effect_text(value, *sorted((low, high)), p, documents)
    is_shown = p <= ALPHA and not too_few(documents)
    assert ("95 % CI" in text) == is_shown
    assert ("not significant" in text) == (p > ALPHA and not too_few(documents))
    assert ("nothing can be shown" in text) == bool(too_few(documents))


def test_a_change_is_ruled_out_only_beyond_the_interval() -> None:
    assert effect_text(0.03, -0.05, 0.111, 0.4, 20) == (
        "0.03 (not significant, p 0.400; a change above 0.12 is ruled out)"
    )
    assert effect_text(0.03, -1, 0.2, 0.4, 20) == "0.03 (not significant, p 0.400)"
    assert effect_text(0.18, 0.02, 0.29, 0.031, 8) == "0.18 (95 % CI 0.02 to 0.29, p 0.031)"
    assert effect_text(0.18, 0.02, 0.29, math.nan, 8) == "0.18 (not tested)"
    assert effect_text(0.18, 0.02, 0.29, 0.031, 4) == (
        "0.18 (nothing can be shown: 4 documents: the smallest possible p is 0.125)"
    )


def test_an_estimate_has_its_interval_or_says_that_it_has_none() -> None:
    assert estimate_text(0.2, 0.11, 0.3) == "0.20 (95 % CI 0.11 to 0.30)"
    assert estimate_text(0.2, math.nan, math.nan) == "0.20 (no interval)"
    assert size_text(1, 8) == "1 question on 8 documents."
