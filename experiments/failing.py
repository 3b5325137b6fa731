"""How a command ends when something is wrong: one line that says what, and how to mend it."""

from __future__ import annotations

import sys
import traceback
from collections.abc import Callable

import typer

from ohr.errors import OhrError


def with_errors(action: Callable[[], int], debug: bool) -> None:
    """Exit with the action's code; an error is one line on standard error and exit code 2."""
    try:
        code = action()
    except OhrError as error:
        if debug:
            traceback.print_exc()
        else:
            print(f"error: {' '.join(str(error).split())}", file=sys.stderr)
        code = 2
    except KeyboardInterrupt:
        print("interrupted; the same command goes on from here", file=sys.stderr)
        code = 130
    raise typer.Exit(code)
