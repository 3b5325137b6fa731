"""One progress for the pages of several engines, with an estimate of the whole time."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from ohr.ocr.price import spoken


class Report(Protocol):
    """Shows progress: ``left_s`` are the seconds left, NaN if they cannot be estimated yet."""

    def __call__(self, what: str, done: int, total: int, left_s: float | None = None) -> None: ...


class Work(Protocol):
    """Something that reads pages with one engine."""

    @property
    def label(self) -> str: ...

    def read(self, pages: Sequence[Any], report: Any) -> None: ...


class Countdown:
    """Counts pages that were read, and estimates the time of the others.

    ``pending`` is the number of pages that each engine has to read. Reading ends at ``until``, by
    :func:`time.monotonic`, at the latest.
    """

    def __init__(
        self, pending: Mapping[str, int], report: Report, until: float | None = None
    ) -> None:
        self._pending = {name: count for name, count in pending.items() if count}
        self._total = sum(self._pending.values())
        self._read: dict[str, int] = {}
        self._elapsed: dict[str, float] = {}
        self._report, self._until = report, until
        self._started = self._estimated = False

    def read(self, work: Work, pages: Sequence[Any]) -> None:
        """Read pages with an engine, and show progress."""
        label = work.label
        before_s, before = self._elapsed.get(label, 0.0), self._read.get(label, 0)
        started = time.perf_counter()

        def count(more: int) -> None:
            self._read[label] = self._read.get(label, 0) + more
            self._elapsed[label] = before_s + time.perf_counter() - started
            self._show()

        if not self._started:
            self._started = True
            self._show()
        work.read(pages, count)
        self._read[label] = before + len(pages)
        self._elapsed[label] = before_s + time.perf_counter() - started

    def left_s(self) -> float:
        """Estimated wall seconds for the pages left; NaN before every engine has read a page."""
        seconds = 0.0
        for name, count in self._pending.items():
            if not self._read.get(name):
                return math.nan
            seconds += self._elapsed[name] / self._read[name] * (count - self._read[name])
        return seconds

    def seconds(self, workers: int) -> dict[str, float]:
        """Wall seconds per page and worker of the engines that read pages."""
        return {
            name: self._elapsed[name] * min(workers, count) / count
            for name, count in self._read.items()
            if count
        }

    def say_estimate(self, *, at_most: bool = False) -> None:
        """Say once how long the other pages take, or take ``at_most``, if the report can say it."""
        remaining = self.left_s()
        say = getattr(self._report, "write", None)
        if self._estimated or say is None or not self._total or math.isnan(remaining):
            return
        self._estimated = True
        if remaining < 1:
            return
        named = ", ".join(
            f"{name} {self._elapsed[name] / self._read[name]:.1f} s per page"
            for name in self._pending
        )
        say(f"{'at most ' * at_most}about {spoken(remaining)} for the other pages ({named})")

    def _show(self) -> None:
        done = sum(self._read.values())
        left_s = self.left_s()
        if self._until is not None:
            rest = max(0.0, self._until - time.monotonic())
            left_s = rest if math.isnan(left_s) else min(left_s, rest)
        self._report(", ".join(self._pending), done, self._total, left_s)
