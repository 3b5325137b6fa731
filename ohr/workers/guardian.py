"""Kills the processes that a pool leaves behind, however the pool's process ended.

It runs as a script in its own session, with only the standard library. Its standard input is a
pipe that only the pool's process writes to. The lines ``+PID`` and ``-PID`` announce the start and
end of worker groups; the end of the pipe means that the pool is closed or dead.
"""

from __future__ import annotations

import contextlib
import os
import select
import shutil
import signal
import sys
import time

SWEEPS = 50
POLL_S = 0.5


def kill_group(group: int) -> None:
    """SIGKILL a process group, if it still exists."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(group, signal.SIGKILL)


def marked(marker: str) -> list[int]:
    """Processes started with ``marker`` in their environment (Linux; elsewhere none).

    The environment is inherited, so this finds children that left the worker's group.
    """
    pids = []
    entry = os.fsencode(marker)
    for name in os.listdir("/proc") if os.path.isdir("/proc/self") else []:
        if name.isdigit() and int(name) != os.getpid():
            with contextlib.suppress(OSError), open(f"/proc/{name}/environ", "rb") as stream:
                if entry in stream.read():
                    pids.append(int(name))
    return pids


def sweep(marker: str) -> None:
    """SIGKILL all marked processes until none is left; gives up after about a second."""
    for _ in range(SWEEPS):
        pids = marked(marker)
        if not pids:
            return
        for pid in pids:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
        time.sleep(0.02)


def living_groups() -> set[int]:
    """Follow the pipe until the pool is gone; returns the worker groups that it left."""
    groups: set[int] = set()
    parent = os.getppid()
    rest = b""
    while True:
        readable, _, _ = select.select([0], [], [], POLL_S)
        if readable:
            data = os.read(0, 65536)
            if not data:
                return groups
            *lines, rest = (rest + data).split(b"\n")
            for line in lines:
                change = groups.add if line.startswith(b"+") else groups.discard
                change(int(line[1:]))
        elif os.getppid() != parent:  # a forked copy of the pool's process keeps the pipe open
            return groups


def main(marker: str, scratch: str) -> None:
    """Wait for the pool's end, then kill its workers and remove their temporary files."""
    for polite in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(polite, signal.SIG_IGN)
    for group in living_groups():
        kill_group(group)
    sweep(marker)
    shutil.rmtree(scratch, ignore_errors=True)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
