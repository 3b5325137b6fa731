"""Counts failures by reason, and stops a run after too many in a row.

A server may refuse one request (HTTP 403, 404), because of its content, or all of them, because of
a wrong key or model. The former is a failure of that question or page. The latter stops a run: if
no request has succeeded, and :data:`ALL_REFUSED` of them, or all there are, were refused.
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
"""So many refused requests, from the first one on, mean that a server refuses all."""
EXAMPLE = ", such as "
"""In a detail, what follows it is an example, not part of the reason."""
_VARYING = re.compile(r"\S*/\S+|\d+")
"""Parts that vary between failures of the same reason: files and numbers."""


@dataclass
class Streak:
    """Counts failures in a row for the same reason, and raises at ``limit`` of them (0: never).

    It also raises at :data:`ALL_REFUSED` refusals, unless a request has succeeded before.
    """

    name: str
    """Name of the engine or the reader."""
    unit: str
    """``pages`` or ``questions``."""
    limit: int
    answered: bool = False
    """Whether any request has succeeded, in this run or before."""
    refusals: int = 0
    """Number of refusals so far."""
    count: int = 0
    _reason: str = ""
    _refusal: str = ""

    @property
    def refused(self) -> bool:
        """Whether all requests so far were refused."""
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
                f"({plain(outcome.detail)}): fix that and run the same command again, which "
                "continues from here, or go on with stop_after_failures=0"
            )

    def end(self) -> None:
        """Call after the last outcome. Raises OhrError if all requests were refused."""
        if self.refused:
            raise OhrError(
                f"{self.name}: the server refused all {self.refusals} {self.unit} so far "
                f"({plain(self._refusal)}): correct model, base_url or api_key_env and run the "
                "same command again, which continues from here"
            )


def same_reason(outcome: Outcome[Any]) -> str:
    """The status and the reason of a failure, without what varies from page to page."""
    return f"{outcome.status}: {_VARYING.sub('#', outcome.detail.partition(EXAMPLE)[0])}"


def is_explained_empty(outcome: Outcome[Any]) -> bool:
    """Whether an answer is empty for a reason other than an empty context."""
    return outcome.status is Status.EMPTY and outcome.detail not in ("", NO_CONTEXT)


def reasons(outcomes: Iterable[Outcome[Any]], *, empty: bool = False) -> dict[str, int]:
    """Reason -> number of failures, the most frequent first, in the words of the first failure.

    With ``empty``, also the reasons of :func:`is_explained_empty`.
    """
    return _counted(
        outcome
        for outcome in outcomes
        if outcome.status in FAILED or (empty and is_explained_empty(outcome))
    )


def notes(outcomes: Iterable[Outcome[Any]]) -> dict[str, int]:
    """Detail -> number of outcomes that did not fail, counted as in :func:`reasons`."""
    return _counted(
        outcome for outcome in outcomes if outcome.detail and outcome.status not in FAILED
    )


def _counted(outcomes: Iterable[Outcome[Any]]) -> dict[str, int]:
    counts: Counter[str] = Counter()
    details: dict[str, str] = {}
    for outcome in outcomes:
        reason = same_reason(outcome)
        details.setdefault(reason, outcome.detail or str(outcome.status))
        counts[reason] += 1
    return {details[reason]: count for reason, count in counts.most_common()}


def stop_if_not_the_page(detail: str) -> None:
    """Raise for a failure of machine or plug-in, which must not be stored as the page's."""
    for error in (StoreError, MissingDependencyError, PluginError, UnknownPluginError, ConfigError):
        if detail.startswith(f"{error.__name__}: "):
            raise error(detail.partition(": ")[2])


def check_first(streak: Streak, outcome: Outcome[Any]) -> None:
    """Count a page's outcome. Raises for a failure that other pages would have too.

    Such failures are those that no page causes, and too many for the same reason.
    """
    if outcome.status in FAILED:
        stop_if_not_the_page(outcome.detail)
    streak.add(outcome)
