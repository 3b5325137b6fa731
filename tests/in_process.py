"""Pools of workers that run their tasks in the process of the test, one after another.

Starting a worker takes a second, and most studies of tests read a handful of pages. Tasks, set-up
and outcomes are pickled as for a real worker, so what a task leaves behind on its set-up never
reaches the test. What a worker protects from (hangs, crashes, limits) is not: tests of that, and of
processes themselves, are marked ``workers``. A pool with limits of a test's own has real workers
anyway.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from ohr.documents.opening import LIMITS as OPENING
from ohr.errors import OhrError
from ohr.types import Outcome
from ohr.workers import Limits
from ohr.workers._worker import answer, describe, load
from ohr.workers.pool import Finished, WorkerPool
from ohr.workers.process import pack

ORDINARY = (Limits(), OPENING, Limits(cpu_s=300, wall_s=1800))
"""The defaults of pools, of opening files, and of reading pages."""
_real_enter, _real_exit, _real_attempt = (
    WorkerPool.__enter__,
    WorkerPool.__exit__,
    WorkerPool._attempt,
)
_patch = pytest.MonkeyPatch()
_in_process = False


def _needs_workers(pool: WorkerPool[Any]) -> bool:
    return pool.limits not in ORDINARY


def _enter(pool: WorkerPool[Any]) -> WorkerPool[Any]:
    if _needs_workers(pool):
        return _real_enter(pool)
    pool._open = True
    return pool


def _exit(pool: WorkerPool[Any], *error: Any) -> None:
    if _needs_workers(pool):
        _real_exit(pool, *error)
    pool._open = False


def _started(pool: WorkerPool[Any]) -> Callable[[Any], Any]:
    """The function of a new worker."""
    try:
        return load(pool.function, pool._setup)
    except Exception as error:
        message = f"cannot start a worker for {pool.function}: {describe(error)}"
        raise OhrError(message) from error


def _attempt(
    pool: WorkerPool[Any], entries: Iterator[tuple[int, Any]], most: int
) -> Iterator[Finished]:
    if _needs_workers(pool):
        yield from _real_attempt(pool, entries, most)
        return
    call, done = None, 0
    for index, task in entries:
        if not pool._open:
            raise RuntimeError("this WorkerPool was closed while it ran")
        try:
            payload = pack(task)
        except Exception as error:
            yield index, task, Outcome.error(f"task cannot be sent: {describe(error)}")
            continue
        if call is None or done == pool.max_tasks:
            call, done = _started(pool), 0
        message = answer(call, payload)
        done += 1
        try:
            outcome, _ = pickle.loads(message)
        except Exception as error:
            outcome = Outcome.error(f"answer cannot be read: {describe(error)}")
        pool._ended[0] += len(task) if pool.batches else 1
        yield index, task, outcome


def run_in_process(on: bool) -> None:
    """Whether pools that are opened from now on run their tasks in this process."""
    global _in_process
    if on and not _in_process:
        _patch.setattr(WorkerPool, "__enter__", _enter)
        _patch.setattr(WorkerPool, "__exit__", _exit)
        _patch.setattr(WorkerPool, "_attempt", _attempt)
    elif not on:
        _patch.undo()
    _in_process = on
