"""Several questions at once, up to the number of conversations that a model can hold."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import as_completed

from ohr.models.threads import submitted
from ohr.plugins import SystemReply


def run_calls(calls: Sequence[Callable[[], SystemReply]], at_once: int) -> Iterator[SystemReply]:
    """Replies as they come. An exception of a call is raised, and pending calls are cancelled."""
    if at_once == 1:
        for call in calls:
            yield call()
        return
    futures = submitted(calls, at_once)
    try:
        for future in as_completed(futures):
            yield future.result()
    finally:
        for future in futures:
            future.cancel()
