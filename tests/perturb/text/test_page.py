"""A page as the rules see it: words apart from marks, tables apart from code."""

from __future__ import annotations

from perturb.text.page import EditablePage


def test_plain_words_stand_apart_from_marks():
    page = EditablePage("- one two $x$ three four* five\n# six\nseven\\_ eight R\\&D nine")
    lines = [page.text[words.start : words.end] for area in page.body for words in area.words]
    assert lines == ["one two", "three", "five", "eight R\\&D nine"]


def test_an_unfenced_row_is_no_text():
    page = EditablePage("words before\n\nTotal & 5 & 6 \\\\\n\nwords after")
    lines = [page.text[words.start : words.end] for area in page.body for words in area.words]
    assert lines == ["words before", "words after"]


def test_a_table_in_code_is_code():
    table = "\\begin{tabular}{c}\na \\\\\n\\end{tabular}"
    assert len(EditablePage(table).tables) == 1
    assert EditablePage(f"```\n{table}\n```").tables == []
    assert EditablePage(f"```\n{table}\n```").cells == []
