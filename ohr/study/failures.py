"""Failures by their reasons: how often each comes, and one that comes too often in a row."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from ohr.errors import OhrError
from ohr.printable import plain
from ohr.types import FAILED, Outcome

_VARYING = re.compile(r"\S*/\S+|\d+")
"""What tells two failures of the same reason apart: files and numbers."""


@dataclass
class Streak:
    """Failures in a row of the same reason; ``limit`` of them are one too many (0: never)."""

    name: str
    """Of the engine or the reader."""
    unit: str
    """``pages`` or ``questions``."""
    limit: int
    count: int = 0
    _reason: str = ""

    def add(self, outcome: Outcome[Any]) -> None:
        """Count an outcome. Raises OhrError with the reason at the limit."""
        if outcome.status not in FAILED or not self.limit:
            self.count = 0
            return
        reason = same_reason(outcome)
        self.count = self.count + 1 if reason == self._reason and self.count else 1
        self._reason = reason
        if self.count >= self.limit:
            raise OhrError(
                f"{self.name}: {self.count} {self.unit} in a row failed alike "
                f"({plain(outcome.detail)}): mend that and give the same command again, which goes "
                "on from here, or read on with stop_after_failures=0"
            )


def same_reason(outcome: Outcome[Any]) -> str:
    """The status and the reason of a failure, without what varies from page to page."""
    return f"{outcome.status}: {_VARYING.sub('#', outcome.detail)}"


def reasons(outcomes: Iterable[Outcome[Any]]) -> dict[str, int]:
    """How often each reason is that of a failure, the commonest first, as its first one says it."""
    counts: Counter[str] = Counter()
    details: dict[str, str] = {}
    for outcome in outcomes:
        if outcome.status in FAILED:
            reason = same_reason(outcome)
            details.setdefault(reason, outcome.detail or str(outcome.status))
            counts[reason] += 1
    return {details[reason]: count for reason, count in counts.most_common()}
