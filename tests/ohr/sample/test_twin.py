"""Twins: a page drawn from its lines has their text, in their boxes, at the size of its scan."""

from __future__ import annotations

import numpy as np
import pypdfium2
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ohr.errors import DatasetError
from ohr.sample.typesetting.faces import extent
from ohr.sample.typesetting.fonts import CHINESE, installed
from ohr.sample.typesetting.line_fit import place_lines
from ohr.sample.typesetting.twin import Sheet, twin_pdf, twins_pdf
from ohr.sample.typesetting.twin_check import layer_difference
from ohr.types import Line
from tests.examples import examples

SIZE = (600, 400)
INVOICE = (
    Line("HARBOUR STORES LTD.", (150, 20, 450, 50)),
    Line("Quay 7, Älvsborg", (180, 60, 420, 84)),
    Line("2 x rope", (40, 120, 160, 144)),
    Line("18.40", (480, 121, 560, 143)),
    Line("TOTAL", (40, 160, 130, 184)),
    Line("18.40", (480, 160, 560, 184)),
)
LETTERS = st.characters(max_codepoint=0x17F, categories=("Lu", "Ll"))
TEXTS = st.lists(st.text(LETTERS, min_size=1, max_size=8), min_size=1, max_size=4).map(" ".join)


@st.composite
def pages(draw: st.DrawFn) -> list[Line]:
    """Lines in a grid of two columns, each in a box of its own within its cell."""
    lines = []
    for row in range(draw(st.integers(1, 6))):
        for column in range(draw(st.integers(1, 2))):
            west, north = 20 + 290 * column, 10 + 64 * row
            left_air, top_air = draw(st.integers(0, 40)), draw(st.integers(0, 20))
            width, height = draw(st.integers(120, 230)), draw(st.integers(14, 38))
            box = (west + left_air, north + top_air)
            lines.append(Line(draw(TEXTS), (*box, box[0] + width, box[1] + height)))
    return lines


def opened(pdf: bytes) -> pypdfium2.PdfPage:
    return pypdfium2.PdfDocument(pdf)[0]


def ink(pdf: bytes, dpi: int = 150) -> np.ndarray:
    """Where the page is dark: bool ``(h, w)``."""
    return np.asarray(opened(pdf).render(scale=dpi / 72).to_pil().convert("L")) < 128


@pytest.mark.slow
@examples(100)
@given(pages(), st.sampled_from(["mono", "sans"]))
def test_the_text_layer_equals_the_lines(lines: list[Line], face: str) -> None:
    assert layer_difference(opened(twin_pdf(lines, SIZE, 150, face)), lines) == ""  # type: ignore[arg-type]


@examples(50)
@given(st.integers(30, 4000), st.integers(30, 4000), st.sampled_from([72, 96, 150, 200, 300, 400]))
def test_a_twin_has_the_size_of_its_scan_to_the_pixel(width: int, height: int, dpi: int) -> None:
    page = opened(twin_pdf([], (width, height), dpi))
    assert tuple(round(side * dpi / 72) for side in page.get_size()) == (width, height)
    assert tuple(int(np.ceil(side * dpi / 72)) for side in page.get_size()) == (width, height)


def test_the_same_lines_give_the_same_bytes() -> None:
    assert twin_pdf(INVOICE, SIZE, 150) == twin_pdf(INVOICE, SIZE, 150)


def test_white_space_is_collapsed_and_empty_lines_are_left_out() -> None:
    lines = [Line("two\t  words ", (10, 10, 200, 40)), Line("  ", (10, 60, 200, 90))]
    pdf = twin_pdf(lines, SIZE, 150)
    assert layer_difference(opened(pdf), lines) == ""
    assert opened(pdf).get_textpage().get_text_range().strip() == "two words"


@pytest.mark.parametrize("face", ["mono", "sans"])
def test_each_line_is_drawn_in_its_box_and_fills_it(face: str) -> None:
    dark = ink(twin_pdf(INVOICE, SIZE, 150, face))  # type: ignore[arg-type]
    outside = dark.copy()
    for line in INVOICE:
        west, north, east, south = line.box
        inside = dark[north:south, west:east]
        outside[north - 1 : south + 1, west - 1 : east + 1] = False
        columns, rows = np.flatnonzero(inside.any(axis=0)), np.flatnonzero(inside.any(axis=1))
        assert np.ptp(columns) > 0.8 * (east - west), line
        assert np.ptp(rows) > 0.5 * (south - north), line
    assert not outside.any()


def test_boxes_that_overlap_are_both_drawn_apart() -> None:
    rows = [Line("FIRST ROW", (50, 50, 300, 90)), Line("SECOND ROW", (50, 80, 300, 120))]
    dark = ink(twin_pdf(rows, SIZE, 150)).any(axis=1)
    gaps = np.flatnonzero(~dark[55:115])
    assert gaps.size >= 3  # white between the two rows
    side = [Line("NAME", (50, 50, 200, 80)), Line("PRICE", (190, 50, 340, 80))]
    assert layer_difference(opened(twin_pdf(side, SIZE, 150)), side) == ""


def test_a_box_inside_another_is_drawn_all_the_same() -> None:
    lines = [Line("OUTER LINE", (50, 50, 350, 90)), Line("in", (150, 60, 190, 80))]
    placed = place_lines(lines, SIZE, "mono")
    assert [line.text for line in placed] == ["OUTER LINE", "in"]
    assert all(line.width > 10 and line.size > 5 for line in placed)


def test_lines_of_one_print_have_one_size_though_their_boxes_differ() -> None:
    rows = ["typed with a ribbon", "by people in haste", "but boxed generously"]
    heights = [30, 34, 44]
    lines = [
        Line(text, (20, 60 * number, 20 + 10 * len(text), 60 * number + height))
        for number, (text, height) in enumerate(zip(rows, heights, strict=True))
    ]
    sizes = [line.size for line in place_lines(lines, SIZE, "mono")]
    assert max(sizes) / min(sizes) < 1.15 < max(heights) / min(heights)


def test_a_line_in_a_tall_narrow_box_runs_upwards() -> None:
    lines = [Line("along the margin", (20, 50, 44, 350)), Line("a row", (100, 50, 200, 80))]
    assert [line.turned for line in place_lines(lines, SIZE, "mono")] == [True, False]
    pdf = twin_pdf(lines, SIZE, 150)
    assert layer_difference(opened(pdf), lines) == ""
    rows, columns = np.nonzero(ink(pdf)[:, :60])
    assert np.ptp(rows) > 240
    assert min(columns) >= 20
    assert max(columns) < 44


def test_single_letters_do_not_fill_a_wide_box() -> None:
    words = [Line("some usual words", (20, 50 * row, 180, 50 * row + 24)) for row in range(4)]
    [*_, digit] = place_lines([*words, Line("5", (300, 50, 400, 74))], SIZE, "mono")
    assert digit.width < 30
    assert 330 < digit.x < 350


@pytest.mark.parametrize(
    "box", [(10, 10, 10, 40), (10, 40, 100, 40), (700, 10, 800, 40), (-50, 10, 0, 40)]
)
def test_a_box_without_area_on_the_page_is_named(box: tuple[int, int, int, int]) -> None:
    with pytest.raises(DatasetError, match="'lost line' has no area on a page of 600 x 400"):
        twin_pdf([Line("lost line", box)], SIZE, 150)


def test_a_character_that_no_font_has_is_named() -> None:
    with pytest.raises(DatasetError, match=r"'a \U00013000 b': \U00013000 \(U\+13000\)"):
        twin_pdf([Line("a \U00013000 b", (10, 10, 100, 40))], SIZE, 150)


def test_other_alphabets_are_drawn() -> None:
    lines = [
        Line("ΑΒΓ αβγ ώ", (10, 10, 200, 40)),
        Line("Привет, мир", (10, 60, 200, 90)),
        Line("e\u0301te\u0301 → ½ €", (10, 110, 200, 140)),
    ]
    assert layer_difference(opened(twin_pdf(lines, SIZE, 150)), lines) == ""


def test_chinese_is_drawn_or_the_package_is_named() -> None:
    lines = [Line("收据 12", (10, 10, 200, 40))]
    if set(CHINESE) & set(installed().families()):
        assert layer_difference(opened(twin_pdf(lines, SIZE, 150)), lines) == ""
    else:
        with pytest.raises(DatasetError, match="apt-get install fonts-noto-cjk"):
            twin_pdf(lines, SIZE, 150)


def test_pages_of_a_document_keep_their_sizes() -> None:
    sheets = [Sheet(INVOICE, SIZE), Sheet((), (300, 200)), Sheet(INVOICE[:1], (500, 700))]
    pdf = pypdfium2.PdfDocument(twins_pdf(sheets, 150))
    sizes = [tuple(round(side * 150 / 72) for side in page.get_size()) for page in pdf]
    assert sizes == [SIZE, (300, 200), (500, 700)]
    for page, sheet in zip(pdf, sheets, strict=True):
        assert layer_difference(page, sheet.lines) == ""


@pytest.mark.parametrize(
    ("lines", "difference"),
    [
        (INVOICE[:-1], "'TOTAL 18.40' for 'TOTAL'"),
        ((*INVOICE[:-1], Line("18.45", INVOICE[-1].box)), "'18.40' for '18.45'"),
        ((*INVOICE, Line("one more", (1, 1, 2, 2))), "'' for 'one more'"),
        ((*INVOICE[:2], Line("2 xrope", INVOICE[2].box), *INVOICE[3:]), "'2 x rope'"),
    ],
)
def test_a_layer_that_differs_is_shown(lines: tuple[Line, ...], difference: str) -> None:
    assert difference in layer_difference(opened(twin_pdf(INVOICE, SIZE, 150)), lines)


def test_the_extent_of_a_line_is_measured_from_its_letters() -> None:
    capital, letter, deep = (extent(text, "mono") for text in ("H", "x", "gp"))
    assert capital.top == pytest.approx(0.729, abs=0.001)
    assert letter.top < capital.top == pytest.approx(letter.band_top, abs=0.001)
    assert letter.band_bottom == 0
    assert deep.band_bottom == deep.bottom == pytest.approx(-0.21, abs=0.03)
    assert deep.advance == pytest.approx(2 * capital.advance)
    assert extent("WWW", "sans").advance > 2 * extent("iii", "sans").advance
