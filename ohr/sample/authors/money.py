"""Exact amounts as a person prints them: whole tenths and cents, shares that add up."""

from __future__ import annotations

from collections.abc import Sequence


def shares_of(values: Sequence[int], whole: int) -> list[int]:
    """Shares of ``whole`` by largest remainder, so that rounded shares still add up to it."""
    total = sum(values)
    shares = [value * whole // total for value in values]
    by_remainder = sorted(range(len(values)), key=lambda i: -(values[i] * whole % total))
    for i in by_remainder[: whole - sum(shares)]:
        shares[i] += 1
    return shares


def tenths(value: int) -> str:
    """A whole number of tenths as a person writes it: 12345 -> ``1,234.5``."""
    return f"{value // 10:,}.{value % 10}"


def plain(value: int) -> str:
    """The same without the comma, as formulas have it: 12345 -> ``1234.5``."""
    return f"{value // 10}.{value % 10}"


def cents(value: int) -> str:
    """EUR from whole cents: 123450 -> ``1,234.50``."""
    return f"{value // 100:,}.{value % 100:02d}"
