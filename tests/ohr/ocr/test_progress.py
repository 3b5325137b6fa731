"""Progress: the time left is the one that was reported."""

from __future__ import annotations

import math
import sys
from io import StringIO

import pytest
from rich.console import Console

from ohr.ocr.progress import Progress


def drawn(left_s: float | None, done: int = 1) -> str:
    """What a terminal shows after ``done`` of 4 pages."""
    stream = StringIO()
    console = Console(file=stream, force_terminal=True, width=120, color_system=None)
    with Progress(console) as progress:
        progress("a", 0, 4, left_s)
        progress("a", done, 4, left_s)
    return stream.getvalue()


@pytest.mark.parametrize(("left_s", "shown"), [(720.4, "0:12:00"), (5.0, "0:00:05")])
def test_a_terminal_shows_the_time_that_was_reported(left_s, shown):
    assert shown in drawn(left_s)


def test_a_time_that_is_not_known_is_shown_as_such():
    assert "-:--:--" in drawn(math.nan)


def test_without_a_terminal_lines_go_to_standard_error(capsys):
    with Progress(Console(file=sys.stderr)) as progress:
        progress("a", 0, 4, 12.0)
        progress("a", 4, 4, 0.0)
    assert capsys.readouterr().err.splitlines() == [
        "reading with a: 0/4 pages, 12 s left",
        "reading with a: 4/4 pages, 0 s left",
    ]
