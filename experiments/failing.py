"""How a command ends when something is wrong: one line that says what, and how to mend it."""

from __future__ import annotations

import io
import sys
import traceback
from collections.abc import Callable

import typer

from experiments.labels import plain
from ohr.errors import OhrError

MOST_CHARACTERS = 2000


def with_errors(action: Callable[[], int], debug: bool) -> None:
    """Exit with the action's code; an error is one line on standard error and exit code 2."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # a path may hold what the terminal cannot show
            stream.reconfigure(errors="backslashreplace")
    try:
        code = action()
    except OhrError as error:
        if debug:
            traceback.print_exc()
        else:
            print(f"error: {one_line(str(error))}", file=sys.stderr)
        code = 2
    except KeyboardInterrupt:
        print("interrupted; the same command goes on from here", file=sys.stderr)
        code = 130
    raise typer.Exit(code)


def one_line(text: str) -> str:
    """Text on one line without control characters; the middle of a long one is left out."""
    line = plain(" ".join(text.split()))
    if len(line) <= MOST_CHARACTERS:
        return line
    half = MOST_CHARACTERS // 2
    return f"{line[:half]} […] {line[-half:]}"
