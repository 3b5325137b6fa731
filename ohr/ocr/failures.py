"""Failures by their reasons: how often each comes, and one that comes too often in a row.

A server may refuse one request (HTTP 403, 404), as for what a question says, or all of them, as
for a wrong key or model. The first is that question's or page's failure. The second stops a run:
where nothing has come of any request, and :data:`ALL_REFUSED` of them, or all there are, were
refused.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from ohr.errors import (
    ConfigError,
    MissingDependencyError,
    OhrError,
    PluginError,
    RefusedError,
    StoreError,
    UnknownPluginError,
)
from ohr.files.safe_text import plain
from ohr.plugins.reader import NO_CONTEXT
from ohr.types import FAILED, Outcome, Status

ALL_REFUSED = 5
"""Requests from the first on that a server refuses before it is taken to refuse all."""
EXAMPLE = ", such as "
"""What follows it in a detail is an example, and no part of the reason."""
_VARYING = re.compile(r"\S*/\S+|\d+")
"""What tells two failures of the same reason apart: files and numbers."""


@dataclass
class Streak:
    """Failures in a row of the same reason; ``limit`` of them are one too many (0: never).

    So are :data:`ALL_REFUSED` that a server refused, unless something has come of it before.
    """

    name: str
    """Of the engine or the reader."""
    unit: str
    """``pages`` or ``questions``."""
    limit: int
    answered: bool = False
    """Whether anything has come of it, in this run or before."""
    refusals: int = 0
    """How many were refused so far."""
    count: int = 0
    _reason: str = ""
    _refusal: str = ""

    @property
    def refused(self) -> bool:
        """Whether all so far were refused."""
        return bool(self.refusals and self.limit and not self.answered)

    def add(self, outcome: Outcome[Any]) -> None:
        """Count an outcome. Raises OhrError with the reason at the limit."""
        if outcome.status in FAILED and RefusedError.MARK in outcome.detail:
            self.refusals, self._refusal = self.refusals + 1, outcome.detail
        else:
            self.answered = True
        if self.refusals >= min(ALL_REFUSED, self.limit):
            self.end()
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

    def end(self) -> None:
        """There is no further outcome. Raises OhrError where all were refused."""
        if self.refused:
            raise OhrError(
                f"{self.name}: the server refused all {self.refusals} {self.unit} it was asked "
                f"({plain(self._refusal)}): correct model, base_url or api_key_env and give the "
                "same command again, which goes on from here"
            )


def same_reason(outcome: Outcome[Any]) -> str:
    """The status and the reason of a failure, without what varies from page to page."""
    return f"{outcome.status}: {_VARYING.sub('#', outcome.detail.partition(EXAMPLE)[0])}"


def is_explained_empty(outcome: Outcome[Any]) -> bool:
    """Whether an answer is empty for a reason, other than that there was nothing to answer from."""
    return outcome.status is Status.EMPTY and outcome.detail not in ("", NO_CONTEXT)


def reasons(outcomes: Iterable[Outcome[Any]], *, empty: bool = False) -> dict[str, int]:
    """How often each reason is that of a failure, the commonest first, as its first one says it.

    With ``empty``, also those of :func:`is_explained_empty`.
    """
    return _counted(
        outcome
        for outcome in outcomes
        if outcome.status in FAILED or (empty and is_explained_empty(outcome))
    )


def notes(outcomes: Iterable[Outcome[Any]]) -> dict[str, int]:
    """How often each detail is that of something that did not fail, as :func:`reasons` counts."""
    return _counted(one for one in outcomes if one.detail and one.status not in FAILED)


def _counted(outcomes: Iterable[Outcome[Any]]) -> dict[str, int]:
    counts: Counter[str] = Counter()
    details: dict[str, str] = {}
    for outcome in outcomes:
        reason = same_reason(outcome)
        details.setdefault(reason, outcome.detail or str(outcome.status))
        counts[reason] += 1
    return {details[reason]: count for reason, count in counts.most_common()}


def stop_if_not_the_page(detail: str) -> None:
    """Raise for what ails machine or plug-in, not the page: it must not be journalled."""
    for error in (StoreError, MissingDependencyError, PluginError, UnknownPluginError, ConfigError):
        if detail.startswith(f"{error.__name__}: "):
            raise error(detail.partition(": ")[2])


def check_first(streak: Streak, outcome: Outcome[Any]) -> None:
    """Raise, at a page's first outcome, for what would only come again with others.

    That is what no page is to blame for, and the last of too many alike.
    """
    if outcome.status in FAILED:
        stop_if_not_the_page(outcome.detail)
    streak.add(outcome)
