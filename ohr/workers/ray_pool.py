"""A pool whose workers run on the nodes of a Ray cluster.

Each slot has one actor, which holds a pool of one worker process on its node. So limits, kills and
failures are those of :class:`ohr.workers.WorkerPool`. Ray only places actors and transports tasks;
it retries and restarts nothing. A task whose actor or node died goes to another actor.
"""

from __future__ import annotations

import os
import pickle
import sys
import time
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from types import TracebackType
from typing import Any, Generic, TypeVar

import psutil

from ohr.errors import MissingDependencyError, OhrError
from ohr.types import FAILED, Outcome
from ohr.workers.limits import MEMORY_SHARE, Limits, Slot
from ohr.workers.pool import WorkerPool
from ohr.workers.process import function_path, pack

R = TypeVar("R")

INSTALL = "pip install 'ohr[ray]'"
MOST_DEATHS = 3
"""A task fails after this many actors died on it."""
FRUITLESS_DEATHS = 20
"""The run fails after this many actors died in a row without finishing a task."""
WAIT_S = 1.0


class Worker:
    """The actor on a node: one worker process, as in a local pool."""

    def __init__(
        self, path: list[str], function: str, setup: bytes, limits: Limits, batches: bool
    ) -> None:
        sys.path[:] = path
        if limits.memory_mb is None:
            share = MEMORY_SHARE * psutil.virtual_memory().total / (os.cpu_count() or 1)
            limits = replace(limits, memory_mb=share / 1e6)
        self._pool = WorkerPool[Any](
            function,
            workers=1,
            setup=pickle.loads(setup),
            limits=limits,
            retry=False,
            batches=batches,
        )
        self._pool.__enter__()

    def ready(self) -> None:
        """Returns once the actor is placed."""

    def run(self, task: bytes) -> bytes:
        """The pickled outcome of a pickled task."""
        [(_, outcome)] = self._pool.run([pickle.loads(task)])
        return pack(outcome)


@dataclass
class _Actor:
    """The actor of one slot."""

    slot: int
    handle: Any
    job: tuple[int, Any] | None = None
    started: float = field(default_factory=time.monotonic)


class RayPool(Generic[R]):
    """Runs tasks as :class:`ohr.workers.WorkerPool` does, on the cluster that Ray finds.

    ``RAY_ADDRESS`` names the cluster; by default it is the one on this machine. Every node needs
    the same environment, and the same folders under the same paths. A worker takes one CPU and
    ``gpus`` of a GPU. ``retry`` and ``batches`` are a :class:`ohr.workers.WorkerPool`'s.
    """

    def __init__(
        self,
        function: Callable[..., R | Outcome[R]],
        *,
        workers: int,
        setup: Any = None,
        limits: Limits | None = None,
        gpus: float = 0.0,
        retry: bool = True,
        batches: bool = False,
    ) -> None:
        self.function = function_path(function)
        self.workers = workers
        self.limits = limits if limits is not None else Limits()
        self.retry = retry
        self.batches = batches
        self._gpus = gpus
        self._setup = pack(setup)
        self._ended = [0] * workers
        self._actors: dict[Any, _Actor] = {}
        """Actors by the reference of their next answer: that they are ready, or an outcome."""
        self._idle: list[_Actor] = []
        self._fruitless = 0
        self._connected = False

    def __enter__(self) -> RayPool[R]:
        self._ray = ray_package()
        if not self._ray.is_initialized():
            try:
                self._ray.init(address="auto", log_to_driver=False, logging_level="ERROR")
            except ConnectionError as error:
                raise OhrError(
                    "runner=ray: no Ray cluster is found: begin one with ray start --head, or name "
                    "it in RAY_ADDRESS"
                ) from error
            self._connected = True
        self._class = self._ray.remote(
            num_cpus=1, num_gpus=self._gpus, max_restarts=0, max_task_retries=0
        )(Worker)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for actor in [*self._actors.values(), *self._idle]:
            self._ray.kill(actor.handle)
        self._actors.clear()
        self._idle.clear()
        if self._connected:
            self._ray.shutdown()

    def let_go(self) -> None:
        """End the idle workers, so that the next task has its node to itself."""
        while self._idle:
            self._ray.kill(self._idle.pop().handle)

    def slots(self) -> tuple[Slot, ...]:
        """What each worker has done, and for how long it is at its task. Thread-safe."""
        now = time.monotonic()
        busy = {
            actor.slot: now - actor.started for actor in list(self._actors.values()) if actor.job
        }
        return tuple(Slot(n, tasks, busy.get(n, 0.0)) for n, tasks in enumerate(self._ended))

    def run(
        self, tasks: Iterable[Any], watch: Callable[[Outcome[R]], None] | None = None
    ) -> Iterator[tuple[int, Outcome[R]]]:
        """As :meth:`ohr.workers.WorkerPool.run`; failures are tried once more, one at a time."""
        again: list[tuple[int, Any]] = []
        for index, task, outcome in self._attempt(enumerate(tasks), self.workers):
            if watch is not None:
                watch(outcome)
            if outcome.status in FAILED and self.retry:
                again.append((index, task))
            else:
                yield index, outcome
        for entry in sorted(again, key=lambda entry: entry[0]):
            for index, _, outcome in self._attempt(iter([entry]), 1):
                yield index, outcome

    def _attempt(
        self, entries: Iterator[tuple[int, Any]], most: int
    ) -> Iterator[tuple[int, Any, Outcome[R]]]:
        """Run each task once, or more often if its actor dies."""
        given_back: deque[tuple[int, Any]] = deque()
        deaths: Counter[int] = Counter()
        more = True
        while True:
            while (given_back or more) and self._count_at_work() < most:
                if not self._idle:
                    self._begin_actors(most)
                    break
                entry = given_back.popleft() if given_back else next(entries, None)
                if entry is None:
                    more = False
                    break
                self._assign(self._idle.pop(), entry)
            if not more and not given_back and not self._count_at_work():
                return
            done, _ = self._ray.wait(list(self._actors), timeout=WAIT_S)
            for answer in done:
                actor = self._actors.pop(answer)
                job, actor.job = actor.job, None
                try:
                    value = self._ray.get(answer)
                except self._ray.exceptions.RayActorError as error:
                    self._count_death(error)
                    if job is None:
                        continue
                    deaths[job[0]] += 1
                    if deaths[job[0]] < MOST_DEATHS:
                        given_back.append(job)
                        continue
                    died = f"{MOST_DEATHS} nodes or actors died on it"
                    yield (*job, Outcome.error(died))
                    continue
                except self._ray.exceptions.RayError as error:
                    raise OhrError(f"runner=ray: {' '.join(str(error).split())[:500]}") from error
                self._idle.append(actor)
                if job is not None:
                    self._fruitless = 0
                    self._ended[actor.slot] += len(job[1]) if self.batches else 1
                    yield (*job, pickle.loads(value))

    def _count_at_work(self) -> int:
        return sum(actor.job is not None for actor in self._actors.values())

    def _assign(self, actor: _Actor, job: tuple[int, Any]) -> None:
        actor.job, actor.started = job, time.monotonic()
        self._actors[actor.handle.run.remote(pack(job[1]))] = actor

    def _begin_actors(self, most: int) -> None:
        """Request an actor for each free slot; Ray may place some of them later."""
        used = {actor.slot for actor in [*self._actors.values(), *self._idle]}
        for slot in range(self.workers):
            if slot not in used and len(used) < most:
                arguments = (sys.path, self.function, self._setup, self.limits, self.batches)
                handle = self._class.remote(*arguments)
                self._actors[handle.ready.remote()] = _Actor(slot, handle)
                used.add(slot)

    def _count_death(self, error: Exception) -> None:
        self._fruitless += 1
        if self._fruitless >= FRUITLESS_DEATHS:
            raise OhrError(
                f"runner=ray: {self._fruitless} actors died in a row: "
                f"{' '.join(str(error).split())[:500]}"
            )


def ray_package() -> Any:
    """The package ray, imported on first use. Raises MissingDependencyError."""
    try:
        import ray
    except ImportError as error:
        raise MissingDependencyError(f"runner=ray: Ray is not installed: {INSTALL}") from error
    return ray
