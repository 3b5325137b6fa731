"""How commands read their arguments, and how they end when something is wrong.

An error is one line that says what, and how to mend it.
"""

from __future__ import annotations

import contextlib
import os
import sys
import traceback
from collections.abc import Callable, Iterator
from typing import Any, TextIO

import click
import typer
from typer.core import TyperCommand

from ohr.errors import OhrError


class CommandLine(typer.Typer):
    """A command whose help keeps its square brackets, and which refuses empty paths."""

    def __init__(self) -> None:
        super().__init__(
            add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None
        )

    def command(self, *args: Any, **options: Any) -> Any:
        return super().command(*args, **{"cls": _Command} | options)


class _Command(TyperCommand):
    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        for param in self.params:
            if isinstance(param.type, click.Path):
                param.type = _GivenPath(param.type)


class _GivenPath(click.ParamType):
    """A path; the empty text, which is what an unset shell variable gives, is none."""

    name = "path"

    def __init__(self, path: click.Path) -> None:
        self._path = path

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if value == "":
            self.fail("the path is empty: is a shell variable not set?", param, ctx)
        return self._path.convert(value, param, ctx)


class _Tolerant:
    """A stream whose reader may go away: that must not cost a run its results."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

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
        except BrokenPipeError:
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, self._stream.fileno())
            os.close(nowhere)


@contextlib.contextmanager
def _tolerant_streams() -> Iterator[None]:
    before = sys.stdout, sys.stderr
    for stream in before:
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")  # nor may a terminal without the character
    sys.stdout, sys.stderr = (stream and _Tolerant(stream) for stream in before)
    try:
        yield
        for stream in (sys.stdout, sys.stderr):
            if stream is not None:
                stream.flush()
    finally:
        sys.stdout, sys.stderr = before


def with_errors(action: Callable[[], int], debug: bool) -> None:
    """Exit with the action's code; an error is one line on standard error and exit code 2."""
    with _tolerant_streams():
        code = _code(action, debug)
    raise typer.Exit(code)


def _code(action: Callable[[], int], debug: bool) -> int:
    try:
        return action()
    except OhrError as error:
        if debug:
            traceback.print_exc()
        else:
            print(f"error: {' '.join(str(error).split())}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("interrupted; the same command goes on from here", file=sys.stderr)
        return 130
