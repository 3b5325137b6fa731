"""Figures follow the page that shows them, and one thing has one colour."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import pandas as pd

from ohr.figures.axes import FEWEST_QUESTIONS, drawn_groups
from ohr.figures.style import figure, follow_page, save, series_numbers
from ohr.report.inline_svg import inline_svg

SVG = b'<svg xmlns="http://www.w3.org/2000/svg"><style>%s</style><path style="%s"/></svg>'
SHEET = b"*{stroke-linejoin: round; stroke-linecap: butt}"


def style(written: bytes) -> str:
    root = ElementTree.fromstring(follow_page(SVG % (SHEET, written)))
    return root[1].attrib["style"]


def test_black_and_white_are_those_of_the_page():
    assert style(b"fill: none; stroke: #000000; stroke-width: 0.8") == (
        "fill: none; stroke: currentColor; stroke-width: 0.8"
    )
    # What knows no page takes the first colour.
    assert style(b"fill: #ffffff; stroke: #0072b2") == (
        "fill: #ffffff; fill: Canvas; stroke: #0072b2"
    )
    assert style(b"stroke: #dddddd") == (
        "stroke: #dddddd; stroke: color-mix(in srgb, currentColor 13%, Canvas)"
    )


def test_a_figure_has_no_ground_and_its_words_no_colour_of_their_own(tmp_path):
    with figure(3.4, 2) as fig:
        ax = fig.subplots()
        ax.plot([0, 1], [0, 1], marker="o", markerfacecolor="white")
        ax.set_title("a title")
        png, svg = save(fig, tmp_path, "x")
    text = svg.read_text("utf-8")
    assert "color-scheme: light dark" in text
    assert "#000000;" not in text.replace("color: #000000; color: CanvasText", "")
    ground = text.partition('id="patch_1"')[2].partition("/>")[0]
    assert "fill: none" in ground
    inline = inline_svg(svg.read_bytes(), "a-", "a title")
    assert 'fill="Canvas"' in inline
    assert png.stat().st_size > 1000
    fonts = set(re.findall(r"font-family: [^;\"]*", text))
    assert fonts
    assert all(font.endswith("'DejaVu Sans', Verdana, sans-serif") for font in fonts)


def test_one_engine_has_one_colour_whatever_stands_beside_it():
    assert series_numbers(["tesseract"]) == series_numbers(["gt", "tesseract"])[1:] == [1]
    assert series_numbers(["mineru", "rapidocr", "tesseract", "gt"]) == [3, 2, 1, 0]
    assert series_numbers(["shipped:rapidocr-tiny", "shipped:tesseract"]) == [3, 1]
    assert series_numbers(["precomputed:MinerU"]) == series_numbers(["gt", "MinerU"])[1:]
    assert series_numbers(["tesseract", "shipped:tesseract"]) == [0, 1]
    assert series_numbers(["other", "mine"]) == [0, 1]
    assert series_numbers(["gt", "gt"]) == [0, 1]  # two curves of one engine


def test_groups_of_few_questions_or_documents_are_named_and_not_drawn():
    rows = [
        {"group": group, "metric": "f1", "stage": "overall", "n": n, "n_documents": documents}
        for group, n, documents in (
            ("source:text", FEWEST_QUESTIONS, 6),
            ("source:table", FEWEST_QUESTIONS - 1, 6),
            ("source:chart", 50, 5),
        )
    ]
    groups = [str(row["group"]) for row in rows]
    drawn, [note] = drawn_groups(pd.DataFrame(rows), groups)
    assert drawn == ["source:text"]
    assert note == (
        "not drawn, with fewer than 20 questions or 6 documents: table (n = 19 of 6 documents), "
        "chart (n = 50 of 5 documents)"
    )
    without = pd.DataFrame(rows).drop(columns="n_documents")
    assert drawn_groups(without, groups)[0] == ["source:text", "source:chart"]
