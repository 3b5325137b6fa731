"""Work that must come to an end: what would run for ever fails instead of hanging the tests."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


class PatienceError(AssertionError):
    """What was to come to an end did not."""


@contextmanager
def ends(*, cpu_s: int = 0, wall_s: int = 0) -> Iterator[None]:
    """Interrupts the block after so much time of one kind, many times what it takes.

    CPU seconds of this process are for work whose length grows with its input: the input is so
    large that work in its square would take minutes. Wall seconds are for waiting. Regular
    expressions are interrupted too. For the main thread.
    """
    which, number, seconds = (
        (signal.ITIMER_PROF, signal.SIGPROF, cpu_s)
        if cpu_s
        else (signal.ITIMER_REAL, signal.SIGALRM, wall_s)
    )

    def interrupt(_number: int, _frame: FrameType | None) -> None:
        raise PatienceError(f"no end after {seconds} s")

    before = signal.signal(number, interrupt)
    signal.setitimer(which, seconds)
    try:
        yield
    finally:
        signal.setitimer(which, 0)
        signal.signal(number, before)
