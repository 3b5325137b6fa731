"""CPU time and memory of a process and its descendants."""

from __future__ import annotations

import os
from pathlib import Path

import psutil

_PAGE_BYTES = os.sysconf("SC_PAGE_SIZE") if hasattr(os, "sysconf") else 4096


def _children(pid: int) -> list[int]:
    """Direct children; by /proc if the kernel lists them, since psutil scans all processes."""
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

    Processes that have ended count 0.
    """
    try:
        times = psutil.Process(pid).cpu_times()
    except psutil.Error:
        return 0.0
    own = times.user + times.system + times.children_user + times.children_system
    return float(own) + sum(tree_cpu_s(child) for child in _children(pid))


def tree_bytes(pid: int) -> int:
    """Resident memory of a process and its live descendants, in bytes; shared pages count twice.

    Processes that have ended count 0.
    """
    return _resident(pid) + sum(tree_bytes(child) for child in _children(pid))


def _resident(pid: int) -> int:
    try:
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * _PAGE_BYTES
    except (OSError, IndexError):
        pass
    try:
        return int(psutil.Process(pid).memory_info().rss)
    except psutil.Error:
        return 0
