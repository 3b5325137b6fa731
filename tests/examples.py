"""How many examples a property is tried on: all in ``make test-all``, a quarter in ``make
test-slow``, an eighth in ``make test``. On a busy machine, examples may take long: that is no
failure.
"""

from __future__ import annotations

from hypothesis import HealthCheck, settings

LEAST = 5
DEFAULT = 100
"""Hypothesis's own number. A profile has a share of it, for every property."""

for _name, _divisor in {"full": 1, "quarter": 4, "quick": 8}.items():
    settings.register_profile(
        _name,
        max_examples=DEFAULT // _divisor,
        deadline=None,
        suppress_health_check=[HealthCheck.too_slow],
    )


def examples(number: int) -> settings:
    """Settings of a property: so many examples, or the share of them that the profile has."""
    share = settings.default.max_examples / DEFAULT
    return settings(max_examples=max(min(number, LEAST), round(number * share)), deadline=None)
