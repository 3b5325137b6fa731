"""The worker pool on tasks that hang, crash or are killed: counted outcomes, no orphans."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest

from ohr.types import Outcome, Status
from ohr.workers import Limits, WorkerPool
from tests.faults import tasks

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
SHORT = Limits(cpu_s=1, wall_s=0.7)
PATIENCE_S = 60.0


def alive(marker: str) -> list[psutil.Process]:
    """Processes, zombies aside, that carry the marker in their command line."""
    found = []
    for process in psutil.process_iter(["cmdline", "status", "pid"]):
        if (
            any(marker in part for part in process.info["cmdline"] or ())
            and process.info["status"] != psutil.STATUS_ZOMBIE
            and process.pid != os.getpid()
        ):
            found.append(process)
    return found


def wait_until(condition: Callable[[], bool], seconds: float = PATIENCE_S) -> bool:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.05)
    return condition()


def outcome_of(task: str, limits: Limits) -> Outcome[object]:
    """The outcome of one bad task among good ones, which must all succeed."""
    with WorkerPool(tasks.misbehave, workers=2, limits=limits) as pool:
        found = dict(pool.run([1, 2, task, 3, 4]))
    assert [found[index].value for index in (0, 1, 3, 4)] == [1, 2, 3, 4]
    return found[2]


@pytest.mark.parametrize(
    ("task", "detail"),
    [
        ("raise", "EngineError: the page is upside down"),
        ("exit", "SystemExit: 3"),
        ("_exit:7", "worker died (exit status 7): free(): invalid pointer"),
        ("segfault", "worker died (signal 11, SIGSEGV)"),
        ("kill", "worker died (signal 9, SIGKILL)"),
        ("fork", "worker died (exit status 1)"),
    ],
)
def test_failure_is_an_error_outcome(task: str, detail: str) -> None:
    assert outcome_of(task, Limits()) == Outcome.error(detail)


@pytest.mark.parametrize("task", ["sleep", "stop"])
def test_wall_limit(task: str) -> None:
    outcome = outcome_of(task, Limits(cpu_s=100, wall_s=0.6))
    assert outcome == Outcome.timeout("no answer within 0.6 s")


@pytest.mark.parametrize("task", ["spin", "regex", "spinning_child"])
def test_cpu_limit(task: str) -> None:
    outcome = outcome_of(task, Limits(cpu_s=0.4, wall_s=100))
    assert outcome == Outcome.timeout("used 0.4 s of CPU time")


def test_memory_limit() -> None:
    with WorkerPool(tasks.hold, workers=1, limits=Limits(memory_mb=400)) as pool:
        found = dict(pool.run([1, 1500, 2]))
    assert found[1] == Outcome.error("used more than 400 MB of memory")
    assert [found[index].status for index in (0, 2)] == [Status.OK] * 2


def test_a_worker_that_leaks_is_replaced_before_it_is_too_large() -> None:
    with WorkerPool(tasks.hold, workers=1, limits=Limits(memory_mb=400)) as pool:
        pids = [outcome.value for _, outcome in pool.run([100] * 8)]
        assert all(pids)
        assert len(set(pids)) >= 3
        assert pool._live == [] or pool._live[0].memory() < 400e6


@pytest.mark.parametrize("kind", ["grandchild", "runaway"])
def test_grandchild_goes_with_its_worker(kind: str, tmp_path: Path) -> None:
    marker = f"grandchild-{tmp_path}"
    with WorkerPool(tasks.misbehave, workers=1, limits=SHORT) as pool:
        [(_, outcome)] = pool.run([f"{kind}:{marker}"])
        assert outcome.status is Status.TIMEOUT
        assert not alive(marker)


def test_leaving_the_pool_kills_everything(tmp_path: Path) -> None:
    marker = f"left-{tmp_path}"
    with WorkerPool(tasks.misbehave, workers=2) as pool:
        list(pool.run([0, 0]))  # both workers are ready
        results = pool.run([f"grandchild:{marker}", 1])
        next(results)
        assert wait_until(lambda: len(alive(marker)) == 1)
        pids = [worker.process.pid for worker in pool._live]
    assert not alive(marker)
    assert not any(psutil.pid_exists(pid) for pid in pids)


@pytest.mark.parametrize("kind", ["raise", "_exit:1", "segfault", "sleep", "spin"])
def test_second_try_stands(kind: str, tmp_path: Path) -> None:
    with WorkerPool(tasks.fail_first, workers=2, limits=Limits(cpu_s=0.4, wall_s=0.8)) as pool:
        found = dict(pool.run([f"1@{tmp_path / 'a'}", f"{kind}@{tmp_path / 'b'}"]))
    assert found == {0: Outcome("second time"), 1: Outcome("second time")}


def test_second_try_is_alone_and_last(tmp_path: Path) -> None:
    names = ["bad0", "a", "b", "bad1", "c", "d"]
    with WorkerPool(tasks.log_presence, workers=3) as pool:
        found = dict(pool.run([(name, str(tmp_path)) for name in names]))
    assert [found[index].status for index in (0, 3)] == [Status.ERROR] * 2
    log = (tmp_path / "log").read_text().split()
    assert log[-4:] == ["+bad0", "-bad0", "+bad1", "-bad1"]
    assert sorted(log[:-4]) == sorted(sign + name for sign in "+-" for name in names)


PARENT = """
import signal
import sys
from ohr.workers import WorkerPool
from tests.faults import tasks

# A shell starts what runs in its background with this signal ignored.
signal.signal(signal.SIGINT, signal.default_int_handler)
marker = sys.argv[1]
with WorkerPool(tasks.misbehave, workers=3) as pool:
    for index, outcome in pool.run(["regex:", f"grandchild:{marker}", f"runaway:{marker}", 0]):
        pass
"""


def tree(pid: int) -> list[psutil.Process]:
    return psutil.Process(pid).children(recursive=True)


@pytest.mark.parametrize(
    "end",
    [
        signal.SIGKILL,
        pytest.param(signal.SIGTERM, marks=pytest.mark.slow),
        pytest.param(signal.SIGINT, marks=pytest.mark.slow),
    ],
)
def test_no_orphans_when_the_parent_is_killed(end: signal.Signals, tmp_path: Path) -> None:
    marker = f"orphan-{tmp_path}"
    parent = subprocess.Popen([sys.executable, "-c", PARENT, marker], cwd=ROOT, stderr=-1)
    try:
        # Parent, sleeping grandchild, runaway grandchild.
        assert wait_until(lambda: len(alive(marker)) == 3)
        time.sleep(0.3)
        below = tree(parent.pid)
        assert len(below) >= 6  # guardian, three workers, two grandchildren
        parent.send_signal(end)
        parent.wait(timeout=PATIENCE_S)
        assert wait_until(lambda: not alive(marker))
        assert wait_until(
            lambda: (
                not any(
                    process.is_running() and process.status() != psutil.STATUS_ZOMBIE
                    for process in below
                )
            )
        )
    finally:
        parent.kill()
        parent.communicate()
        for process in alive(marker):
            process.kill()


@pytest.mark.slow
@pytest.mark.parametrize("delay", [0.0, 0.03, 0.1, 0.3])
def test_no_orphans_at_any_moment(delay: float, tmp_path: Path) -> None:
    marker = f"moment-{tmp_path}"
    parent = subprocess.Popen([sys.executable, "-c", PARENT, marker], cwd=ROOT, stderr=-1)
    try:
        assert wait_until(lambda: bool(tree(parent.pid)))
        time.sleep(delay)
        below = tree(parent.pid)
        parent.kill()
        parent.wait()
        assert wait_until(lambda: not alive(marker))
        assert wait_until(
            lambda: (
                not any(
                    process.is_running() and process.status() != psutil.STATUS_ZOMBIE
                    for process in below
                )
            )
        )
    finally:
        parent.communicate()
        for process in alive(marker):
            process.kill()
