"""One worker process as the pool sees it."""

from __future__ import annotations

import contextlib
import json
import os
import pickle
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from ohr.workers._worker import one_line
from ohr.workers.framing import Channel
from ohr.workers.guardian import kill_group
from ohr.workers.limits import Limits
from ohr.workers.usage import tree_bytes, tree_cpu_s

STDERR_TAIL = 2000
KILL_S = 5.0

# The path must be the parent's before the project's modules are imported.
_BOOT = (
    "import json, sys; sys.path[:] = json.loads(sys.argv[3]); "
    "from ohr.workers._worker import main; main(int(sys.argv[1]), sys.argv[2])"
)


@dataclass(frozen=True, slots=True)
class Job:
    """A task, its place in the pool's input, and its pickle."""

    index: int
    task: Any
    payload: bytes
    size: int = 1
    """Number of tasks in it."""


class WorkerProcess:
    """A worker, its channel, and its current job.

    It runs in its own session, and so in its own process group. Its standard output and error go
    to a pipe whose tail is kept, to quote the last words of a worker that died.
    """

    def __init__(
        self, function: str, setup: bytes, environment: Mapping[str, str], mark: str, slot: int = 0
    ) -> None:
        self.mark = mark
        self.slot = slot
        own_end, worker_end = socket.socketpair()
        self.stderr, stderr = os.pipe()
        arguments = (str(worker_end.fileno()), function, json.dumps(sys.path))
        try:
            self.process = subprocess.Popen(
                [sys.executable, "-P", "-c", _BOOT, *arguments],
                stdin=subprocess.DEVNULL,
                stdout=stderr,
                stderr=stderr,
                pass_fds=[worker_end.fileno()],
                start_new_session=True,
                env=environment,
            )
        except BaseException:
            own_end.close()
            os.close(self.stderr)
            raise
        finally:
            worker_end.close()
            os.close(stderr)
        os.set_blocking(self.stderr, False)
        self.channel = Channel(own_end)
        self.channel.post(setup)
        self.ready = False
        self.job: Job | None = None
        self.answered = 0
        self.limits = Limits()
        """The limits of the job, once it is sent."""
        self.started = time.monotonic()
        self.deadline = float("inf")
        self.weighed = float("-inf")
        self.weight = 0
        self._stderr_tail = b""
        self._cpu_before = 0.0

    def start(self, limits: Limits) -> None:
        """Send the job and start its clocks. The worker must be ready."""
        if self.job is None:
            raise RuntimeError("a worker without a job cannot start")
        self._cpu_before = tree_cpu_s(self.process.pid)
        self.started = time.monotonic()
        self.limits = limits.times(self.job.size)
        self.deadline = self.started + self.limits.wall_s
        self._stderr_tail = b""
        self.channel.post(self.job.payload)

    def cpu_s(self) -> float:
        """CPU seconds that the worker and its children have spent on the job."""
        return tree_cpu_s(self.process.pid) - self._cpu_before

    def memory(self) -> int:
        """Resident bytes of the worker and its children."""
        return tree_bytes(self.process.pid)

    def listen(self) -> bool:
        """Keep the tail of the worker's output; False if it can write no more."""
        try:
            while data := os.read(self.stderr, 65536):
                self._stderr_tail = (self._stderr_tail + data)[-STDERR_TAIL:]
        except BlockingIOError:
            return True
        return False

    def kill(self) -> None:
        """Kill the worker and its process group, and close its channel and pipe."""
        kill_group(self.process.pid)
        with contextlib.suppress(subprocess.TimeoutExpired):
            # Only a process stuck in the kernel survives SIGKILL; do not wait for it.
            self.process.wait(timeout=KILL_S)
        with contextlib.suppress(OSError):
            self.listen()
        self.channel.socket.close()
        os.close(self.stderr)

    def exit_reason(self) -> str:
        """How a dead worker died, in one line."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            # Its socket closes a moment before its exit status is available.
            self.process.wait(timeout=1)
        status = self.process.poll()
        if status is None:
            how = "closed its channel"
        elif status < 0:
            how = f"signal {-status}, {_signal_name(-status)}"
        else:
            how = f"exit status {status}"
        with contextlib.suppress(OSError):
            self.listen()
        last = self._stderr_tail.decode("utf-8", "replace").strip().rpartition("\n")[2]
        return one_line(f"worker died ({how})" + (f": {last}" if last else ""))


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return "unknown"


def pack(value: Any) -> bytes:
    """Pickle for a worker. Raises what pickle raises."""
    return pickle.dumps(value, pickle.HIGHEST_PROTOCOL)


def function_path(function: Callable[..., Any]) -> str:
    """``module:name`` of a module-level function. Raises ValueError for any other."""
    module, name = function.__module__, function.__qualname__
    if module == "__main__" or "<" in name:
        raise ValueError(
            f"a worker cannot import {module}:{name}: put the function at the top of a module"
        )
    return f"{module}:{name}"
