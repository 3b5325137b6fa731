"""Worker processes in which a hang or a crash is a counted outcome.

::

    with WorkerPool("my_package.pages:read_page", setup=engine, workers=2) as pool:
        for index, outcome in pool.run(tasks):  # read_page(task, engine) in a worker
            ...
"""

from ohr.workers.pool import Limits, Slot, WorkerPool

__all__ = ["Limits", "Slot", "WorkerPool"]
