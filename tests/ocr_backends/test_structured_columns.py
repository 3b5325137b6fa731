"""What stands beside a table, or under it, is not taken into it."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from ocr_backends.structure.phrases import Phrase
from tests.ocr_backends.test_structured import blocks_of, phrase_at, prose, row, texts

SENTENCE = [
    "The mill of the upper valley was",
    "let to a family of carpenters and",
    "their heirs for as long as water",
    "runs under its wheel",
]


def column(left_edge: float, top: float, lines: Sequence[str]) -> list[Phrase]:
    return [phrase_at(line, left_edge, top + 34 * n) for n, line in enumerate(lines)]


def kinds(words: Sequence[Phrase]) -> list[str]:
    return [block.kind for block in blocks_of(words)]


def test_two_columns_of_a_few_lines_are_no_table() -> None:
    left_side, right = (
        SENTENCE,
        ["the rent is paid in planks and", "half of it on the day on which", "it is due"],
    )
    words = column(50, 100, left_side) + column(700, 100, right)
    assert kinds(words) == ["text", "text"]
    assert [block.text.split("\n") for block in blocks_of(words)] == [left_side, right]


def test_a_table_beside_a_column_of_text_keeps_its_rows_to_itself() -> None:
    table = [
        *row(100, "", "2020", "2021", rights=(1000, 1150)),
        phrase_at("Planks", 700, 134), phrase_at("Hinges", 700, 168),
        phrase_at("Nails of iron", 700, 202),
        *row(134, "", "12", "13", rights=(1000, 1150)),
        *row(168, "", "14", "15", rights=(1000, 1150)),
        *row(202, "", "16", "17", rights=(1000, 1150)),
    ]  # fmt: skip
    words = column(50, 100, SENTENCE) + table
    assert texts(words) == [
        [["", "2020", "2021"], ["Planks", "12", "13"], ["Hinges", "14", "15"],
         ["Nails of iron", "16", "17"]]
    ]  # fmt: skip
    [text] = [block.text for block in blocks_of(words) if block.kind == "text"]
    assert text.split("\n") == SENTENCE


@pytest.mark.parametrize("figures", [("12", "13"), ("", "13")])
def test_long_labels_of_several_lines_stay_with_their_figures(figures: tuple[str, str]) -> None:
    words = [
        *row(100, "Rent of the mill of the upper valley"),
        *row(124, "for as long as there is water in it", *figures),
        *row(164, "Rent of the forge of the lower valley"),
        *row(188, "and of the meadows that belong to it", "14", "15"),
        *row(228, "Rent of the ferry and of all of the boats"),
        *row(252, "that lie on the other side of the river", "16", "17"),
    ]
    [table] = texts(words)
    assert [line[1:] for line in table] == [list(figures), ["14", "15"], ["16", "17"]]


def test_references_beside_long_labels_are_cells_of_one_table() -> None:
    words = [
        *column(50, 100, ["Income from the hire of boats and", "from the rent of the upper mill"]),
        phrase_at("Refer to Note", 700, 100), phrase_at("137", 1000, 100),
        *column(50, 190, ["Promises to those who work at the", "ferry and to their families"]),
        phrase_at("Refer to Note", 700, 190), phrase_at("152", 1000, 190),
    ]  # fmt: skip
    assert "text" not in kinds(words)


def test_a_page_number_is_no_total() -> None:
    rows = [*row(100, "Fees", "12", "13"), *row(140, "Toll", "14", "15")]
    note = phrase_at("See the notes to these accounts", 120, 180)
    words = [*rows, note, phrase_at("40", 420, 230)]
    assert texts(words) == [[["Fees", "12", "13"], ["Toll", "14", "15"]]]
    assert texts([*rows, *row(180, "", "26")]) == [
        [["Fees", "12", "13"], ["Toll", "14", "15"], ["", "26", ""]]
    ]


def test_a_footer_is_no_row() -> None:
    rows = [*row(1440, "Fees", "12", "13"), *row(1480, "Toll", "14", "15")]
    words = [
        *prose(50, 100, 3),
        *rows,
        phrase_at("Report on the harbour", 50, 1545),
        phrase_at("7", 885, 1545),
    ]
    assert texts(words) == [[["Fees", "12", "13"], ["Toll", "14", "15"]]]
    assert kinds(words)[-1] == "furniture"


def test_contents_whose_parts_come_in_another_order_are_no_table() -> None:
    pages = [79, 80, 81, 82, 83, 84, 161, 162, 163, 3, 4, 5, 9, 12]
    words = [
        phrase
        for n, page in enumerate(pages)
        for phrase in row(100 + 40 * n, f"Section on ships {chr(97 + n)}", str(page))
    ]
    assert texts(words) == []
    shuffled = [
        phrase
        for n, amount in enumerate([79, 12, 81, 4, 83, 84, 16, 162, 9, 3, 14, 5, 9, 12])
        for phrase in row(100 + 40 * n, f"Section on ships {chr(97 + n)}", str(amount))
    ]
    assert len(texts(shuffled)) == 1
