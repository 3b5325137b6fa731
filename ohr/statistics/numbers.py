"""How numbers are written: everything that a person reads takes its numbers from here.

Tables have three decimals, sentences two; both with a zero before the point and a real minus.
Shares in per cent have no decimals. A p has three decimals everywhere.
"""

from __future__ import annotations

import math
from collections.abc import Callable

MINUS = "−"
NOTHING = "-"
"""In a cell of a table without a value."""


def number(value: float, decimals: int = 3) -> str:
    """For tables: ``0.086``, ``−0.086``; a dash for NaN. Zero has no minus sign."""
    return NOTHING if _is_missing(value) else _decimals(value, decimals)


def whole(value: float) -> str:
    """For tables, without decimals: ``59``, ``−164``; a dash for NaN."""
    return number(value, 0)


def signed(value: float, decimals: int = 3) -> str:
    """For tables, with its sign: ``+0.086``, ``−0.086``; a dash for NaN."""
    if _is_missing(value):
        return NOTHING
    return f"{value:+z.{decimals}f}".replace("-", MINUS)


def interval(low: float, high: float, write: Callable[[float], str] = number) -> str:
    """For tables: ``[0.029, 0.086]``; a dash without one."""
    return NOTHING if _is_missing(low) else f"[{write(low)}, {write(high)}]"


def ends(low: float, high: float, write: Callable[[float], str] = number) -> str:
    """`` [0.029, 0.086]``: an interval behind a value; empty without one."""
    return "" if _is_missing(low) else f" {interval(low, high, write)}"


def p_value(p: float) -> str:
    """For tables: ``0.016``, ``<0.001``; a dash without a test. 0.0504 must not look like 0.05."""
    if _is_missing(p):
        return NOTHING
    if 0.0495 < p < 0.0505:
        return _decimals(p, 4)
    return "<0.001" if p < 0.001 else _decimals(p, 3)


def percent(share: float, decimals: int = 0) -> str:
    """A share in per cent, in sentences without decimals: ``9 %``; a dash for NaN."""
    return NOTHING if _is_missing(share) else f"{_decimals(100 * share, decimals)} %"


def prose(value: float) -> str:
    """For sentences: ``0.09``, ``−0.09``."""
    return _decimals(value, 2)


def prose_interval(low: float, high: float) -> str:
    """For sentences: ``0.02 to 0.10``; ``no interval`` without one."""
    return "no interval" if math.isnan(low) else f"{prose(low)} to {prose(high)}"


def prose_bound(value: float) -> str:
    """For sentences: the end of what is possible, rounded up: ``0.09`` for 0.083."""
    return prose(math.ceil(round(100 * value, 6)) / 100)


def prose_p(p: float) -> str:
    """For sentences: ``p 0.016``, ``p < 0.001``."""
    return "p < 0.001" if p < 0.001 else f"p {p_value(p)}"


def _decimals(value: float, count: int) -> str:
    return f"{value:z.{count}f}".replace("-", MINUS)


def _is_missing(value: float) -> bool:
    """Whether a value is NaN, None or pandas' own missing value."""
    try:
        return value is None or math.isnan(value)
    except TypeError:  # pandas' own is no number; importing pandas takes longer than most commands
        return True
