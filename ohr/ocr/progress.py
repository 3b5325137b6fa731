"""Progress on standard error: a bar on a terminal, plain lines elsewhere."""

from __future__ import annotations

import math
import sys
import time
from datetime import timedelta

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Task,
    TaskID,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from rich.progress import Progress as Bar
from rich.text import Text

PLAIN_INTERVAL_S = 15.0


class _TimeLeft(TimeRemainingColumn):
    """The time left that was reported or, without one, that of units that count the same."""

    def render(self, task: Task) -> Text:
        left_s: float | None = task.fields.get("left_s")
        if left_s is None or task.finished:
            return super().render(task)
        if math.isnan(left_s):
            return Text("-:--:--", style="progress.remaining")
        return Text(str(timedelta(seconds=round(left_s))), style="progress.remaining")


class Progress:
    """Shows progress: call it with (what, done, total); ``say`` writes a note."""

    def __init__(
        self, console: Console | None = None, verb: str = "reading with", unit: str = "pages"
    ) -> None:
        self._verb, self._unit = verb, unit
        self._console = console or Console(stderr=True, highlight=False, soft_wrap=True)
        self._bar = Bar(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            TextColumn("left"),
            _TimeLeft(),
            console=self._console,
        )
        self._tasks: dict[str, TaskID] = {}
        self._started: dict[str, float] = {}
        self._last = 0.0
        self.notes: list[str] = []
        """The notes of ``say``."""

    def new_stage(self, verb: str, unit: str) -> Progress:
        """Progress of another stage, with its verb and unit."""
        other = Progress(self._console, verb, unit)
        other.notes = self.notes
        return other

    def __enter__(self) -> Progress:
        if self._console.is_terminal:
            self._bar.start()
        return self

    def __exit__(self, *error: object) -> None:
        if self._console.is_terminal:
            self._bar.stop()

    def say(self, line: str) -> None:
        """Write a note on the study as a plain line; square brackets are not mark-up."""
        self.notes.append(line)
        self.write(line)

    def write(self, line: str) -> None:
        """Write a line about progress, which is not kept as a note."""
        if self._console.is_terminal:
            self._console.print(line, markup=False)
        else:
            print(line, file=sys.stderr, flush=True)

    def begin(self, what: str) -> None:
        """Start the clock of ``what``, without output."""
        self._started[what] = time.monotonic()

    def __call__(self, what: str, done: int, total: int, left_s: float | None = None) -> None:
        """Report that ``done`` of ``total`` units are done.

        ``left_s`` are the seconds left, NaN if not known; by default units count the same.
        """
        if self._console.is_terminal:
            if what not in self._tasks:
                self._tasks[what] = self._bar.add_task(f"{self._verb} {what}", total=total)
            self._bar.update(self._tasks[what], completed=done, total=total, left_s=left_s)
            return
        now = time.monotonic()
        started = self._started.setdefault(what, now)
        if done in (0, total) or now - self._last >= PLAIN_INTERVAL_S:
            self._last = now
            if left_s is None:
                left_s = (now - started) / done * (total - done) if done else math.nan
            remaining = "" if math.isnan(left_s) else f", {left_s:.0f} s left"
            self.write(f"{self._verb} {what}: {done}/{total} {self._unit}{remaining}")


class Silent(Progress):
    """Shows nothing."""

    def new_stage(self, verb: str, unit: str) -> Progress:
        return self

    def __enter__(self) -> Progress:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def say(self, line: str) -> None:
        pass

    def write(self, line: str) -> None:
        pass

    def __call__(self, what: str, done: int, total: int, left_s: float | None = None) -> None:
        pass
