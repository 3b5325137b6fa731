"""What a task may use of its worker, and what is told of a worker."""

from __future__ import annotations

from dataclasses import dataclass, replace


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
