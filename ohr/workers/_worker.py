"""The loop inside a worker process: answers tasks until the pool closes the connection."""

from __future__ import annotations

import importlib
import os
import pickle
import socket
import traceback
from collections.abc import Callable
from operator import attrgetter
from typing import Any

from ohr.types import Outcome
from ohr.workers.framing import receive, send

DETAIL_CHARS = 500


def one_line(text: str) -> str:
    """Collapse white space, and cut to a length that fits a report."""
    line = " ".join(text.split())
    return line if len(line) <= DETAIL_CHARS else line[: DETAIL_CHARS - 1] + "…"


def describe(error: BaseException) -> str:
    """An exception as one line: ``Type: message``."""
    return one_line(f"{type(error).__name__}: {error}".rstrip(": "))


def load(function: str, setup: bytes) -> Callable[[Any], Any]:
    """The function ``module:name``, with the pool's set-up as second argument if there is one."""
    module, _, name = function.partition(":")
    target: Callable[..., Any] = attrgetter(name)(importlib.import_module(module))
    context = pickle.loads(setup)
    return target if context is None else lambda task: target(task, context)


def answer(call: Callable[[Any], Any], message: bytes) -> bytes:
    """Run one task; returns a pickled (outcome, traceback)."""
    prefix = ""
    try:
        value = call(pickle.loads(message))
        outcome = value if isinstance(value, Outcome) else Outcome(value)
        prefix = "result cannot be sent: "
        return pickle.dumps((outcome, ""), pickle.HIGHEST_PROTOCOL)
    except BaseException as error:  # SystemExit too: a task must not end its worker
        problem = Outcome[Any].error(one_line(prefix + describe(error)))
        return pickle.dumps((problem, traceback.format_exc()))


def main(handle: int, function: str) -> None:
    """Serve the socket ``handle``: first the pickled set-up, then tasks."""
    channel = socket.socket(fileno=handle)
    channel.set_inheritable(False)
    setup = receive(channel)
    if setup is not None:
        try:
            call = load(function, setup)
        except BaseException as error:
            send(channel, pickle.dumps(describe(error)))
            return
        send(channel, pickle.dumps(None))
        while (message := receive(channel)) is not None:
            send(channel, answer(call, message))
    os._exit(0)  # the pool is gone: exit handlers of libraries could only hang
