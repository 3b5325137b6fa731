"""Gives workers several tasks at a time, with a separate outcome for each task."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Generic, TypeVar

from ohr.types import FAILED, Outcome
from ohr.workers.limits import Slot
from ohr.workers.pool import WorkerPool
from ohr.workers.ray_pool import RayPool

R = TypeVar("R")

Entry = tuple[int, Any]
"""Index of a task, and the task."""


class BatchedPool(Generic[R]):
    """Runs tasks in another pool, ``size`` at a time.

    That pool's function takes a list of tasks and returns an outcome for each; the pool is made
    with ``batches`` and without ``retry``. Tasks that fail in a batch, or whose batch hung or
    crashed, run again alone, before new ones. So a failure is always one of the task alone.
    """

    def __init__(self, pool: WorkerPool[list[Outcome[R]]] | RayPool[list[Outcome[R]]], size: int):
        self._pool = pool
        self._size = size
        self.workers = pool.workers

    def __enter__(self) -> BatchedPool[R]:
        self._pool.__enter__()
        return self

    def __exit__(self, *error: Any) -> None:
        self._pool.__exit__(*error)

    def slots(self) -> tuple[Slot, ...]:
        """What each worker has done, and for how long it is at its batch. Thread-safe."""
        return self._pool.slots()

    def run(
        self, tasks: Iterable[Any], watch: Callable[[Outcome[R]], None] | None = None
    ) -> Iterator[tuple[int, Outcome[R]]]:
        """As :meth:`ohr.workers.WorkerPool.run`; ``watch`` gets no failures in batches."""
        source = enumerate(tasks)
        alone: deque[Entry] = deque()
        again: list[Entry] = []
        while True:
            for batch, outcomes in self._batches(source, alone):
                for entry, outcome in zip(batch, outcomes, strict=True):
                    if outcome.status in FAILED and len(batch) > 1:
                        alone.append(entry)
                        continue
                    if watch is not None:
                        watch(outcome)
                    if outcome.status in FAILED:
                        again.append(entry)
                    else:
                        yield entry[0], outcome
            if not alone:
                break
        if again:
            self._pool.let_go()
        for entry in sorted(again, key=lambda entry: entry[0]):
            for _, [outcome] in self._batches(iter([entry]), alone):
                yield entry[0], outcome

    def _batches(
        self, source: Iterator[Entry], alone: deque[Entry]
    ) -> Iterator[tuple[list[Entry], list[Outcome[R]]]]:
        """Finished batches with their outcomes. Tasks in ``alone``, which may grow, go first."""
        running: dict[int, list[Entry]] = {}

        def batches() -> Iterator[list[Any]]:
            number = 0
            while True:
                batch = [alone.popleft()] if alone else self._next(source)
                if not batch:
                    return
                running[number] = batch
                number += 1
                yield [task for _, task in batch]

        for number, outcome in self._pool.run(batches()):
            batch = running.pop(number)
            if outcome.status in FAILED or outcome.value is None:
                failed: Outcome[R] = Outcome(None, outcome.status, outcome.detail)
                yield batch, [failed] * len(batch)
            else:
                yield batch, outcome.value

    def _next(self, source: Iterator[Entry]) -> list[Entry]:
        return [entry for _, entry in zip(range(self._size), source, strict=False)]
