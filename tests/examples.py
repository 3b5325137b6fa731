"""How many examples a property is tried on: all by default, a quarter in ``make test-all``, an
eighth in ``make test``.
"""

from __future__ import annotations

from hypothesis import settings

LEAST = 5
DEFAULT = 100
"""Hypothesis's own number. A profile has a share of it, for every property."""

settings.register_profile("quarter", max_examples=DEFAULT // 4)
settings.register_profile("quick", max_examples=DEFAULT // 8)


def examples(number: int) -> settings:
    """Settings of a property: so many examples, or the share of them that the profile has."""
    share = settings.default.max_examples / DEFAULT
    return settings(max_examples=max(min(number, LEAST), round(number * share)), deadline=None)
