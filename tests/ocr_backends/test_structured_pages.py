"""Drawn pages through the whole engine: words, tables, formats, odd images."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import matplotlib
import numpy as np
import pytest
from PIL import Image, ImageDraw, ImageFont

from ocr_backends.structured import Structured, StructuredParams
from ohr.markup.page import read_page
from ohr.types import Status
from tests.ocr_backends.test_structured import needs_model


def font(size: int) -> ImageFont.FreeTypeFont:
    path = Path(matplotlib.get_data_path()) / "fonts" / "ttf" / "DejaVuSans.ttf"
    return ImageFont.truetype(str(path), size)


ROWS = [("Fees", "1,204", "873"), ("Toll", "310", "95"), ("Hire", "18", "6,021")]


def drawn(*, ruled: bool = False) -> np.ndarray:
    """A page, grey: a heading, a paragraph, a table, a last line."""
    image = Image.new("L", (900, 640), 255)
    pen = ImageDraw.Draw(image)
    pen.text((60, 40), "The harbour", font=font(44), fill=0)
    for n, line in enumerate(
        ["The tides were high in the year that", "has passed, said the pilots."]
    ):
        pen.text((60, 130 + 40 * n), line, font=font(26), fill=0)
    for n, (label, *figures) in enumerate([("", "2020", "2021"), *ROWS]):
        top = 260 + 50 * n
        pen.text((60, top), label, font=font(26), fill=0)
        for right, figure in zip((560, 780), figures, strict=True):
            pen.text((right, top), figure, font=font(26), fill=0, anchor="ra")
        if ruled:
            pen.line((50, top + 40, 800, top + 40), fill=0, width=2)
    pen.text((60, 540), "No ship was lost on the way.", font=font(26), fill=0)
    return np.asarray(image)


def outcome_of(page: np.ndarray, **params: object) -> tuple[Status, str]:
    engine = Structured(StructuredParams.model_validate(params))
    [(_, outcome)] = engine.transcribe([page], [0])
    return outcome.status, outcome.value or ""


@pytest.mark.slow
@pytest.mark.parametrize("ruled", [False, True])
@pytest.mark.parametrize("tables", ["lines", pytest.param("model", marks=needs_model)])
def test_a_page_is_read_with_its_table(tables: str, ruled: bool) -> None:
    status, text = outcome_of(drawn(ruled=ruled), tables=tables)
    assert status is Status.OK
    assert re.match(r"##? The harbour\n\nThe tides", text)
    assert text.endswith("No ship was lost on the way.")
    [table] = read_page(text).tables
    cells = [cell.content for cell in table.cells if cell.content]
    expected = ["2020", "2021", *(text for row in ROWS for text in row)]
    if tables == "lines":
        assert cells == expected
    else:  # the model joins cells of so small a table
        assert sorted(" ".join(cells).split()) == sorted(expected)


@pytest.mark.slow
@pytest.mark.parametrize("form", ["latex", "html", "markdown"])
def test_tables_have_the_format_asked_for(form: str) -> None:
    _, text = outcome_of(drawn(), tables_as=form)
    assert [table.format for table in read_page(text).tables] == [form]


@pytest.mark.slow
def test_odd_pages_are_outcomes() -> None:
    word = np.full((300, 400, 3), 255, np.uint8)
    word[100:200, 50:350] = drawn()[35:135, 50:350, None]
    for page, status in (
        (np.full((400, 300), 255, np.uint8), Status.EMPTY),
        (np.zeros((1, 1), np.uint8), Status.EMPTY),
        (np.zeros((9, 9, 4), np.uint8), Status.ERROR),
        (word, Status.OK),
    ):
        assert outcome_of(page)[0] is status


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("tesseract") is None, reason="no tesseract")
@pytest.mark.parametrize("tables", ["lines", pytest.param("model", marks=needs_model)])
def test_a_very_tall_page_is_read(tables: str) -> None:
    page = np.full((30_000, 900), 255, np.uint8)
    page[:640] = drawn()
    status, text = outcome_of(page, words="tesseract", tables=tables)
    assert status is Status.OK
    assert "harbour" in text
