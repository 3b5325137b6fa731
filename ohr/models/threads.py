"""Runs calls in threads that do not delay the interpreter's exit."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from typing import TypeVar

T = TypeVar("T")


def submitted(calls: Sequence[Callable[[], T]], at_once: int) -> list[Future[T]]:
    """A future for each call, started in order; a call that has not started can be cancelled.

    A ThreadPoolExecutor would wait at exit for its threads, as long as a server does not answer.
    """
    futures: list[Future[T]] = [Future() for _ in calls]
    remaining = iter(list(zip(futures, calls, strict=True)))
    lock = threading.Lock()

    def work() -> None:
        while True:
            with lock:
                entry = next(remaining, None)
            if entry is None:
                return
            future, call = entry
            if not future.set_running_or_notify_cancel():
                continue
            try:
                future.set_result(call())
            except BaseException as error:
                future.set_exception(error)

    for _ in range(min(at_once, len(calls))):
        threading.Thread(target=work, daemon=True).start()
    return futures
