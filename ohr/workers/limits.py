"""Limits of tasks, the number of workers that fit a machine, and the state of a worker."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace

import psutil

from ohr.errors import ConfigError

MEMORY_SHARE = 0.9
"""Share of the machine's memory that all workers together may use."""
LEAST_BYTES = 256 * 2**20
"""Least memory per worker: an engine needs this much."""


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of one task: CPU seconds, wall seconds and memory of the worker and its children.

    The wall limit is for real hangs (a worker that sleeps or waits) and should be generous.
    ``memory_mb`` includes what the worker keeps from earlier tasks; the default is the worker's
    share of nine tenths of the machine's memory.
    """

    cpu_s: float = 120.0
    wall_s: float = 900.0
    memory_mb: float | None = None

    def times(self, count: int) -> Limits:
        """The limits for ``count`` tasks, one after another."""
        return replace(self, cpu_s=self.cpu_s * count, wall_s=self.wall_s * count)


@dataclass(frozen=True, slots=True)
class Slot:
    """The state of a worker slot, which keeps its number when a worker is replaced."""

    number: int
    """From 0."""
    tasks: int
    """Number of finished attempts."""
    busy_s: float
    """Seconds since the start of the current task, or 0."""


def check_workers(workers: int) -> None:
    """Raise ConfigError for more workers than both memory and cores of the machine allow."""
    room = int(MEMORY_SHARE * psutil.virtual_memory().total / LEAST_BYTES)
    most = max(room, os.cpu_count() or 1)
    if workers > most:
        raise ConfigError(
            f"workers={workers} would leave each too little memory: this machine takes at most "
            f"{most}"
        )
