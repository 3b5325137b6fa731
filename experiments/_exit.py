"""How a command ends: one line for an error, no result lost to output that nobody reads."""

from __future__ import annotations

import contextlib
import os
import sys
import traceback
from collections.abc import Callable, Iterator
from typing import Any, TextIO, cast

import typer

from ohr.errors import OhrError
from ohr.files.safe_text import plain

_MOST_CHARACTERS = 2000


class _Tolerant:
    """A stream whose reader may go away: that must not cost a run its results."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self.lost: OSError | None = None
        """Why what was written last did not arrive."""

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def write(self, text: str) -> int:
        with self._unread():
            self._stream.write(text)
        return len(text)

    def flush(self) -> None:
        with self._unread():
            self._stream.flush()

    @contextlib.contextmanager
    def _unread(self) -> Iterator[None]:
        """Send to nowhere what nobody reads any more."""
        try:
            yield
        except OSError as error:
            self.lost = error
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, self._stream.fileno())
            os.close(nowhere)


@contextlib.contextmanager
def _tolerant_streams() -> Iterator[None]:
    before = sys.stdout, sys.stderr
    with contextlib.ExitStack() as opened:
        there = [
            stream or opened.enter_context(_nowhere(at)) for at, stream in enumerate(before, 1)
        ]
        for stream in there:
            if hasattr(stream, "reconfigure"):
                stream.reconfigure(
                    errors="backslashreplace"
                )  # nor may a terminal without the character
        sys.stdout, sys.stderr = (cast(TextIO, _Tolerant(stream)) for stream in there)
        try:
            yield
        finally:
            sys.stdout, sys.stderr = before


def _nowhere(descriptor: int) -> TextIO:
    """A stream for one that was closed before the command began, as ``>&-`` does.

    Its descriptor leads to nowhere too, where nothing has it yet: else the next file that is opened
    would get it, and what a child process prints would end up in that file.
    """
    nowhere = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115 (the caller closes it)
    try:
        os.fstat(descriptor)
    except OSError:
        os.dup2(nowhere.fileno(), descriptor)
    if nowhere.fileno() == descriptor:  # it was the first that was free
        os.set_inheritable(descriptor, True)
    return nowhere


def exit_with(action: Callable[[], int], debug: bool) -> None:
    """Exit with the action's code; an error is one line on standard error and exit code 2."""
    with _tolerant_streams():
        code = _code(action, debug)
        sys.stdout.flush()
        lost = getattr(sys.stdout, "lost", None)
        if lost is not None and not isinstance(lost, BrokenPipeError):
            print(f"error: cannot write to standard output: {lost.strerror}", file=sys.stderr)
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
            at = traceback.extract_tb(error.__traceback__)[-1]
            said = one_line(f"{type(error).__name__}: {error}")
            print(
                f"error: {said} (at {at.filename}:{at.lineno}): a defect of the toolkit, or of a "
                "plug-in of your own; --debug prints the traceback",
                file=sys.stderr,
            )
        return 2
    except KeyboardInterrupt:
        print("interrupted; the same command goes on from here", file=sys.stderr)
        return 130


def one_line(text: str) -> str:
    """Text on one line without control characters; the middle of a long one is left out."""
    line = plain(" ".join(text.split()))
    if len(line) <= _MOST_CHARACTERS:
        return line
    half = _MOST_CHARACTERS // 2
    return f"{line[:half]} […] {line[-half:]}"
