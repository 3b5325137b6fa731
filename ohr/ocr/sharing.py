"""Reads the pages of some work while other processes read pages of the same work."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

from ohr.files.safe_text import plain
from ohr.ocr.progress_file import ProgressFile
from ohr.ocr.shards import Pending, Shard, Work, read_leased
from ohr.store.leases import Leases
from ohr.types import Outcome, PageRef
from ohr.workers import Pool

T = TypeVar("T")
R = TypeVar("R")

LEASES = "leases"
"""Folder of a cache."""
_NAMED = 5


class Sharing:
    """One process's share of some work: its shard, or all pages, leased one by one.

    ``folder`` is the cache, which the processes share; ``run`` has their progress files.
    """

    def __init__(self, folder: Path, run: Path | None = None, shard: Shard | None = None) -> None:
        self.shard = shard
        self.file = ProgressFile(run, shard)
        self._leases = Leases(folder / LEASES, self.file.write)

    def rounds(self) -> Iterator[Callable[[str], bool] | None]:
        """For each round, a function that accepts the names of its pages; None means all pages."""
        shard = self.shard
        if shard is None:
            yield None
            return
        yield shard.owns
        if shard.steal:
            yield lambda name: not shard.owns(name)

    @contextmanager
    def hold(self, pending: Iterable[Pending]) -> Iterator[None]:
        """Hold leases, and keep the progress file, for a round over these pages."""
        pending = list(pending)
        self.file.begin_round(sum(part.of for part in pending), sum(len(part) for part in pending))
        try:
            if any(pending):
                with self._leases:
                    yield
            else:
                yield
        except BaseException:
            self.file.end("stopped")
            raise
        self.file.end("done")

    def read(
        self,
        pool: Pool[R],
        work: Work[T],
        pending: Pending,
        watch: Callable[[Outcome[R]], None] | None = None,
        *,
        counted: bool = True,
    ) -> Iterator[tuple[T, Outcome[R] | None]]:
        """:func:`ohr.ocr.shards.read_leased`; counts each task as one page if ``counted``."""
        self.file.watch(pool)
        numbers = pending.numbers if self.shard is None else pending.rotate(self.shard)
        for task, outcome in read_leased(pool, work, numbers, self._leases, watch):
            yield task, outcome
            if counted:
                self.file.count(outcome)

    def unread(self, pages: Iterable[PageRef], count: int) -> list[str]:
        """A line about the pages that no shard has read, before they are read."""
        shards = self.file.others()
        if self.shard is not None or not shards or not count:
            return []
        listed = ", ".join(
            f"{plain(ref.doc_id)} page {ref.page_no + 1}"
            for ref, _ in zip(pages, range(_NAMED), strict=False)
        )
        more = f" and {count - _NAMED} more" if count > _NAMED else ""
        return [f"{count} pages that none of {len(shards)} shards has read: {listed}{more}"]

    def summary(self) -> list[str]:
        """The lines that a shard prints at its end."""
        file = self.file
        rest = f", {file.elsewhere} by others" if file.elsewhere else ""
        lines = [f"shard {self.shard}: {file.read} pages read now{rest}"]
        facts: dict[str, Any] = file.facts()
        lines += [f"failed: {plain(why)} ({count})" for why, count in facts["failures"].items()]
        return [*lines, "run the same command without --shard to finish the study"]
