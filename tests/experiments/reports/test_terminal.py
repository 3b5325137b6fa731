"""Tables as they are printed."""

from __future__ import annotations

import re

import pytest
from rich.table import Table

from ohr.display.terminal import show, terminal_table
from ohr.display.text_tables import TextTable
from ohr.statistics.numbers import number


def wide(count: int) -> Table:
    names = [f"quality_{number}" for number in range(count)]
    rows = [[f"{number}.123 [+0.{number}45, +0.{number}67]" for number in range(count)]] * 2
    return terminal_table(TextTable(names, rows, ""))


def test_no_figure_of_a_wide_table_is_cut_short_in_a_file(capsys):
    show(wide(20))
    printed = capsys.readouterr().out
    assert "…" not in printed
    for place in range(20):
        assert f"quality_{place} " in f"{printed} ".replace("\n", " ")
        assert f"+0.{place}67]" in printed


def test_no_zero_has_a_minus():
    assert [number(value) for value in (-0.0, -0.0004, -0.0006, float("nan"))] == [
        *("0.000", "0.000", "−0.001", "-"),
    ]


def test_a_table_that_fits_is_as_wide_as_before(capsys):
    show(wide(3))
    [head, row, same] = capsys.readouterr().out.splitlines()
    assert row == same
    assert "0.123 [+0.045, +0.067]" in row
    assert len(head) <= len(row) < 140


def test_no_figure_is_cut_short_on_a_terminal(capsys, monkeypatch):
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "60")
    show(wide(12))
    printed = re.sub(r"\x1b\[[\d;]*m", "", capsys.readouterr().out)
    assert "…" not in printed
    assert 50 < max(len(line) for line in printed.splitlines()) <= 60


@pytest.mark.parametrize("label", ["tesseract [psm 6]", "a [/x]", "b :warning: [red]c"])
def test_brackets_in_names_are_shown_as_they_are(label, capsys):
    table = Table(label, title=label)
    table.add_row(label)
    show(table)
    assert capsys.readouterr().out.count(label) == 3
