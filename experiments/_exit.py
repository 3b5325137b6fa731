"""How a command ends: an error is one line, and a closed output pipe loses no results."""

from __future__ import annotations

import contextlib
import os
import sys
import traceback
from collections.abc import Callable, Iterator
from typing import Any, TextIO, cast

import typer

from ohr.errors import OhrError
from ohr.files.keys import hide_keys
from ohr.files.safe_text import plain

_MOST_CHARACTERS = 2000


class _Tolerant:
    """A stream that accepts text even after its reader has gone, so that a run can finish."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self.error: OSError | None = None
        """Why the last text could not be written."""

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def write(self, text: str) -> int:
        with self._redirect_on_error():
            self._stream.write(text)
        return len(text)

    def flush(self) -> None:
        with self._redirect_on_error():
            self._stream.flush()

    @contextlib.contextmanager
    def _redirect_on_error(self) -> Iterator[None]:
        """After an error, send all further text to the null device."""
        try:
            yield
        except OSError as error:
            self.error = error
            null = os.open(os.devnull, os.O_WRONLY)
            os.dup2(null, self._stream.fileno())
            os.close(null)


@contextlib.contextmanager
def _tolerant_streams() -> Iterator[None]:
    before = sys.stdout, sys.stderr
    with contextlib.ExitStack() as opened:
        streams = [
            stream or opened.enter_context(_null_stream(index))
            for index, stream in enumerate(before, 1)
        ]
        for stream in streams:
            if hasattr(stream, "reconfigure"):
                # A terminal that lacks a character must not end the run either.
                stream.reconfigure(errors="backslashreplace")
        sys.stdout, sys.stderr = (cast(TextIO, _Tolerant(stream)) for stream in streams)
        try:
            yield
        finally:
            sys.stdout, sys.stderr = before


def _null_stream(descriptor: int) -> TextIO:
    """A stream to the null device, for one that was closed before the command began (``>&-``).

    A free descriptor is pointed at the null device too. Otherwise the next opened file would get
    this descriptor, and the output of child processes would end up in that file.
    """
    null = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115 (the caller closes it)
    try:
        os.fstat(descriptor)
    except OSError:
        os.dup2(null.fileno(), descriptor)
    if null.fileno() == descriptor:  # it was the first free one
        os.set_inheritable(descriptor, True)
    return null


def exit_with(action: Callable[[], int], debug: bool) -> None:
    """Exit with the action's code; an error is one line on standard error and exit code 2."""
    with _tolerant_streams():
        code = _code(action, debug)
        sys.stdout.flush()
        error = getattr(sys.stdout, "error", None)
        if error is not None and not isinstance(error, BrokenPipeError):
            print(f"error: cannot write to standard output: {error.strerror}", file=sys.stderr)
            code = code or 1
    raise typer.Exit(code)


def _code(action: Callable[[], int], debug: bool) -> int:
    try:
        return action()
    except OhrError as error:
        if debug:
            traceback.print_exc()
        else:
            print(f"error: {one_line(str(error))}", file=sys.stderr)
        return 2
    except Exception as error:  # the last barrier: a defect is one line too
        if debug:
            traceback.print_exc()
        else:
            position = traceback.extract_tb(error.__traceback__)[-1]
            message = one_line(f"{type(error).__name__}: {error}")
            print(
                f"error: {message} (at {position.filename}:{position.lineno}): a defect of the "
                "toolkit or of one of your plug-ins; --debug prints the traceback",
                file=sys.stderr,
            )
        return 2
    except KeyboardInterrupt:
        print("interrupted; the same command continues from here", file=sys.stderr)
        return 130


def one_line(text: str) -> str:
    """Text on one line without control characters; the middle of a long text is left out."""
    line = hide_keys(plain(" ".join(text.split())))
    if len(line) <= _MOST_CHARACTERS:
        return line
    half = _MOST_CHARACTERS // 2
    return f"{line[:half]} […] {line[-half:]}"
