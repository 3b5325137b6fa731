"""Tables that are printed have at most 100 columns, where their longest words leave room for it."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from rich.table import Table

from ohr.display.terminal import NARROW, empty_table, table_text

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


def test_a_column_that_has_no_room_leaves_the_table_as_it_is() -> None:
    table = made([["engine", "e" * 80]], [["LCS", "1" * 60], ["F1", "2"]])
    text = table_text(table)
    assert "e" * 80 in text
    assert "1" * 60 in text
    assert text.count("engine") == 1
