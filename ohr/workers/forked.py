"""Functions that run in a copy of this process, beside it.

A copy has all that its parent has, without a word of it being sent: for work on what is in memory,
where a worker of a pool (:class:`ohr.workers.WorkerPool`) would have to load it anew. Linux alone
has copies that are safe to make and that end with their parent; elsewhere there are none.
"""

from __future__ import annotations

import ctypes
import multiprocessing
import os
import signal
import sys
import warnings
from collections.abc import Callable
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from typing import Any, Generic, TypeVar

import psutil

T = TypeVar("T")

_PR_SET_PDEATHSIG = 1
PATIENCE_S = 60.0
"""How long a copy may send nothing and use no CPU before its work is done here."""


def spare_cores(workers: int) -> int:
    """How many copies there may be beside this process, which itself counts as a worker."""
    if sys.platform != "linux":
        return 0
    return min(workers, len(os.sched_getaffinity(0))) - 1


def fork(run: Callable[[Connection], None]) -> tuple[BaseProcess, Connection]:
    """Run a function in a copy, with one end of a pipe; the other end is returned.

    The copy dies with this process, holds none of its files and locks, and ends when the function
    does. Where it fails or is killed, its end of the pipe closes.
    """
    context = multiprocessing.get_context("fork")
    here, there = context.Pipe()
    parent = os.getpid()

    def body() -> None:
        _end_with(parent)
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent ends it
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        keep = there.fileno()
        os.closerange(3, keep)
        os.closerange(keep + 1, os.sysconf("SC_OPEN_MAX"))
        try:
            run(there)
        finally:
            there.close()
            os._exit(0)  # nothing of the parent's is flushed or removed a second time

    process = context.Process(target=body, daemon=True)
    with warnings.catch_warnings():
        # Python 3.12 warns of threads: a copy has none of them, and uses nothing that they hold.
        warnings.simplefilter("ignore", DeprecationWarning)
        process.start()
    there.close()
    return process, here


def _end_with(parent: int) -> None:
    """Have the system kill this process when its parent ends."""
    ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(1)


class Beside(Generic[T]):
    """A function's result, worked out in a copy where a core is spare, else when it is asked for.

    The function must change nothing: it may run twice, where the copy fails.
    """

    def __init__(
        self, function: Callable[[], T], *, workers: int = 2, worthwhile: bool = True
    ) -> None:
        self._function = function
        self._process: BaseProcess | None = None
        if worthwhile and spare_cores(workers) > 0:
            self._process, self._pipe = fork(lambda pipe: pipe.send(function()))

    def result(self) -> T:
        """The result; where the copy failed, the function's here, with its exception."""
        process, self._process = self._process, None
        if process is None:
            return self._function()
        try:
            sent: T = receive(process, self._pipe)
        except (EOFError, OSError, TimeoutError):
            process.kill()
            return self._function()
        finally:
            self._pipe.close()
            process.join()
        return sent


def receive(process: BaseProcess, pipe: Connection, patience_s: float = PATIENCE_S) -> Any:
    """What a copy sends next. Raises EOFError where it ended, TimeoutError where it is stuck:
    where it has used no CPU for ``patience_s``.
    """
    spent = _cpu_s(process)
    while not pipe.poll(patience_s):
        before, spent = spent, _cpu_s(process)
        if spent == before:
            raise TimeoutError(f"process {process.pid} is stuck")
    return pipe.recv()


def _cpu_s(process: BaseProcess) -> float:
    """CPU seconds of a process, to a hundredth; 0 of one that is gone."""
    try:
        times = psutil.Process(process.pid).cpu_times()
    except psutil.Error:
        return 0.0
    return float(times.user + times.system)
