"""Progress: the time left is the one that was reported."""

from __future__ import annotations

import math
import sys
import time
from io import StringIO

import pytest
from rich.console import Console

from ohr.ocr import progress as progress_module
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


@pytest.fixture
def impatient(monkeypatch):
    """Lines are due after a moment."""
    monkeypatch.setattr(progress_module, "SILENCE_S", 0.05)
    monkeypatch.setattr(progress_module, "_LOOK_S", 0.01)


def plain_lines(capsys) -> list[str]:
    return capsys.readouterr().err.splitlines()


def wait_for(capsys, text: str) -> list[str]:
    """The lines so far, once one has the text."""
    lines: list[str] = []
    for _ in range(500):
        lines += plain_lines(capsys)
        if any(text in line for line in lines):
            return lines
        time.sleep(0.01)
    raise AssertionError(f"no line has {text!r}: {lines}")


def test_what_takes_long_is_said_again(impatient, capsys):
    with Progress(Console(file=sys.stderr)) as progress:
        progress("a", 0, 4)
        wait_for(capsys, "reading with a: 0/4 pages, ")
        progress("a", 1, 4, 0.0)
        wait_for(capsys, "reading with a: 1/4 pages, 0 s left")


def test_the_time_of_a_line_is_what_is_left_or_what_has_passed():
    assert progress_module._line("a", 10.0, 30.0, 25.0) == "a, 5 s left"
    assert progress_module._line("a", 10.0, 20.0, 25.0) == "a, 0 s left"
    assert progress_module._line("a", 10.0, math.nan, 25.0) == "a, 15 s so far"


def test_nothing_is_said_again_once_it_is_done(impatient, capsys):
    with Progress(Console(file=sys.stderr)) as progress:
        progress("a", 0, 1)
        progress("a", 1, 1)
        time.sleep(0.2)
        progress.new_stage("checking", "pages")("b", 0, 4)
        lines = wait_for(capsys, "checking b: 0/4 pages, ")
    assert [line for line in lines if "1/1" in line] == ["reading with a: 1/1 pages, 0 s left"]


def test_nothing_is_said_again_of_what_ended_before_its_last_unit(impatient, capsys):
    with Progress(Console(file=sys.stderr)) as progress:
        progress("a", 0, 4)
        with progress.new_stage("checking", "pages") as stage:
            stage("b", 1, 4)
        wait_for(capsys, "reading with a: 0/4 pages, ")
        progress.stop()
        time.sleep(0.1)
        plain_lines(capsys)
        time.sleep(0.2)
        assert plain_lines(capsys) == []


def test_a_step_without_a_count_has_a_line_when_it_takes_long(impatient, capsys):
    with Progress(Console(file=sys.stderr)) as progress:
        progress("a", 0, 4)
        with progress.doing("predicting errors"):
            wait_for(capsys, "predicting errors, ")
        wait_for(capsys, "reading with a: 0/4 pages, ")


def test_after_a_count_the_step_around_it_goes_on(impatient, capsys):
    with Progress(Console(file=sys.stderr)) as progress, progress.doing("loading the dataset"):
        progress("layers", 0, 1)
        progress("layers", 1, 1)
        wait_for(capsys, "loading the dataset, ")


def test_a_brief_stage_has_no_lines_unless_it_takes_long(capsys, monkeypatch):
    with Progress(Console(file=sys.stderr)) as progress:
        brief = progress.new_stage("checking", "pages", brief=True)
        for done in range(5):
            brief("layers", done, 4)
        assert plain_lines(capsys) == []
        monkeypatch.setattr(progress_module, "SILENCE_S", 0.0)
        brief("layers", 2, 4, 3.0)
        assert "checking layers: 2/4 pages, 3 s left" in plain_lines(capsys)


def test_the_same_count_has_one_line(capsys):
    with Progress(Console(file=sys.stderr)) as progress:
        progress("a", 0, 1)
        progress("a", 0, 1)
    assert plain_lines(capsys) == ["reading with a: 0/1 pages"]


def test_a_stage_is_drawn_on_the_screen_of_the_progress_that_it_is_of():
    stream = StringIO()
    console = Console(file=stream, force_terminal=True, width=120, color_system=None)
    with Progress(console) as progress:
        progress("a", 1, 4)
        with progress.new_stage("checking", "pages") as stage:
            stage("b", 2, 4)
        progress("a", 4, 4)
    last = stream.getvalue().split("reading with a")[-1]
    assert "4/4" in last
    assert "checking b" in last


def test_the_bar_of_a_brief_stage_goes_when_it_is_done():
    stream = StringIO()
    console = Console(file=stream, force_terminal=True, width=120, color_system=None)
    with Progress(console) as progress:
        for _ in range(2):
            stage = progress.new_stage("checking", "pages", brief=True)
            stage("b", 1, 2)
            assert len(progress._screen.bar.tasks) == 1
            stage("b", 2, 2)
        assert progress._screen.bar.tasks == []
