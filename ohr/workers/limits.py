"""What a task may use of its worker, how many workers a machine takes, what is told of one."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace

import psutil

from ohr.errors import ConfigError

MEMORY_SHARE = 0.9
"""Of the machine's memory, what all workers together may use."""
LEAST_BYTES = 256 * 2**20
"""Memory that a worker should have: an engine fits into no less."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What one task may use: CPU seconds, wall seconds and memory of the worker and its children.

    The wall limit is for real hangs (a worker that sleeps or waits); it should be generous.
    ``memory_mb`` counts what the worker kept from earlier tasks too; by default it is the
    worker's share of nine tenths of the machine's memory.
    """

    cpu_s: float = 120.0
    wall_s: float = 900.0
    memory_mb: float | None = None

    def times(self, count: int) -> Limits:
        """What so many tasks may use, one after another."""
        return replace(self, cpu_s=self.cpu_s * count, wall_s=self.wall_s * count)


@dataclass(frozen=True, slots=True)
class Slot:
    """The place of a worker and of those that come after it."""

    number: int
    """From 0."""
    tasks: int
    """Tries that have ended."""
    busy_s: float
    """Seconds since the start of the one that it is on, or 0."""


def check_workers(workers: int) -> None:
    """Raise ConfigError for more workers than the machine has memory for, and cores."""
    room = int(MEMORY_SHARE * psutil.virtual_memory().total / LEAST_BYTES)
    most = max(room, os.cpu_count() or 1)
    if workers > most:
        raise ConfigError(
            f"workers={workers} would leave each too little memory: this machine takes at most "
            f"{most}"
        )
