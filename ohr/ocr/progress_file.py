"""The progress of a process, in a small file that other processes can read.

There is one file per process in ``RUN/.progress``: ``all``, or ``shard-2-of-8``. It has times, so
it is not part of a run's results.
"""

from __future__ import annotations

import contextlib
import json
import os
import threading
import time
from collections import Counter, deque
from pathlib import Path
from typing import Any

from ohr.errors import StoreError
from ohr.ocr.failures import same_reason
from ohr.ocr.shards import Shard
from ohr.store.atomic import part_of, write_text
from ohr.store.leases import this_process
from ohr.types import FAILED, Outcome
from ohr.workers import Pool

FOLDER = ".progress"
EVERY_S = 2.0
"""Least seconds between two writes while pages end."""
WINDOW_S = 120.0
"""Seconds over which the current speed is measured."""
MOST_KINDS = 20
AT_WORK = ("planning", "reading", "stealing")
"""States of a process at work; one that has ended is ``done`` or ``stopped``."""


def read_progress(run: Path) -> dict[str, tuple[dict[str, Any], float]]:
    """The facts of each process of a run, by file name, with the age of the file in seconds.

    The age uses the clock of the file system if it is writable.
    """
    folder = run / FOLDER
    if not folder.is_dir():
        return {}
    now = time.time()
    with contextlib.suppress(StoreError), part_of(folder / "now") as part:
        now = part.stat().st_mtime
    progress = {}
    for path in sorted(folder.glob("[!.]*"), key=_number_key):
        try:
            with path.open("rb") as stream:
                facts = json.loads(stream.read())
                age = now - os.fstat(stream.fileno()).st_mtime
        except (OSError, ValueError):
            continue
        if isinstance(facts, dict):
            progress[path.name] = facts, age
    return progress


def _number_key(path: Path) -> tuple[int, str]:
    number = path.name.split("-")[1:2]
    return (int(number[0]) if number and number[0].isdigit() else 0), path.name


class ProgressFile:
    """Counts the pages of one process, and writes the counts to its file.

    Without a folder nothing is written. A file that cannot be written does not stop the work.
    """

    def __init__(self, run: Path | None = None, shard: Shard | None = None) -> None:
        name = "all" if shard is None else f"shard-{shard.index}-of-{shard.count}"
        self._folder = None if run is None else run / FOLDER
        self._name = name
        self._shard = shard
        self.to_read = self.read = self.elsewhere = 0
        """Pages to read at the start, pages read here, and pages that others read."""
        self._looked_for = 0
        self.failures: Counter[str] = Counter()
        self._details: dict[str, str] = {}
        self._pages = 0
        self._state = "planning"
        self._pool: Pool[Any] | None = None
        self._slots: Counter[int] = Counter()
        self._lock = threading.Lock()  # the thread of the heartbeats writes too
        self._started = self._written = time.monotonic()
        self._lately: deque[tuple[float, int]] = deque()

    def others(self) -> list[str]:
        """Names of the shards that have read for the same run."""
        if self._folder is None or not self._folder.is_dir():
            return []
        return sorted(path.name for path in self._folder.glob("shard-*"))

    def begin_round(self, pages: int, to_read: int) -> None:
        """Start a round over ``pages``, of which ``to_read`` are to be read.

        The first round is over the process's own pages, further ones over those of others.
        """
        if self._state == "planning":
            self._pages, self.to_read, self._state = pages, to_read, "reading"
        else:
            self._state = "stealing"
        self._looked_for += to_read
        self.write()

    def watch(self, pool: Pool[Any]) -> None:
        """Use ``pool`` for the counts per worker from now on."""
        self._keep_slots()
        self._pool = pool

    def count(self, outcome: Outcome[Any] | None) -> None:
        """Count a page that has ended; None if another process has read it."""
        with self._lock:
            if outcome is None:
                self.elsewhere += 1
            else:
                self.read += 1
                if outcome.status in FAILED:
                    reason = same_reason(outcome)
                    self._details.setdefault(reason, outcome.detail or str(outcome.status))
                    self.failures[reason] += 1
        if time.monotonic() - self._written >= EVERY_S:
            self.write()

    def end(self, state: str) -> None:
        """Write the final state: ``done`` or ``stopped``."""
        self._keep_slots()
        self._state = state
        self.write()

    def _keep_slots(self) -> None:
        for slot in self._pool.slots() if self._pool is not None else ():
            self._slots[slot.number] += slot.tasks
        self._pool = None

    def write(self) -> None:
        """Write the file now."""
        self._written = time.monotonic()
        if self._folder is not None:
            with contextlib.suppress(StoreError):
                write_text(self._folder / self._name, json.dumps(self.facts(), indent=1) + "\n")

    def facts(self) -> dict[str, Any]:
        """The content of the file."""
        with self._lock:
            return self._facts()

    def _facts(self) -> dict[str, Any]:
        now, ended = time.monotonic(), self.read + self.elsewhere
        self._lately.append((now, ended))
        while len(self._lately) > 2 and now - self._lately[0][0] > WINDOW_S:
            self._lately.popleft()
        (then, before), seconds = self._lately[0], now - self._started
        lately = (ended - before) / (now - then) if now > then else 0.0
        speed = lately or (ended / seconds if seconds else 0.0)
        remaining = max(self._looked_for - ended, 0) if self._state in AT_WORK else 0
        pool = self._pool
        slots = {slot.number: slot for slot in pool.slots()} if pool is not None else {}
        process = this_process()
        return {
            "shard": None if self._shard is None else str(self._shard),
            "state": self._state,
            "host": process["host"],
            "pid": process["pid"],
            "pages": self._pages,
            "to_read": self.to_read,
            "read": self.read,
            "read_by_others": self.elsewhere,
            "failed": sum(self.failures.values()),
            "failures": {
                self._details[reason]: count
                for reason, count in self.failures.most_common(MOST_KINDS)
            },
            "seconds": round(seconds, 1),
            "pages_a_second": round(speed, 4),
            "left": remaining,
            "left_s": round(remaining / speed, 1) if speed else None,
            "slots": [
                {
                    "pages": self._slots[number] + (slots[number].tasks if number in slots else 0),
                    "busy_s": round(slots[number].busy_s, 1) if number in slots else 0.0,
                }
                for number in sorted({*self._slots, *slots})
            ],
        }
