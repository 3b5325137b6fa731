"""Progress on standard error: a bar on a terminal, plain lines elsewhere."""

from __future__ import annotations

import sys
import time
from types import TracebackType

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    TaskID,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from rich.progress import Progress as Bar

PLAIN_INTERVAL_S = 15.0


class Progress:
    """Call it with (what, done, total); ``say`` writes a note of the study's."""

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
            TimeRemainingColumn(),
            console=self._console,
        )
        self._tasks: dict[str, TaskID] = {}
        self._started: dict[str, float] = {}
        self._last = 0.0
        self.said: list[str] = []
        """What ``say`` was given."""

    def of(self, verb: str, unit: str) -> Progress:
        """The same for another stage: what is done, to what."""
        return Progress(self._console, verb, unit)

    def __enter__(self) -> Progress:
        if self._console.is_terminal:
            self._bar.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._console.is_terminal:
            self._bar.stop()

    def say(self, line: str) -> None:
        """A note on the study, as a plain line, without interpretation of square brackets."""
        self.said.append(line)
        self.write(line)

    def write(self, line: str) -> None:
        """A line on how far the work is: true for the moment."""
        if self._console.is_terminal:
            self._console.print(line, markup=False)
        else:
            print(line, file=sys.stderr, flush=True)

    def begin(self, what: str) -> None:
        """Time what comes from now on, without a word yet."""
        self._started[what] = time.monotonic()

    def __call__(self, what: str, done: int, total: int) -> None:
        """Report that ``done`` of ``total`` pages have been read, or made, or questions asked."""
        if self._console.is_terminal:
            if what not in self._tasks:
                self._tasks[what] = self._bar.add_task(f"{self._verb} {what}", total=total)
            self._bar.update(self._tasks[what], completed=done, total=total)
            return
        now = time.monotonic()
        started = self._started.setdefault(what, now)
        if done in (0, total) or now - self._last >= PLAIN_INTERVAL_S:
            self._last = now
            left = f", {(now - started) / done * (total - done):.0f} s left" if done else ""
            self.write(f"{self._verb} {what}: {done}/{total} {self._unit}{left}")


class Silent(Progress):
    """Says nothing at all."""

    def of(self, verb: str, unit: str) -> Progress:
        return self

    def __enter__(self) -> Progress:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def say(self, line: str) -> None:
        pass

    def write(self, line: str) -> None:
        pass

    def __call__(self, what: str, done: int, total: int) -> None:
        pass
