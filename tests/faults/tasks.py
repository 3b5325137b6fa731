"""Functions that the tests run in worker processes: good ones and bad ones."""

from __future__ import annotations

import contextlib
import ctypes
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

from ohr.errors import EngineError
from ohr.plugins import OcrBackend
from ohr.types import Outcome

SLEEPER = "import time; time.sleep(1000)"


def square(number: int) -> int:
    return number * number


def scaled(number: int, factor: int) -> int:
    return number * factor


def process_id(_: object) -> int:
    return os.getpid()


def environment(name: str) -> str | None:
    return os.environ.get(name)


def noisy(number: int) -> int:
    print("a library's banner" * 1000)
    os.system("echo from a child process")
    sys.stderr.write("a warning\n")
    return number


def big(size: int) -> bytes:
    return b"\xff" * size


def length(data: bytes) -> int:
    return len(data)


def unpicklable(_: object) -> object:
    return lambda: None


def own_outcome(detail: str) -> Outcome[str]:
    return Outcome("", detail=detail) if detail == "fine" else Outcome.error(detail)


def sleep_for(seconds: float) -> float:
    time.sleep(seconds)
    return seconds


def wait_for(path: str) -> str:
    while not Path(path).exists():
        time.sleep(0.01)
    return path


def spin() -> None:
    while True:
        pass


def spawn_sleeper(marker: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen([sys.executable, "-c", SLEEPER, marker])


def misbehave(task: str | int) -> Any:
    """Do what the task says; a number comes back as it is."""
    kind, _, argument = str(task).partition(":")
    if kind == "raise":
        raise EngineError("the page\nis upside down")
    if kind == "exit":
        sys.exit(3)
    if kind == "_exit":
        sys.stderr.write("free(): invalid pointer\n")
        sys.stderr.flush()
        os._exit(int(argument))
    if kind == "segfault":
        ctypes.string_at(0)
    if kind == "kill":
        os.kill(os.getpid(), signal.SIGKILL)
    if kind == "stop":
        os.kill(os.getpid(), signal.SIGSTOP)
    if kind == "sleep":
        time.sleep(1000)
    if kind == "spin":
        spin()
    if kind == "regex":
        re.match(r"(a+)+$", "a" * 60 + "b")
    if kind == "spinning_child":
        subprocess.run([sys.executable, "-c", "while True: pass"], check=True)
    if kind == "grandchild":
        spawn_sleeper(argument).wait()
    if kind == "runaway":
        subprocess.Popen([sys.executable, "-c", SLEEPER, argument], start_new_session=True).wait()
    if kind == "fork":
        # A copy of the worker keeps its channel open, so the channel cannot tell of the death.
        if os.fork() == 0:
            time.sleep(1000)
        os._exit(1)
    return task


def fail_first(task: str) -> str:
    """Fail as told the first time, succeed the second: ``kind:marker file``."""
    kind, _, marker = task.partition("@")
    with contextlib.suppress(FileExistsError):
        Path(marker).touch(exist_ok=False)
        misbehave(kind)
    return "second time"


def misbehave_together(tasks: list[str | int]) -> list[Outcome[Any]]:
    """What each task says, or, of those that say ``bad``, an error; with the worker's number."""
    return [
        Outcome.error("bad") if task == "bad" else Outcome((misbehave(task), len(tasks)))
        for task in tasks
    ]


def read_page(image: np.ndarray, engine: OcrBackend) -> Outcome[str]:
    [(_, outcome)] = engine.transcribe([image], [0])
    return outcome


def log_presence(task: tuple[str, str]) -> str:
    """Append start and end to a log, so that a test sees what ran at the same time."""
    name, folder = task
    log = Path(folder) / "log"
    with log.open("a") as stream:
        stream.write(f"+{name}\n")
    time.sleep(0.05)
    with log.open("a") as stream:
        stream.write(f"-{name}\n")
    if name.startswith("bad"):
        raise ValueError(name)
    return name


def hold(megabytes: int) -> int:
    """Take so much memory and keep it, as a leak does; the process that did."""
    _HELD.append(bytearray(b"x") * (megabytes * 1_000_000))
    return os.getpid()


_HELD: list[bytearray] = []
