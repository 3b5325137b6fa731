"""Pools that run in the test's own process have the outcomes of real ones."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from ohr.errors import OhrError
from ohr.types import Outcome
from ohr.workers import BatchedPool, Limits, WorkerPool
from tests.in_process import run_in_process


@pytest.fixture(params=[True, False], ids=["in-process", "workers"])
def in_process(request: pytest.FixtureRequest) -> Iterator[bool]:
    """Whether pools run here; afterwards as the command line says."""
    run_in_process(request.param)
    yield request.param
    run_in_process(request.config.getoption("--in-process"))


def half(task: int | str, setup: list[int]) -> int | Outcome[int]:
    """Half of an even number; what it leaves on the set-up stays with the worker."""
    setup.append(1)
    if isinstance(task, str):
        return Outcome.timeout("a text")
    if task % 2:
        raise ValueError(f"{task} is odd")
    return task // 2


def halves(tasks: list[int], setup: list[int]) -> list[Outcome[int]]:
    return [Outcome(task // 2) if task % 2 == 0 else Outcome.error("odd") for task in tasks]


def process_id(task: object) -> int:
    return os.getpid()


@pytest.mark.slow
def test_outcomes_are_the_same(in_process):
    setup: list[int] = []
    seen: list[Outcome[int]] = []
    with WorkerPool(half, workers=1, setup=setup, max_tasks=2) as pool:
        outcomes = dict(pool.run([4, 3, "text", lambda: 0, 8], seen.append))
    assert [outcomes[n].value for n in range(5)] == [2, None, None, None, 4]
    assert outcomes[1].detail == "ValueError: 3 is odd"
    assert outcomes[2].status == "timeout"
    assert outcomes[3].detail.startswith("task cannot be sent: ")
    assert len(seen) == 5
    assert setup == []
    # Three failed and were tried once more, of which one was never sent.
    assert [slot.tasks for slot in pool.slots()] == [6]


@pytest.mark.slow
def test_batches_are_the_same(in_process):
    with BatchedPool(WorkerPool(halves, workers=1, setup=[], retry=False, batches=True), 2) as pool:
        outcomes = dict(pool.run([4, 3, 8]))
    assert [outcomes[n].value for n in range(3)] == [2, None, 4]


@pytest.mark.slow
def test_a_function_that_cannot_be_imported_ends_the_run(in_process):
    with (
        WorkerPool("tests.test_in_process:no_such_function", workers=1) as pool,
        pytest.raises(OhrError, match=r"cannot start a worker for .*no_such_function"),
    ):
        list(pool.run([1]))


def test_a_pool_is_used_while_it_is_open(in_process):
    pool = WorkerPool(process_id, workers=1)
    with pytest.raises(RuntimeError, match="with"):
        list(pool.run([1]))


def test_where_tasks_run(in_process):
    with WorkerPool(process_id, workers=1) as pool:
        [(_, outcome)] = pool.run([1])
    assert (outcome.value == os.getpid()) is in_process


@pytest.mark.slow
def test_limits_of_a_tests_own_are_kept_by_real_workers(in_process):
    with WorkerPool(process_id, workers=1, limits=Limits(cpu_s=5)) as pool:
        [(_, outcome)] = pool.run([1])
    assert outcome.value != os.getpid()
