"""Progress as plain lines, as in a log: the first, the last, and one every few seconds."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from ohr.ocr import progress
from ohr.ocr.progress import SILENCE_S, Progress


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The time in seconds, which tests set."""
    now = [1000.0]
    monkeypatch.setattr(progress.time, "monotonic", lambda: now[0])
    return now


def lines_of(clock: list[float], capsys: pytest.CaptureFixture[str], *seconds: float) -> list[str]:
    """What is printed of one page after another, each at its second."""
    shown = Progress(Console(file=io.StringIO()))
    for done, second in enumerate(seconds):
        clock[0] = 1000.0 + second
        shown("gt", done, 100)
    return capsys.readouterr().err.splitlines()


def test_a_line_comes_when_the_last_one_is_old_enough(clock, capsys):
    late = SILENCE_S
    lines = lines_of(clock, capsys, 0, 1, late - 0.5, late, late + 1, 2 * late)
    assert lines == [
        "reading with gt: 0/100 pages",
        f"reading with gt: 3/100 pages, {late / 3 * 97:.0f} s left",
        f"reading with gt: 5/100 pages, {2 * late / 5 * 95:.0f} s left",
    ]


def test_the_last_page_always_has_its_line(clock, capsys):
    shown = Progress(Console(file=io.StringIO()))
    for done in (0, 1, 2):
        shown("gt", done, 2)
    assert capsys.readouterr().err.splitlines() == [
        "reading with gt: 0/2 pages",
        "reading with gt: 2/2 pages, 0 s left",
    ]
