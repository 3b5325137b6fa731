"""Divides the pages of some work among several processes.

The digest of a page's name decides its shard, the same on every machine, in any order, and whatever
other pages there are. Successive pages of a document belong to the same shard, so that a shard need
not open the files of others. While a page is read it is leased under the digest of its key: only
one of the processes that share a cache reads it, and stored pages are not read again.
"""

from __future__ import annotations

import re
import time
from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from ohr.errors import ConfigError
from ohr.store.identity import canonical_json, digest
from ohr.store.leases import Leases
from ohr.types import Outcome, PageRef
from ohr.workers import Pool

T = TypeVar("T")
R = TypeVar("R")

PAGES_TOGETHER = 16
"""Number of successive pages of a document that belong to the same shard."""
PAUSE_S = 1.0
"""Seconds between two checks of pages that other processes are reading."""
_SHARD = re.compile(r"(\d{1,9})/(\d{1,9})")
_HEX = 15


@dataclass(frozen=True)
class Shard:
    """One of ``count`` parts of the pages, counted from 1."""

    index: int
    count: int
    steal: bool = False
    """Whether to read the pages of other shards once its own are done."""

    @classmethod
    def parse(cls, text: str, *, steal: bool = False) -> Shard:
        """The shard of a text such as ``2/8``. Raises ConfigError."""
        match = _SHARD.fullmatch(text.strip())
        index, count = (int(match[1]), int(match[2])) if match else (0, 0)
        if not 1 <= index <= count:
            raise ConfigError(f"--shard {text!r}: write it as 1/8, 2/8 and so on to 8/8")
        return cls(index, count, steal)

    def __str__(self) -> str:
        return f"{self.index}/{self.count}"

    def owns(self, name: str) -> bool:
        """Whether a page with that name belongs to the shard."""
        return int(digest(name)[:_HEX], 16) % self.count == self.index - 1


def name_of(ref: PageRef, *more: object) -> str:
    """The name that decides a page's shard; ``more`` distinguishes variants of the page."""
    return canonical_json([ref.doc_id, ref.page_no // PAGES_TOGETHER, *more])


_SHARD_OF_PROCESS: ContextVar[Shard | None] = ContextVar("shard", default=None)


def shard_of_process() -> Shard | None:
    """The shard that this process reads, or None if it reads all pages."""
    return _SHARD_OF_PROCESS.get()


@contextmanager
def use_shard(shard: Shard | None) -> Iterator[None]:
    """Let the studies inside read only the pages of that shard."""
    token = _SHARD_OF_PROCESS.set(shard)
    try:
        yield
    finally:
        _SHARD_OF_PROCESS.reset(token)


class ShardEnded(Exception):  # noqa: N818 (no error)
    """Raised when the pages of a shard are read, which is all that its process does of a study.

    Its text is a summary, in lines.
    """


def read_shards_of(studies: Iterable[Callable[[], object]]) -> None:
    """Read a shard's pages of several studies. Raises ShardEnded."""
    lines = []
    for study in studies:
        try:
            study()
        except ShardEnded as ended:
            lines += str(ended).splitlines()
    raise ShardEnded("\n".join(dict.fromkeys(lines)))


@dataclass(frozen=True)
class Pending:
    """The numbers of the pages to read, and the number of pages that were checked."""

    numbers: array[int]
    of: int

    @classmethod
    def all(cls, count: int) -> Pending:
        """All of ``count`` pages."""
        return cls(array("q", range(count)), count)

    def __len__(self) -> int:
        return len(self.numbers)

    def rotate(self, shard: Shard) -> list[int]:
        """The numbers, rotated by the shard's place, so that shards start at different pages."""
        start = len(self.numbers) * (shard.index - 1) // shard.count
        return [*self.numbers[start:], *self.numbers[:start]]


@dataclass(frozen=True)
class Work(Generic[T]):
    """Pages by their numbers, from 0. No page is kept in memory: there may be millions."""

    count: int
    name: Callable[[int], str]
    """The name that decides a page's shard."""
    task: Callable[[int], T]
    """The task that reads a page."""
    lease: Callable[[T], str]
    """The digest of a task's key, the name of its lease."""
    is_final: Callable[[T], bool]
    """Whether the stored output of a page is final, so that it need not be read."""

    def pending(self, owns: Callable[[str], bool] | None = None) -> Pending:
        """The pages to read, of those with a name that ``owns`` accepts."""
        numbers, of = array("q"), 0
        for number in range(self.count):
            if owns is None or owns(self.name(number)):
                of += 1
                if not self.is_final(self.task(number)):
                    numbers.append(number)
        return Pending(numbers, of)


def read_leased(
    pool: Pool[R],
    work: Work[T],
    numbers: Iterable[int],
    leases: Leases,
    watch: Callable[[Outcome[R]], None] | None = None,
) -> Iterator[tuple[T, Outcome[R] | None]]:
    """Read the pages that this process can lease; yields (task, outcome) as pages end.

    The outcome is None for a page that was stored in the meantime, by another process or for an
    equal page. A page's lease is released when the next outcome is requested, so that a failure
    can be stored before. Waits for pages that others are reading, and reads them if those
    processes are gone.
    """
    turn = _Turn(work, leases, list(numbers))
    while turn.numbers:
        for index, outcome in pool.run(turn.tasks(), watch):
            task = turn.tasks_in_pool.pop(index)
            yield task, outcome
            leases.release(work.lease(task))
            yield from turn.stored()
        yield from turn.stored()
        turn = _Turn(work, leases, turn.elsewhere, turn.number + 1)


def pause() -> None:
    """Wait before the next check."""
    time.sleep(PAUSE_S)


@dataclass
class _Turn(Generic[T]):
    """One pass over the pages that are left."""

    work: Work[T]
    leases: Leases
    numbers: Sequence[int]
    number: int = 0
    tasks_in_pool: dict[int, T] = field(default_factory=dict)
    """Tasks in the pool, by their place in it."""
    elsewhere: list[int] = field(default_factory=list)
    """Pages that others are reading."""
    _stored: list[T] = field(default_factory=list)

    def tasks(self) -> Iterator[T]:
        """The tasks to read now, each leased."""
        if self.number > 1:
            pause()
        for place, number in enumerate(self._leased()):
            task = self.work.task(number)
            self.tasks_in_pool[place] = task
            yield task

    def _leased(self) -> Iterator[int]:
        for number in self.numbers:
            task = self.work.task(number)
            if self.number and self.work.is_final(task):
                self._stored.append(task)
            elif not self.leases.take(self.work.lease(task)):
                self.elsewhere.append(number)
            elif self.work.is_final(task):  # another process has read it and released it
                self.leases.release(self.work.lease(task))
                self._stored.append(task)
            else:
                yield number

    def stored(self) -> Iterator[tuple[T, None]]:
        """Tasks of pages that turned out to be stored, each once."""
        while self._stored:
            yield self._stored.pop(), None
