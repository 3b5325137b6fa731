"""CPU time of a process and of everything below it."""

from __future__ import annotations

from pathlib import Path

import psutil


def _children(pid: int) -> list[int]:
    """Direct children; by /proc where the kernel lists them, as psutil reads every process."""
    try:
        lists = [
            (thread / "children").read_text() for thread in Path(f"/proc/{pid}/task").iterdir()
        ]
    except OSError:
        try:
            return [child.pid for child in psutil.Process(pid).children()]
        except psutil.Error:
            return []
    return [int(child) for line in lists for child in line.split()]


def tree_cpu_s(pid: int) -> float:
    """CPU seconds, user and system, of a process, its live descendants and those it reaped.

    Processes that are gone count 0.
    """
    try:
        times = psutil.Process(pid).cpu_times()
    except psutil.Error:
        return 0.0
    own = times.user + times.system + times.children_user + times.children_system
    return float(own) + sum(tree_cpu_s(child) for child in _children(pid))
