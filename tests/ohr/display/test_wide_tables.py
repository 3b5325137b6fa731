"""Tables that are printed have at most 100 columns, where their longest words leave room for it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.table import Table

from ohr.display.terminal import NARROW, empty_table, files_line, say, show, table_text

WORDS = st.text("abcdefgh", min_size=1, max_size=12)
CELLS = st.lists(WORDS, min_size=1, max_size=6).map(" ".join)


def widest(text: str) -> int:
    return max(map(len, text.splitlines()), default=0)


def made(labels: list[list[str]], numbers: list[list[str]]) -> Table:
    table = empty_table(
        [column[0] for column in labels], [column[0] for column in numbers], title="the title"
    )
    for row in zip(*(column[1:] for column in (*labels, *numbers)), strict=True):
        table.add_row(*row)
    return table


def columns(most: int) -> st.SearchStrategy[list[list[str]]]:
    return st.lists(st.lists(CELLS, min_size=4, max_size=4), min_size=1, max_size=most)


@given(columns(3), columns(12))
def test_no_line_is_too_long_and_no_word_is_lost(
    labels: list[list[str]], numbers: list[list[str]]
) -> None:
    text = table_text(made(labels, numbers))
    assert widest(text) <= NARROW
    printed = text.split()
    for cell in (cell for column in (*labels, *numbers) for cell in column):
        assert set(cell.split()) <= set(printed)


def test_numbers_that_do_not_fit_stand_below_with_the_labels_again() -> None:
    numbers = [[f"{letter * 30}", "1.000", "2.000"] for letter in "abcd"]
    table = made([["engine", "tesseract", "rapidocr"]], numbers)
    table.caption = "what it means"
    text = table_text(table)
    assert text.count("engine") == text.count("rapidocr") == 2
    assert text.count("the title") == text.count("what it means") == 1
    first, second = text.split("\n\n")
    assert "a" * 30 in first
    assert "d" * 30 in second
    assert "d" * 30 not in first


def test_a_narrow_table_is_one() -> None:
    table = made([["engine", "tesseract"]], [["LCS", "0.9"]])
    assert len(table_text(table).strip().splitlines()) == 3


def test_words_without_room_are_cut_and_no_character_is_lost() -> None:
    table = made([["engine", "e" * 80]], [["LCS", "1" * 60], ["F1", "2"]])
    text = table_text(table)
    assert widest(text) <= NARROW
    first, second = text.split("\n\n")
    assert "1" * 60 in first
    assert "2" in second
    for words in ("a" * 230, "b" * 120 + " c"):
        text = table_text(made([["name", words], ["path", "d" * 130]], [["n", "1"]]))
        assert widest(text) <= NARROW
        assert text.count("a") >= words.count("a")
        assert text.count("b") >= words.count("b")
        assert text.count("d") >= 130


def test_a_file_has_whole_numbers_whatever_the_terminal_is(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    show(made([["engine", "tesseract"]], [[n * 20, "0.41 [0.37, 0.46]"] for n in "abcdefgh"]))
    text = capsys.readouterr().out
    assert 40 < widest(text) <= NARROW
    assert text.count("[0.37, 0.46]") == 8


def test_an_interval_and_a_share_stay_on_one_line() -> None:
    numbers = [[letter * 9, "−0.410 [−0.570, −0.260]", "0.4 % (1 %)"] for letter in "abcdefgh"]
    text = table_text(made([["engine", "tesseract", "rapidocr"]], numbers))
    assert widest(text) <= NARROW
    assert text.count("[−0.570, −0.260]") == 8
    assert text.count("0.4 %") == text.count("(1 %)") == 8


@pytest.mark.parametrize("ends", ["(−0.312 to 0.312)", "−0.1 to 1,200", "(4 % to 17 %)"])
def test_an_interval_in_words_stays_on_one_line_too(ends: str) -> None:
    numbers = [[letter * 9, f"0.410 {ends}*", f"0.410 {ends}"] for letter in "abcdefgh"]
    text = table_text(made([["engine", "tesseract", "rapidocr"]], numbers))
    assert widest(text) <= NARROW
    assert text.count(ends) == 16


def test_no_line_ends_in_spaces() -> None:
    text = table_text(made([["engine", "tesseract"]], [["LCS", "0.9"], ["F1 of answers", "1"]]))
    assert text == "\n".join(line.rstrip() for line in text.split("\n"))


@pytest.mark.parametrize("width", [60, 100, 160])
def test_a_terminal_shows_no_line_that_is_wider(
    width: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    monkeypatch.setenv("TTY_COMPATIBLE", "1")
    monkeypatch.setenv("TERM", "xterm")
    numbers = [[letter * 20, "0.410 [0.370, 0.460]"] for letter in "abcdefgh"]
    table = made([["engine", "tesseract with a long name"]], numbers)
    table.caption = "a long caption " * 20
    show(table)
    say("a long sentence " * 20)
    text = re.sub(r"\x1b\[[0-9;]*m", "", capsys.readouterr().out)  # bold headings
    assert widest(text) <= width
    assert text.count("[0.370, 0.460]") == 8
    assert widest(text[text.index("a long caption") :]) <= NARROW


def test_elsewhere_a_sentence_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    say("a long sentence " * 20)
    assert len(capsys.readouterr().out.splitlines()) == 1


def test_files_are_named_on_one_line_below_the_folder_that_all_are_in() -> None:
    files = ["figures/bars.png", "figures/bars.svg", "tables/table2.csv", "tables/table2.md"]
    line = files_line([Path("run") / name for name in files])
    assert line == "files in run: tables/table2, figures/bars"
    assert files_line([Path("run/a.csv"), Path("run/figures/x.svg")]) == (
        "files in run: a.csv, figures/x"
    )
