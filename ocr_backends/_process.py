"""Runs programs on a page or a document, and kills them when their time is up."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import IO

from ohr.errors import EngineError, MissingDependencyError

TAIL = 300
"""Characters of a program's last line that an error quotes."""
KILL_S = 5.0
WATCH_S = 0.5
"""Seconds between two looks at how much a program has written."""
MOST_BYTES = 200_000_000
"""Most bytes that a program may print: one that never stops would fill the disk before its
timeout."""


def run(
    command: Sequence[str],
    *,
    timeout_s: float,
    install: str,
    folder: Path | None = None,
    environment: Mapping[str, str] | None = None,
) -> bytes:
    """Standard output of a program, run without a shell in a process group of its own.

    The group is killed when the program ends, however it ends, so nothing that it started survives.
    Raises MissingDependencyError with ``install`` if there is no such program, EngineError if it
    fails, takes longer than ``timeout_s`` seconds or prints more than :data:`MOST_BYTES`.
    """
    # Files, not pipes: a child that keeps a pipe open would prolong the wait.
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as errors:
        try:
            process = subprocess.Popen(
                list(command),
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=errors,
                cwd=folder,
                env=None if environment is None else os.environ | environment,
                start_new_session=True,
            )
        except (FileNotFoundError, PermissionError) as error:
            raise MissingDependencyError(
                f"cannot run {command[0]!r} ({error.strerror}): {install}"
            ) from error
        try:
            status = _ended(process, timeout_s, (out, errors))
        finally:
            _kill(process)
        if _written(out, errors) > MOST_BYTES:
            raise EngineError(f"{Path(command[0]).name} printed more than {MOST_BYTES:,} bytes")
        if status is None:
            raise EngineError(f"{Path(command[0]).name} took longer than {timeout_s:g} s")
        if status:
            how = f"exit status {status}" if status > 0 else f"killed by signal {-status}"
            errors.seek(0)
            last = _last_line(errors.read())
            raise EngineError(f"{Path(command[0]).name}: {how}{': ' if last else ''}{last}")
        out.seek(0)
        return out.read()


def _ended(
    process: subprocess.Popen[bytes], timeout_s: float, files: Sequence[IO[bytes]]
) -> int | None:
    """How the program ended; None if its time is up, or it has printed too much."""
    due = time.monotonic() + timeout_s
    while (remaining := due - time.monotonic()) > 0 and _written(*files) <= MOST_BYTES:
        with contextlib.suppress(subprocess.TimeoutExpired):
            return process.wait(min(remaining, WATCH_S))
    return None


def _written(*files: IO[bytes]) -> int:
    return sum(os.fstat(file.fileno()).st_size for file in files)


def _kill(process: subprocess.Popen[bytes]) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(KILL_S)


def _last_line(data: bytes) -> str:
    lines = data.decode("utf-8", "replace").strip().splitlines()
    return lines[-1].strip()[-TAIL:] if lines else ""


@cache
def program_version(program: str, package: str, install: str) -> str:
    """``package 1.2.3`` of the environment that a Python program belongs to.

    Asks the environment's interpreter, as starting the program may load its models. Raises
    MissingDependencyError.
    """
    path = shutil.which(program)
    if path is None:
        raise MissingDependencyError(f"no program {program!r}: {install}")
    code = f"from importlib.metadata import version; print(version({package!r}))"
    try:
        output = run([_interpreter(Path(path)), "-I", "-c", code], timeout_s=60, install=install)
    except EngineError as error:
        raise MissingDependencyError(
            f"{package} is not in the environment of {path}: {install}"
        ) from error
    return f"{package} {output.decode('utf-8', 'replace').strip()}"


def _interpreter(program: Path) -> str:
    """The Python that a console script names in its first line, or the one beside it."""
    with program.open("rb") as stream:
        first = stream.readline(500).decode("utf-8", "replace").strip()
    if first.startswith("#!") and "python" in first:
        line = first[2:].strip()
        quoted = line.startswith('"')
        named, _, arguments = line[1:].partition('"') if quoted else line.partition(" ")
        if Path(named).name == "env":
            return next((argument for argument in arguments.split() if argument[0] != "-"), named)
        return named  # without arguments, such as those of python3 -sP
    return str(program.resolve().parent / "python")
