"""Tasks given several at a time: each has the outcome that it has alone."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from ohr.types import FAILED, Outcome, Status
from ohr.workers import BatchedPool, Limits, WorkerPool
from tests.faults import tasks


def pool_of(size: int, workers: int = 2, **limits: float) -> BatchedPool[Any]:
    inside = WorkerPool[list[Outcome[Any]]](
        tasks.misbehave_together,
        workers=workers,
        limits=Limits(**limits),
        retry=False,
        batches=True,
    )
    return BatchedPool(inside, size)


def test_tasks_are_given_in_batches_and_the_last_one_is_what_is_left() -> None:
    with pool_of(4, workers=1) as pool:
        found = dict(pool.run(range(10)))
        assert sum(slot.tasks for slot in pool.slots()) == 10
    together = [4] * 8 + [2] * 2
    assert found == {number: Outcome((number, together[number])) for number in range(10)}


@pytest.mark.slow
@example([1, "_exit:7", 2, "bad", 3, 3], 3)
@settings(max_examples=10, deadline=None)
@given(
    st.lists(st.sampled_from([1, 2, 3, "bad", "_exit:7"]), max_size=12),
    st.integers(2, 5),
)
def test_what_is_said_of_a_task_is_what_came_of_it_alone(given_tasks, size):
    alone = {
        "bad": Outcome.error("bad"),
        "_exit:7": Outcome.error("worker died (exit status 7): free(): invalid pointer"),
    }
    seen = []
    with pool_of(size) as pool:
        found = dict(pool.run(given_tasks, seen.append))
    assert sorted(found) == list(range(len(given_tasks)))
    for number, task in enumerate(given_tasks):
        if task in alone:
            assert found[number] == alone[task]
        else:
            assert found[number].value[0] == task
    assert len(seen) == len(given_tasks)
    assert sum(one.status in FAILED for one in seen) == sum(task in alone for task in given_tasks)


@pytest.mark.slow
def test_a_batch_has_the_time_of_all_its_tasks_and_a_task_alone_its_own() -> None:
    with pool_of(3, workers=1, cpu_s=60, wall_s=2.0) as pool:
        found = dict(pool.run([1, "sleep", 2]))
    assert found[1] == Outcome(None, Status.TIMEOUT, "no answer within 2 s")
    assert (found[0].value, found[2].value) == ((1, 1), (2, 1))


@pytest.mark.slow
def test_what_the_watcher_raises_ends_the_run_at_the_first_task_that_fails_alone() -> None:
    def stop(outcome: Outcome[Any]) -> None:
        if outcome.status in FAILED:
            raise RuntimeError(outcome.detail)

    with pool_of(4) as pool, pytest.raises(RuntimeError, match="bad"):
        list(pool.run([1, 2, 3, "bad", *range(1000)], stop))
