"""Worker processes; a hang or a crash in one becomes a counted outcome.

::

    with WorkerPool("my_package.pages:read_page", setup=engine, workers=2) as pool:
        for index, outcome in pool.run(tasks):  # read_page(task, engine) in a worker
            ...
"""

from typing import TypeVar

from ohr.workers.batches import BatchedPool
from ohr.workers.limits import Limits, Slot
from ohr.workers.pool import WorkerPool
from ohr.workers.ray_pool import RayPool, ray_package

R = TypeVar("R")

Pool = WorkerPool[R] | RayPool[R] | BatchedPool[R]
"""Workers, wherever they run."""

__all__ = ["BatchedPool", "Limits", "Pool", "RayPool", "Slot", "WorkerPool", "ray_package"]
