"""Pools of workers that run their tasks in the process of the test, one after another.

Starting a worker takes a second, and most studies of tests read a handful of pages. Tasks, set-up
and outcomes are pickled as for a real worker, so what a task leaves behind on its set-up never
reaches the test. What a worker protects from (hangs, crashes, limits) is not: tests of that, and of
processes themselves, are marked ``workers``.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from ohr.errors import OhrError
from ohr.types import Outcome
from ohr.workers._worker import answer, describe, load
from ohr.workers.pool import Finished, WorkerPool
from ohr.workers.process import pack


def _enter(pool: WorkerPool[Any]) -> WorkerPool[Any]:
    pool._open = True
    return pool


def _exit(pool: WorkerPool[Any], *error: object) -> None:
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
    """In place of :meth:`WorkerPool._attempt`."""
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


_patch = pytest.MonkeyPatch()
_in_process = False


def run_in_process(on: bool) -> None:
    """Whether pools started from now on run their tasks in this process."""
    global _in_process
    if on and not _in_process:
        _patch.setattr(WorkerPool, "__enter__", _enter)
        _patch.setattr(WorkerPool, "__exit__", _exit)
        _patch.setattr(WorkerPool, "_attempt", _attempt)
    elif not on:
        _patch.undo()
    _in_process = on
