"""Several questions under way at once, as many as a model can hold conversations."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import as_completed

from ohr.models.threads import submitted
from ohr.plugins import SystemReply


def replies(asks: Sequence[Callable[[], SystemReply]], at_once: int) -> Iterator[SystemReply]:
    """Replies as they come. What one raises is raised, and those not yet asked are not asked."""
    if at_once == 1:
        for ask in asks:
            yield ask()
        return
    futures = submitted(asks, at_once)
    try:
        for future in as_completed(futures):
            yield future.result()
    finally:
        for future in futures:
            future.cancel()
