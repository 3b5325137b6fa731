"""Which pages a process reads, where several of them share the pages of some work.

A shard's pages are those whose names' digests fall to it: the same on every machine, in every
order, and with other pages beside them. Successive pages of a document fall to the same, so that a
shard need not look into the other shards' files. A page is leased, under the digest of its key,
while it is read: of processes that share a cache one reads it, whatever their shards; what is
stored is not read again.
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
"""Successive pages of a document that fall to the same shard."""
PAUSE_S = 1.0
"""Seconds between two looks at what other processes are reading."""
_SHARD = re.compile(r"(\d{1,9})/(\d{1,9})")
_HEX = 15


@dataclass(frozen=True)
class Shard:
    """One of ``count`` parts of the pages, counted from 1."""

    index: int
    count: int
    steal: bool = False
    """Whether to read the other shards' pages too, once its own are read."""

    @classmethod
    def parse(cls, text: str, *, steal: bool = False) -> Shard:
        """``2/8``. Raises ConfigError."""
        match = _SHARD.fullmatch(text.strip())
        index, count = (int(match[1]), int(match[2])) if match else (0, 0)
        if not 1 <= index <= count:
            raise ConfigError(f"--shard {text!r}: write it as 1/8, 2/8 and so on to 8/8")
        return cls(index, count, steal)

    def __str__(self) -> str:
        return f"{self.index}/{self.count}"

    def owns(self, name: str) -> bool:
        """Whether a page of that name is the shard's."""
        return int(digest(name)[:_HEX], 16) % self.count == self.index - 1


def name_of(ref: PageRef, *more: object) -> str:
    """By which name a page falls to a shard; ``more`` tells its variants apart."""
    return canonical_json([ref.doc_id, ref.page_no // PAGES_TOGETHER, *more])


_SHARD_OF_PROCESS: ContextVar[Shard | None] = ContextVar("shard", default=None)


def shard_of_process() -> Shard | None:
    """The shard that this process reads, or None where it reads all pages."""
    return _SHARD_OF_PROCESS.get()


@contextmanager
def reading_shard(shard: Shard | None) -> Iterator[None]:
    """Have the studies inside read that shard's pages, and no others."""
    token = _SHARD_OF_PROCESS.set(shard)
    try:
        yield
    finally:
        _SHARD_OF_PROCESS.reset(token)


class ShardEnded(Exception):  # noqa: N818 (no error)
    """The pages of a shard are read, which ends what its process does of a study.

    Its text says what was read, in lines.
    """


def read_shards_of(studies: Iterable[Callable[[], object]]) -> None:
    """Read the pages of several studies, in a process that reads a shard. Raises ShardEnded."""
    said = []
    for study in studies:
        try:
            study()
        except ShardEnded as ended:
            said += str(ended).splitlines()
    raise ShardEnded("\n".join(dict.fromkeys(said)))


@dataclass(frozen=True)
class Pending:
    """Numbers of pages that are to be read, and of how many that were looked at."""

    numbers: array[int]
    of: int

    @classmethod
    def all(cls, count: int) -> Pending:
        """All of so many pages."""
        return cls(array("q", range(count)), count)

    def __len__(self) -> int:
        return len(self.numbers)

    def from_place_of(self, shard: Shard) -> list[int]:
        """The numbers from a shard's own place on, that shards that steal spread over them."""
        start = len(self.numbers) * (shard.index - 1) // shard.count
        return [*self.numbers[start:], *self.numbers[:start]]


@dataclass(frozen=True)
class Work(Generic[T]):
    """Pages by their numbers, from 0. Nothing is kept of a page: there may be millions."""

    count: int
    name: Callable[[int], str]
    """By which a page falls to a shard."""
    task: Callable[[int], T]
    """Makes the task that reads a page."""
    lease: Callable[[T], str]
    """The digest of a task's key, under which it is leased."""
    stands: Callable[[T], bool]
    """Whether what is stored of a page stands, so that it need not be read."""

    def pending(self, wanted: Callable[[str], bool] | None = None) -> Pending:
        """The pages that are to be read, of those whose names are wanted."""
        numbers, of = array("q"), 0
        for number in range(self.count):
            if wanted is None or wanted(self.name(number)):
                of += 1
                if not self.stands(self.task(number)):
                    numbers.append(number)
        return Pending(numbers, of)


def read_leased(
    pool: Pool[R],
    work: Work[T],
    numbers: Iterable[int],
    leases: Leases,
    watch: Callable[[Outcome[R]], None] | None = None,
) -> Iterator[tuple[T, Outcome[R] | None]]:
    """Read pages, each by whoever leases it first; (task, outcome), as they end.

    The outcome is None of a page that another process, or an equal page's reading, has stored
    meanwhile. A page's lease is given back when the next outcome is asked for: what is to be
    journalled of it is journalled before. Waits for pages that others are reading, and reads them
    where those others are gone.
    """
    turn = _Turn(work, leases, list(numbers))
    while turn.numbers:
        for index, outcome in pool.run(turn.tasks(), watch):
            task = turn.reading.pop(index)
            yield task, outcome
            leases.release(work.lease(task))
            yield from turn.found()
        yield from turn.found()
        turn = _Turn(work, leases, turn.elsewhere, turn.number + 1)


def pause() -> None:
    """Wait before one looks again."""
    time.sleep(PAUSE_S)


@dataclass
class _Turn(Generic[T]):
    """One time over the pages that are left."""

    work: Work[T]
    leases: Leases
    numbers: Sequence[int]
    number: int = 0
    reading: dict[int, T] = field(default_factory=dict)
    """Tasks that were given to the pool, by their place among them."""
    elsewhere: list[int] = field(default_factory=list)
    """Pages that others are reading."""
    _stored: list[T] = field(default_factory=list)

    def tasks(self) -> Iterator[T]:
        """Tasks to be read now, each leased."""
        if self.number > 1:
            pause()
        for given, number in enumerate(self._leased()):
            task = self.work.task(number)
            self.reading[given] = task
            yield task

    def _leased(self) -> Iterator[int]:
        for number in self.numbers:
            task = self.work.task(number)
            if self.number and self.work.stands(task):
                self._stored.append(task)
            elif not self.leases.take(self.work.lease(task)):
                self.elsewhere.append(number)
            elif self.work.stands(task):  # another has read it, and given the lease back
                self.leases.release(self.work.lease(task))
                self._stored.append(task)
            else:
                yield number

    def found(self) -> Iterator[tuple[T, None]]:
        """Pages that were found to be stored, each once."""
        while self._stored:
            yield self._stored.pop(), None
