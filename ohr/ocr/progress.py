"""Progress on standard error: a bar on a terminal, plain lines elsewhere.

Nobody should have to guess whether a command still works: a terminal shows the time that runs, and
elsewhere the last line is written again, with the time since then, after ten silent seconds.
"""

from __future__ import annotations

import math
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from functools import partial

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

SILENCE_S = 10.0
"""Most seconds without a line, where the output is not a terminal."""
_LOOK_S = 0.5


class _TimeLeft(TimeRemainingColumn):
    """The time left that was reported or, without one, that of units that count the same."""

    def render(self, task: Task) -> Text:
        left_s: float | None = task.fields.get("left_s")
        if left_s is None or task.finished:
            return super().render(task)
        if math.isnan(left_s):
            return Text("-:--:--", style="progress.remaining")
        return Text(str(timedelta(seconds=round(left_s))), style="progress.remaining")


class _Screen:
    """What a progress and its stages write to: the bars of a terminal, or lines elsewhere.

    ``current`` gives the line on what is being done, by the time now; None if nobody said. It is
    written by a thread if no line was for a while, so lines are written under a lock.
    ``uncounted`` is that of the step of ``doing`` around it, to which a count returns at its end.
    """

    def __init__(self, console: Console) -> None:
        self.console = console
        self.bar = Bar(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            TextColumn("left"),
            _TimeLeft(),
            console=console,
        )
        self.users = 0
        self.current: Callable[[float], str] | None = None
        self.uncounted: Callable[[float], str] | None = None
        self._last = time.monotonic()
        self._lock = threading.Lock()
        self._ended = threading.Event()
        self._thread: threading.Thread | None = None

    def begin(self) -> None:
        """Show bars, or lines when it is silent for long, until each user has ended."""
        self.users += 1
        if self.users > 1:
            return
        if self.console.is_terminal:
            self.bar.start()
            return
        self._ended.clear()
        self._last = time.monotonic()
        self._thread = threading.Thread(target=self._watch, name="progress", daemon=True)
        self._thread.start()

    def end(self) -> None:
        """One user less."""
        self.users -= 1
        if self.users:
            return
        self.current = None
        if self.console.is_terminal:
            self.bar.stop()
        elif self._thread is not None:
            self._ended.set()
            self._thread.join()
            self._thread = None

    def write(self, line: str) -> None:
        """Write a line."""
        if self.console.is_terminal:
            self.console.print(line, markup=False)
            return
        with self._lock:
            self._last = time.monotonic()
            print(line, file=sys.stderr, flush=True)

    def is_silent(self) -> bool:
        """Whether no line was written for so long that one is due."""
        return time.monotonic() - self._last >= SILENCE_S

    def _watch(self) -> None:
        while not self._ended.wait(_LOOK_S):
            current = self.current
            if current is not None and self.is_silent():
                self.write(current(time.monotonic()))


def _line(text: str, started: float, end: float, now: float) -> str:
    """A line with the seconds left until ``end`` or, if that is NaN, those since ``started``."""
    if math.isnan(end):
        return f"{text}, {now - started:.0f} s so far"
    return f"{text}, {max(0.0, end - now):.0f} s left"


class Progress:
    """Shows progress: call it with (what, done, total); ``say`` writes a note.

    A ``brief`` stage is over in seconds as a rule, so it writes no lines before it was silent for
    long, and its bar goes when it is done.
    """

    def __init__(
        self,
        console: Console | None = None,
        verb: str = "reading with",
        unit: str = "pages",
        *,
        brief: bool = False,
    ) -> None:
        self._verb, self._unit, self._brief = verb, unit, brief
        self._console = console or Console(stderr=True, highlight=False, soft_wrap=True)
        self._screen = _Screen(self._console)
        self._tasks: dict[str, TaskID] = {}
        self._started: dict[str, float] = {}
        self._written: dict[str, tuple[int, int]] = {}
        self._outer: Callable[[float], str] | None = None
        self.notes: list[str] = []
        """The notes of ``say``."""

    def new_stage(self, verb: str, unit: str, *, brief: bool = False) -> Progress:
        """Progress of another stage, with its verb and unit, on the same screen."""
        other = Progress(self._console, verb, unit, brief=brief)
        other.notes = self.notes
        if self._screen.users:
            other._screen = self._screen
        return other

    @contextmanager
    def doing(self, what: str) -> Iterator[None]:
        """Show what is done if its steps are not counted, such as ``predicting errors``."""
        before = self._screen.current, self._screen.uncounted
        line = partial(_line, what, time.monotonic(), math.nan)
        self._screen.current = self._screen.uncounted = line
        task = self._screen.bar.add_task(what, total=None) if self._console.is_terminal else None
        try:
            yield
        finally:
            self._screen.current, self._screen.uncounted = before
            if task is not None:
                self._screen.bar.remove_task(task)

    def __enter__(self) -> Progress:
        self._screen.begin()
        self._outer = self._screen.current
        return self

    def __exit__(self, *error: object) -> None:
        self._screen.current = self._outer
        self._screen.end()

    def stop(self) -> None:
        """Say that no more is done although units are left: the last line is not repeated."""
        self._screen.current = None

    def say(self, line: str) -> None:
        """Write a note on the study as a plain line; square brackets are not mark-up."""
        self.notes.append(line)
        self.write(line)

    def write(self, line: str) -> None:
        """Write a line about progress, which is not kept as a note."""
        self._screen.write(line)

    def begin(self, what: str) -> None:
        """Start the clock of ``what``, without output."""
        self._started[what] = time.monotonic()

    def __call__(self, what: str, done: int, total: int, left_s: float | None = None) -> None:
        """Report that ``done`` of ``total`` units are done.

        ``left_s`` are the seconds left, NaN if not known; by default units count the same.
        """
        if self._console.is_terminal:
            bar = self._screen.bar
            if (task := self._tasks.get(what)) is None:
                task = self._tasks[what] = bar.add_task(f"{self._verb} {what}", total=total)
            bar.update(task, completed=done, total=total, left_s=left_s)
            if self._brief and done >= total:
                bar.remove_task(self._tasks.pop(what))
            return
        now = time.monotonic()
        started = self._started.setdefault(what, now)
        text = f"{self._verb} {what}: {done}/{total} {self._unit}"
        if left_s is None:
            left_s = (now - started) / done * (total - done) if done else math.nan
        line = partial(_line, text, started, now + left_s)
        self._screen.current = line if done < total else self._screen.uncounted
        is_end = done in (0, total) and not self._brief
        is_new = self._written.get(what) != (done, total)
        if (is_end and is_new) or self._screen.is_silent():
            self._written[what] = done, total
            remaining = "" if math.isnan(left_s) else f", {left_s:.0f} s left"
            self.write(f"{text}{remaining}")


class Silent(Progress):
    """Shows nothing."""

    def new_stage(self, verb: str, unit: str, *, brief: bool = False) -> Progress:
        return self

    @contextmanager
    def doing(self, what: str) -> Iterator[None]:
        yield

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
