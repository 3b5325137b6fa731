"""A pool of worker processes that runs one function on many tasks."""

from __future__ import annotations

import logging
import os
import pickle
import secrets
import selectors
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from types import TracebackType
from typing import Any, Generic, TypeVar

import psutil

from ohr.errors import OhrError
from ohr.types import FAILED, Outcome
from ohr.workers import guardian
from ohr.workers._worker import describe
from ohr.workers.limits import MEMORY_SHARE, Limits, Slot, check_workers
from ohr.workers.process import Job, WorkerProcess, function_path, pack

R = TypeVar("R")

POLL_S = 0.2
START_S = 120.0
FAILED_STARTS = 3
RECYCLE_SHARE = 0.75
SMALL_SHARE = 0.2

# Every worker uses one core: more threads would only compete with the other workers.
SINGLE_THREADED = {
    "OMP_NUM_THREADS": "1",
    "OMP_THREAD_LIMIT": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "NUMEXPR_NUM_THREADS": "1",
    "VECLIB_MAXIMUM_THREADS": "1",
    "NUMBA_NUM_THREADS": "1",
    "TOKENIZERS_PARALLELISM": "false",
}

log = logging.getLogger("ohr.workers")

Finished = tuple[int, Any, Outcome[Any]]
"""Index of a task, the task, its outcome."""


class WorkerPool(Generic[R]):
    """Runs ``function(task)``, or ``function(task, setup)``, in worker processes.

    ``function`` is a module-level function or ``"package.module:function"``. ``setup`` is pickled
    once and unpickled once in each worker, so anything that the function stores on it (a loaded
    model) lasts as long as the worker. A worker is replaced after ``max_tasks`` tasks, and after a
    task that leaves it with more than three quarters of its memory in use. With ``batches`` a task
    is a sequence, and the limits hold for each item. ``TMPDIR`` of the workers is a folder that is
    removed with the pool.

    This holds on Linux. On systems without ``/proc``, a grandchild that leaves its worker's process
    group survives the worker.
    """

    def __init__(
        self,
        function: Callable[..., R | Outcome[R]] | str,
        *,
        workers: int,
        setup: Any = None,
        limits: Limits | None = None,
        max_tasks: int | None = None,
        retry: bool = True,
        batches: bool = False,
    ) -> None:
        if workers < 1:
            raise ValueError(f"a pool needs at least one worker, got {workers}")
        check_workers(workers)
        self.function = function if isinstance(function, str) else function_path(function)
        self.workers = workers
        self.limits = limits if limits is not None else Limits()
        self.max_tasks = max_tasks
        self.retry = retry
        self.batches = batches
        share = MEMORY_SHARE * psutil.virtual_memory().total / workers
        limit_mb = self.limits.memory_mb
        self._most_bytes = int(share if limit_mb is None else limit_mb * 1e6)
        self._setup = pack(setup)
        self._live: list[WorkerProcess] = []
        self._open = False
        self._running = False
        self._failed_starts = 0
        self._ended = [0] * workers

    def __enter__(self) -> WorkerPool[R]:
        scratch = tempfile.mkdtemp(prefix="ohr-workers-")
        self._marker = f"OHR_POOL_{secrets.token_hex(8)}"
        self._environment = os.environ | SINGLE_THREADED | {"TMPDIR": scratch}
        self._guardian = subprocess.Popen(
            [sys.executable, "-I", "-S", guardian.__file__, f"{self._marker}=", scratch],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
            bufsize=0,
        )
        self._selector = selectors.DefaultSelector()
        self._spawned = 0
        self._open = True
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._open = False
        try:
            for worker in list(self._live):
                self._discard(worker, sweep=False)
        finally:
            self._selector.close()
            if self._guardian.stdin is not None:
                self._guardian.stdin.close()  # it kills all other processes with our marker
            self._guardian.wait()

    def run(
        self, tasks: Iterable[Any], watch: Callable[[Outcome[R]], None] | None = None
    ) -> Iterator[tuple[int, Outcome[R]]]:
        """Run the function on each task; yields (index of the task, outcome) as they finish.

        A task is fetched when a worker is free. A return value becomes an ``ok`` outcome, unless it
        is an outcome already. An exception or the worker's death becomes an ``error``. A task over
        its time limit becomes a ``timeout``, over its memory limit an ``error``, and its worker's
        process group is killed. With ``retry``, a task that ended in ``error`` or ``timeout`` is
        tried once more, alone, after all others, and its second outcome counts.

        ``watch`` is called with the first outcome of every task, also of those to be tried again;
        an exception in it ends the run.

        The limits are enforced while the caller waits for the next outcome. Raises OhrError if
        workers cannot be started, for example because the function cannot be imported.
        """
        if not self._open:
            raise RuntimeError("run a WorkerPool inside its `with` block")
        if self._running:
            raise RuntimeError("this WorkerPool is still running other tasks")
        self._running = True
        again: list[tuple[int, Any]] = []
        try:
            for index, task, outcome in self._attempt(enumerate(tasks), self.workers):
                if watch is not None:
                    watch(outcome)
                if outcome.status in FAILED and self.retry:
                    log.debug("task %d: %s; once more later", index, outcome.detail)
                    again.append((index, task))
                else:
                    yield index, outcome
            if again:
                self.let_go()
            for entry in sorted(again, key=lambda entry: entry[0]):
                for index, _, outcome in self._attempt(iter([entry]), 1):
                    yield index, outcome
        finally:
            self._running = False

    def let_go(self) -> None:
        """End all workers, so that the next task has the machine to itself."""
        for worker in list(self._live):
            self._discard(worker)

    def slots(self) -> tuple[Slot, ...]:
        """What each worker has done, and for how long it is at its task. Thread-safe."""
        now = time.monotonic()
        since = {worker.slot: now - worker.started for worker in list(self._live) if worker.job}
        return tuple(Slot(n, tasks, since.get(n, 0.0)) for n, tasks in enumerate(self._ended))

    def _attempt(self, entries: Iterator[tuple[int, Any]], most: int) -> Iterator[Finished]:
        """Run each task once, with at most ``most`` workers."""
        more = True
        self._resumed = self._next_check = time.monotonic()
        try:
            while True:
                if not self._open:
                    raise RuntimeError("this WorkerPool was closed while it ran")
                while more and self._has_room(most):
                    entry = next(entries, None)
                    if entry is None:
                        more = False
                        break
                    try:
                        job = Job(*entry, pack(entry[1]), len(entry[1]) if self.batches else 1)
                    except Exception as error:
                        yield (*entry, Outcome.error(f"task cannot be sent: {describe(error)}"))
                    else:
                        self._assign(job)
                if not any(worker.job for worker in self._live):
                    return
                yield from self._step()
        finally:
            for worker in [worker for worker in self._live if worker.job]:
                self._discard(worker)

    def _has_room(self, most: int) -> bool:
        return len(self._live) < most or any(worker.job is None for worker in self._live)

    def _assign(self, job: Job) -> None:
        idle = (worker for worker in self._live if worker.job is None)
        worker = next(idle, None) or self._spawn()
        worker.job = job
        if worker.ready:
            self._start(worker)

    def _spawn(self) -> WorkerProcess:
        self._spawned += 1
        mark = f"{self._spawned}."
        environment = self._environment | {self._marker: mark}
        used = {worker.slot for worker in self._live}
        slot = next(number for number in range(self.workers) if number not in used)
        marker = f"{self._marker}={mark}"
        worker = WorkerProcess(self.function, self._setup, environment, marker, slot)
        worker.deadline = worker.started + max(START_S, self.limits.wall_s)
        self._live.append(worker)
        self._tell_guardian(f"+{worker.process.pid}\n")
        self._selector.register(worker.channel.socket, selectors.EVENT_READ, worker)
        self._selector.register(worker.stderr, selectors.EVENT_READ, worker)
        self._watch(worker)
        return worker

    def _start(self, worker: WorkerProcess) -> None:
        worker.start(self.limits)
        self._watch(worker)

    def _watch(self, worker: WorkerProcess) -> None:
        """Wait for room to send only while there is something to send."""
        events = selectors.EVENT_READ | (selectors.EVENT_WRITE if worker.channel.sending else 0)
        self._selector.modify(worker.channel.socket, events, worker)

    def _step(self) -> list[Finished]:
        """Wait a little; returns the tasks that finished."""
        # While the caller was busy nobody read the answers: that time does not count.
        away = time.monotonic() - self._resumed
        for worker in self._live:
            worker.deadline += away
        finished: list[Finished] = []
        touched: dict[WorkerProcess, None] = {}
        for key, _ in self._selector.select(POLL_S):
            worker = key.data
            if key.fileobj == worker.stderr:
                if not worker.listen():
                    self._selector.unregister(worker.stderr)
            else:
                touched[worker] = None
        for worker in touched:
            finished += self._serve(worker)
        if time.monotonic() >= self._next_check:
            for worker in list(self._live):
                finished += self._check(worker)
            self._next_check = time.monotonic() + POLL_S
        self._resumed = time.monotonic()
        return finished

    def _serve(self, worker: WorkerProcess) -> list[Finished]:
        """Send and receive all pending messages of a worker; returns the tasks that finished."""
        worker.channel.flush()
        finished: list[Finished] = []
        for message in worker.channel.collect():
            if worker.ready:
                finished += self._take(worker, message)
            else:
                self._welcome(worker, pickle.loads(message))
        if worker not in self._live:
            return finished
        if worker.channel.closed:
            return finished + self._died(worker)
        self._watch(worker)
        return finished

    def _welcome(self, worker: WorkerProcess, problem: str | None) -> None:
        if problem is not None:
            raise OhrError(f"cannot start a worker for {self.function}: {problem}")
        worker.ready = True
        self._failed_starts = 0
        if worker.job:
            self._start(worker)

    def _take(self, worker: WorkerProcess, message: bytes) -> list[Finished]:
        """Handle the answer to the worker's job; returns the task as finished."""
        try:
            outcome, trace = pickle.loads(message)
        except Exception as error:
            outcome, trace = Outcome.error(f"answer cannot be read: {describe(error)}"), ""
        if trace:
            log.debug("%s", trace)
        finished = self._finish(worker, outcome)
        worker.answered += 1
        worn_out = self.max_tasks is not None and worker.answered >= self.max_tasks
        if worn_out or self._is_heavy(worker):
            self._discard(worker)
        return finished

    def _is_heavy(self, worker: WorkerProcess) -> bool:
        """Whether a worker uses too much memory; a small worker is not checked after each task."""
        now = time.monotonic()
        if now - worker.weighed < POLL_S and worker.weight < SMALL_SHARE * self._most_bytes:
            return False
        worker.weighed, worker.weight = now, worker.memory()
        return worker.weight > RECYCLE_SHARE * self._most_bytes

    def _finish(self, worker: WorkerProcess, outcome: Outcome[Any]) -> list[Finished]:
        job, worker.job = worker.job, None
        if job is None:
            return []
        self._ended[worker.slot] += job.size
        return [(job.index, job.task, outcome)]

    def _check(self, worker: WorkerProcess) -> list[Finished]:
        """Enforce the limits, and notice a worker's death that the channel did not report."""
        if worker.process.poll() is not None:
            served = self._serve(worker)
            return served + (self._died(worker) if worker in self._live else [])
        now = time.monotonic()
        if worker.ready and worker.job is None:
            return []
        if now >= worker.deadline:
            if not worker.ready:
                return self._died(worker)
            outcome = Outcome[Any].timeout(f"no answer within {worker.limits.wall_s:g} s")
        elif worker.ready and self._is_over_cpu(worker, now):
            outcome = Outcome.timeout(f"used {worker.limits.cpu_s:g} s of CPU time")
        elif worker.memory() > self._most_bytes:
            share = "" if self.limits.memory_mb else f", its share of {self.workers} workers"
            most = f"{self._most_bytes / 1e6:.0f} MB of memory{share}"
            outcome = Outcome.error(f"used more than {most}")
        else:
            return []
        finished = self._finish(worker, outcome)
        self._discard(worker)
        return finished

    def _is_over_cpu(self, worker: WorkerProcess, now: float) -> bool:
        # A task cannot have used more than all cores since its start, so most need no measuring.
        most = (now - worker.started) * (os.cpu_count() or 1)
        return most >= worker.limits.cpu_s and worker.cpu_s() >= worker.limits.cpu_s

    def _died(self, worker: WorkerProcess) -> list[Finished]:
        """Discard a worker that died during its job, while idle, or before it was ready."""
        reason = worker.exit_reason()
        if worker.ready:
            finished = self._finish(worker, Outcome.error(reason))
            self._discard(worker)
            return finished
        self._failed_starts += 1
        job = worker.job
        self._discard(worker)
        if self._failed_starts >= FAILED_STARTS:
            raise OhrError(f"cannot start a worker for {self.function}: {reason}")
        if job is not None:
            self._assign(job)
        return []

    def _discard(self, worker: WorkerProcess, *, sweep: bool = True) -> None:
        """Kill a worker with all processes that it started, and forget it."""
        self._live.remove(worker)
        registered = self._selector.get_map()
        for handle in (worker.channel.socket, worker.stderr):
            if handle in registered:
                self._selector.unregister(handle)
        worker.kill()
        if sweep:
            guardian.sweep(worker.mark)
        self._tell_guardian(f"-{worker.process.pid}\n")

    def _tell_guardian(self, line: str) -> None:
        if self._guardian.stdin is None:
            return
        try:
            self._guardian.stdin.write(line.encode())
        except BrokenPipeError:
            # Without it, workers still end when this process dies, unless they hang.
            log.warning("the guardian of the worker processes has been killed")
