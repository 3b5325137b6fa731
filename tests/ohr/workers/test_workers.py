"""The worker pool on tasks that behave: complete, lazy, paired with their index."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from ohr.errors import OhrError
from ohr.types import Outcome, Status
from ohr.workers import Limits, WorkerPool
from tests.faults import tasks
from tests.patience import ends


@pytest.mark.slow
@pytest.mark.parametrize("workers", [1, 3])
def test_every_task_has_its_outcome(workers: int) -> None:
    with WorkerPool(tasks.square, workers=workers) as pool:
        found = dict(pool.run(range(50)))
    assert found == {number: Outcome(number * number) for number in range(50)}


def test_function_by_name_with_setup() -> None:
    with WorkerPool[int]("tests.faults.tasks:scaled", workers=1, setup=7) as pool:
        assert [outcome.value for _, outcome in pool.run([1, 2])] == [7, 14]


@pytest.mark.slow
def test_results_come_as_they_finish(tmp_path: Path) -> None:
    with WorkerPool(tasks.wait_for, workers=2) as pool:
        results = pool.run([str(tmp_path / "end"), str(tmp_path), str(tmp_path)])
        assert [next(results)[0], next(results)[0]] == [1, 2]
        (tmp_path / "end").touch()
        assert [index for index, _ in results] == [0]


@pytest.mark.slow
def test_tasks_are_taken_lazily() -> None:
    taken: list[int] = []

    def source() -> Iterator[int]:
        for number in range(1000):
            taken.append(number)
            yield number

    with WorkerPool(tasks.square, workers=2) as pool:
        results = pool.run(source())
        next(results)
        assert len(taken) <= 4


def test_no_more_workers_than_tasks_and_workers_stay() -> None:
    with WorkerPool(tasks.process_id, workers=8) as pool:
        first = [outcome.value for _, outcome in pool.run(["only"])]
        second = [outcome.value for _, outcome in pool.run(["only"])]
        assert len(pool._live) == 1
    assert first == second


@pytest.mark.slow
def test_max_tasks_replaces_workers() -> None:
    with WorkerPool(tasks.process_id, workers=1, max_tasks=2) as pool:
        pids = [outcome.value for _, outcome in pool.run(range(5))]
    assert pids[0] == pids[1] != pids[2] == pids[3] != pids[4]


def test_no_tasks() -> None:
    with WorkerPool(tasks.square, workers=2) as pool:
        assert list(pool.run([])) == []


@pytest.mark.slow
def test_prints_do_not_break_the_channel(capfd: pytest.CaptureFixture[str]) -> None:
    with WorkerPool(tasks.noisy, workers=2) as pool:
        assert sorted(outcome.value or 0 for _, outcome in pool.run(range(20))) == list(range(20))
    assert capfd.readouterr() == ("", "")


@pytest.mark.slow
def test_large_results_and_large_tasks() -> None:
    size = 20_000_000
    with WorkerPool(tasks.big, workers=2) as pool:
        for _, outcome in pool.run([size, size, size]):
            assert outcome.value == b"\xff" * size
    with WorkerPool(tasks.length, workers=1) as pool:
        assert [outcome.value for _, outcome in pool.run([b"x" * size])] == [size]


@pytest.mark.slow
def test_an_outcome_is_passed_on() -> None:
    with WorkerPool(tasks.own_outcome, workers=1) as pool:
        found = dict(pool.run(["fine", "engine failed"]))
    assert found[0] == Outcome("", detail="fine")
    assert found[1] == Outcome.error("engine failed")


@pytest.mark.slow
def test_what_cannot_be_pickled_is_an_error() -> None:
    with WorkerPool(tasks.unpicklable, workers=1) as pool:
        [(_, answer)] = pool.run(["x"])
        [(_, task)] = pool.run([lambda: None])
    assert answer.status is Status.ERROR
    assert answer.detail.startswith("result cannot be sent: ")
    assert task.detail.startswith("task cannot be sent")


def test_workers_are_single_threaded_and_keep_their_own_temporary_folder(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("OMP_THREAD_LIMIT", "4")
    with WorkerPool(tasks.environment, workers=1) as pool:
        found = [outcome.value for _, outcome in pool.run(["OMP_THREAD_LIMIT", "TMPDIR"])]
        assert found[0] == "1"
        scratch = Path(str(found[1]))
        assert scratch.is_dir()
    assert not scratch.exists()


@pytest.mark.slow
def test_a_slow_reader_does_not_time_tasks_out() -> None:
    with WorkerPool(tasks.big, workers=2, limits=Limits(cpu_s=5, wall_s=0.5)) as pool:
        for _, outcome in pool.run([1_000_000] * 4):
            assert outcome.status is Status.OK
            time.sleep(0.6)


@pytest.mark.slow
def test_abandoned_run_leaves_the_pool_usable() -> None:
    with WorkerPool(tasks.sleep_for, workers=2) as pool:
        for _ in pool.run([0.0, 1000.0]):
            break
        assert [outcome.value for _, outcome in pool.run([0.0])] == [0.0]


def test_an_answer_is_taken_when_it_comes(monkeypatch: pytest.MonkeyPatch) -> None:
    """The pool looks after its workers every so often; no task waits for that."""
    monkeypatch.setattr("ohr.workers.pool.POLL_S", 3600.0)
    with ends(wall_s=300), WorkerPool(tasks.square, workers=1) as pool:
        assert len(list(pool.run(range(300)))) == 300


def test_misuse_is_named() -> None:
    with pytest.raises(ValueError, match="at least one worker"):
        WorkerPool(tasks.square, workers=0)
    with pytest.raises(ValueError, match="at the top of a module"):
        WorkerPool(lambda task: task, workers=1)
    pool = WorkerPool(tasks.square, workers=1)
    with pytest.raises(RuntimeError, match="`with` block"):
        next(pool.run([1]))
    with pool:
        running = pool.run([1, 2])
        next(running)
        with pytest.raises(RuntimeError, match="still running"):
            next(pool.run([1]))
    with pytest.raises(RuntimeError, match="was closed"):
        list(running)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["no_such_module:f", "tests.faults.tasks:no_such_function"])
def test_a_function_that_cannot_be_imported_ends_the_run(name: str) -> None:
    with (
        WorkerPool[int](name, workers=2) as pool,
        pytest.raises(OhrError, match="no_such"),
    ):
        list(pool.run([1, 2, 3]))


@pytest.mark.slow
def test_no_descriptor_leaks() -> None:
    def count() -> int:
        return len(os.listdir("/proc/self/fd"))

    with WorkerPool(tasks.square, workers=2) as pool:
        list(pool.run(range(4)))
    before = count()
    for _ in range(3):
        with WorkerPool(tasks.misbehave, workers=2) as pool:
            list(pool.run([1, "_exit:1"]))
    assert count() == before


def test_without_retry_a_failure_stands(tmp_path: Path) -> None:
    with WorkerPool(tasks.fail_first, workers=1, retry=False) as pool:
        [(_, outcome)] = pool.run([f"raise@{tmp_path / 'file'}"])
    assert outcome.status is Status.ERROR
