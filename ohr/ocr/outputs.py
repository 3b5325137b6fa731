"""One engine's output of pages: what is stored, and the queue that makes the rest.

The only way from a page to its stored text, for studies and for files.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from ohr.ocr.failures import Streak, check_first, stop_if_not_the_page
from ohr.ocr.pools import Runners
from ohr.ocr.shards import Pending, Work
from ohr.ocr.sharing import Sharing
from ohr.ocr.store import StoredOutput, keep_failure, stored_output
from ohr.ocr.worker import PageReader, PageTask
from ohr.plugins import OcrBackend
from ohr.registry import PluginSpec
from ohr.store.artefacts import ArtefactStore
from ohr.store.identity import digest
from ohr.types import FAILED, Outcome
from ohr.workers import Limits


@dataclass
class EngineOutputs:
    """One engine's output of pages, each under its key."""

    engine: PluginSpec
    identity: dict[str, Any]
    store: ArtefactStore
    limits: Limits
    runners: Runners
    stop_after_failures: int = 0
    """Raise OhrError after so many pages in a row that fail for the same reason; 0: never."""
    retry: bool = False
    """Whether to try again what failed in an earlier run."""

    def stored_under(self, key: dict[str, Any]) -> StoredOutput | None:
        """The stored output of a page, or None if it has not been read."""
        return stored_output(self.store, key, self.identity)

    def is_final_under(self, key: dict[str, Any]) -> bool:
        """Whether the stored output of a page is final, so that it is not read again."""
        output = self.stored_under(key)
        return output is not None and output.is_final(self.limits, retry=self.retry)

    def page_work(
        self, count: int, name: Callable[[int], str], task: Callable[[int], PageTask]
    ) -> Work[PageTask]:
        """The pages of some tasks, by number; ``name`` decides a page's shard."""
        return Work(
            count,
            name,
            task,
            lambda task: digest(task.key),
            lambda task: self.is_final_under(task.key),
        )

    def read_pages(
        self,
        backend: OcrBackend,
        work: Work[PageTask],
        pending: Pending,
        sharing: Sharing,
        report: Callable[[], None],
        *,
        has_read: bool,
        paid: Callable[[PageTask], None] = lambda task: None,
    ) -> None:
        """Read pages and store their output; ``report`` is called as each ends.

        ``paid`` is called for each page that was read now, before another one is begun in its
        place; what it raises ends the reading.

        ``has_read``: whether the engine has read any page before, so that a failure of the first
        ones is theirs. Raises OhrError for an error that no page caused, or if too many fail for
        the same reason.
        """
        reader = PageReader(self.engine, self.identity, self.store)
        with self.runners.page_pool(reader, backend, self.limits) as pool:
            watch = partial(check_first, self.streak(has_read))
            for task, outcome in sharing.read(pool, work, pending, watch):
                self.keep(task.key, outcome)
                report()
                if outcome is not None and outcome.status not in FAILED:
                    paid(task)

    def streak(self, has_read: bool) -> Streak:
        """Counts pages in a row that fail for the same reason."""
        return Streak(self.engine.label, "pages", self.stop_after_failures, has_read)

    def keep(self, key: dict[str, Any], outcome: Outcome[None] | None) -> None:
        """Store a page's failure. Raises OhrError for an error that no page caused."""
        if outcome is not None and outcome.status in FAILED:
            stop_if_not_the_page(outcome.detail)
            keep_failure(self.store, key, outcome, self.limits)
