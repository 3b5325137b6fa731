"""Runs functions in a copy (fork) of this process.

A copy has everything that its parent has in memory, so nothing needs to be sent to it. A worker of
a pool (:class:`ohr.workers.WorkerPool`) would have to load it again. Copies are made only on Linux,
where they are safe and end with their parent.
"""

from __future__ import annotations

import contextlib
import ctypes
import gc
import logging
import multiprocessing
import os
import shutil
import signal
import sys
import tempfile
import warnings
from collections.abc import Callable
from multiprocessing.connection import Connection
from typing import Any, Generic, TypeVar

import psutil

T = TypeVar("T")
log = logging.getLogger("ohr.workers")

_PR_SET_PDEATHSIG = 1
MOST_COPIES = 7
"""Most copies: each has its own caches, and what it changes takes memory."""
PATIENCE_S = 60.0
"""How long a copy may send nothing and use no CPU before the parent does its work."""
GONE = (EOFError, OSError, TimeoutError)
"""Exceptions of :class:`Copy` if a copy has ended or is stuck."""


def spare_cores(workers: int) -> int:
    """How many copies may run in addition to this process, which itself counts as a worker."""
    if sys.platform != "linux" or multiprocessing.current_process().daemon:
        return 0
    return min(workers - 1, len(os.sched_getaffinity(0)) - 1, MOST_COPIES)


class Copy:
    """A copy of this process that runs a function, which gets one end of a pipe.

    It dies with this process, has none of its files and locks, and ends with the function. Its
    temporary files are removed when it is closed. Raises OSError if the system refuses it.
    """

    def __init__(self, run: Callable[[Connection], None]) -> None:
        context = multiprocessing.get_context("fork")
        self._scratch = tempfile.mkdtemp(prefix="ohr-copy-")
        self._pipe, child_end = context.Pipe()
        self._process = context.Process(
            target=_body, args=(run, child_end, os.getpid(), self._scratch), daemon=True
        )
        try:
            with warnings.catch_warnings():
                # Python 3.12 warns about threads, which a copy does not have. A copy that waits
                # for a lock of such a thread is stuck, and is given up.
                warnings.simplefilter("ignore", DeprecationWarning)
                self._process.start()
        except OSError:
            self._pipe.close()
            shutil.rmtree(self._scratch, ignore_errors=True)
            raise
        finally:
            child_end.close()

    @property
    def pid(self) -> int:
        """The copy's process id."""
        assert self._process.pid is not None
        return self._process.pid

    def send(self, value: Any) -> None:
        """Send a value to the copy. Raises OSError if it has ended."""
        self._pipe.send(value)

    def receive(self, patience_s: float = PATIENCE_S) -> Any:
        """The next value from the copy.

        Raises EOFError or OSError if it has ended, and TimeoutError if it is stuck, that is, has
        used no CPU for ``patience_s``.
        """
        spent = self._cpu_s()
        while not self._pipe.poll(patience_s):
            before, spent = spent, self._cpu_s()
            if spent == before:
                raise TimeoutError(f"process {self.pid} is stuck")
        return self._pipe.recv()

    def _cpu_s(self) -> float:
        """CPU seconds so far, to a hundredth; 0 after the copy has ended."""
        try:
            times = psutil.Process(self.pid).cpu_times()
        except psutil.Error:
            return 0.0
        return float(times.user + times.system)

    def close(self) -> None:
        """End the copy."""
        self._pipe.close()
        self._process.kill()
        self._process.join()
        shutil.rmtree(self._scratch, ignore_errors=True)


def _body(run: Callable[[Connection], None], pipe: Connection, parent: int, scratch: str) -> None:
    """The main function of the copy."""
    ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(1)  # the parent ended before the call above
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent ends it
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    gc.freeze()  # what the parent had is not looked through, which would copy its memory
    tempfile.tempdir = scratch
    for name in os.listdir("/proc/self/fd"):
        if (number := int(name)) > 2 and number != pipe.fileno():
            with contextlib.suppress(OSError):  # the listing's own is closed already
                os.close(number)
    try:
        run(pipe)
    finally:
        pipe.close()
        os._exit(0)  # do not flush or remove the parent's files a second time


class ForkedCall(Generic[T]):
    """A function's result, computed in a copy if a core is spare, otherwise on request.

    If the copy fails, the function runs a second time. Close it, for example with
    ``contextlib.closing``.
    """

    def __init__(self, function: Callable[[], T], *, workers: int, worthwhile: bool = True) -> None:
        self._function = function
        self._copy: Copy | None = None
        if worthwhile and spare_cores(workers) > 0:
            with contextlib.suppress(OSError):
                self._copy = Copy(lambda pipe: pipe.send(function()))

    def result(self) -> T:
        """The result. If the copy failed, the function runs here and may raise."""
        if self._copy is None:
            return self._function()
        try:
            result: T = self._copy.receive()
        except GONE as error:
            log.warning("a process that worked in the background ended (%r)", error)
            return self._function()
        finally:
            self.close()
        return result

    def close(self) -> None:
        """End the copy."""
        if self._copy is not None:
            self._copy.close()
        self._copy = None
