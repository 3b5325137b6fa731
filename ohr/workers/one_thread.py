"""Holds programs with OpenMP, such as Tesseract, to one thread."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager

_lock = threading.Lock()
_users = 0
_before: str | None = None


@contextmanager
def one_thread() -> Iterator[None]:
    """Hold Tesseract to one thread: four cost it four times the time of one.

    pytesseract passes our environment on, and a limit left in it would slow down every other
    library of this process that reads it (torch, for example).
    """
    global _users, _before
    with _lock:
        if _users == 0:
            _before = os.environ.get("OMP_THREAD_LIMIT")
            os.environ["OMP_THREAD_LIMIT"] = "1"
        _users += 1
    try:
        yield
    finally:
        with _lock:
            _users -= 1
            if _users == 0:
                del os.environ["OMP_THREAD_LIMIT"]
                if _before is not None:
                    os.environ["OMP_THREAD_LIMIT"] = _before
