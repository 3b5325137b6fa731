"""The contact sheet of doubtful words: which words, their pictures, and the web page."""

from __future__ import annotations

import io
import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from ohr.adviser.layers import contact_sheet
from ohr.adviser.layers.contact_sheet import (
    OF_REFUSED,
    choose_words,
    draw_words,
    fill_sheet,
    render_sheet,
)
from tests.builders import write_page
from tests.ohr.adviser.layers.verdicts import BOX, RIGHT, checked, doubtful


def test_each_word_of_a_pdf_is_shown_once_where_it_comes_first():
    sheet = choose_words([
        checked(doubtful("a", "b", "a"), RIGHT, doubtful("c", "a")),
        checked(doubtful("a"), name="other"),
    ])  # fmt: skip
    shown = {
        name: [(word.word.text, word.page_no, word.places) for word in words]
        for name, words in sheet.words.items()
    }
    assert shown == {
        "report.pdf": [("a", 0, [0, 0, 2]), ("b", 0, [0]), ("c", 2, [2])],
        "other.pdf": [("a", 0, [0])],
    }
    assert (sheet.shown, sheet.different) == (4, 4)


def test_of_pages_that_are_refused_only_examples_are_shown():
    many = [f"w{number}" for number in range(50)]
    sheet = choose_words([checked(doubtful(*many, fault="wrong"), doubtful("x"))])
    (words,) = sheet.words.values()
    assert [word.is_usable for word in words] == [False] * OF_REFUSED + [True]
    assert sheet.different == 51


@given(
    st.lists(st.integers(min_value=0, max_value=30), max_size=12),
    st.integers(min_value=1, max_value=60),
)
def test_no_more_words_than_allowed_and_each_pdf_has_its_share(counts, most):
    pdfs = [
        checked(doubtful(*(f"w{number}" for number in range(count))), name=f"n{place}")
        for place, count in enumerate(counts)
    ]
    sheet = choose_words(pdfs, most)
    assert sheet.shown <= most
    assert sheet.different == sum(counts)
    limit = max(map(len, sheet.words.values()), default=0)
    for place, count in enumerate(counts[: len(counts) if sum(map(bool, counts)) <= most else 0]):
        assert len(sheet.words.get(f"n{place}.pdf", ())) == min(count, limit)
    if sum(counts) <= most:
        assert sheet.shown == sum(counts)


@pytest.fixture
def page(tmp_path) -> Path:
    return write_page(tmp_path / "page.pdf", "BT /F 12 Tf 40 200 Td (Hello) Tj ET")


def test_a_picture_has_the_word_in_a_frame_and_what_is_near(page):
    height, width = 260, 200
    box = (40 / width, (height - 210) / height, 70 / width, (height - 199) / height)
    shape, (data,) = draw_words(page, 0, [box])
    assert shape == pytest.approx(height / width, abs=0.01)
    pixels = np.array(Image.open(io.BytesIO(data)).convert("RGB")).astype(int)
    is_frame = (pixels[..., 0] - pixels[..., 2] > 120).nonzero()
    top, bottom = is_frame[0].min(), is_frame[0].max()
    left_edge, right = is_frame[1].min(), is_frame[1].max()
    inside = pixels[top + 4 : bottom - 3, left_edge + 4 : right - 3].sum(axis=2)
    assert (inside < 150).sum() > 50  # the word is black
    assert left_edge > 30
    assert pixels.shape[1] - right > 30
    assert top > 5


@pytest.mark.parametrize(
    "box",
    [(0.0, 0.0, 1.0, 1.0), (1.0, 1.0, 1.0, 1.0), (0.0, 0.0, 0.0, 0.0), (0.5, 0.5, 0.5, 0.5)],
)
def test_a_word_of_any_place_and_size_has_a_small_picture(page, box):
    _, (data,) = draw_words(page, 0, [box])
    picture = Image.open(io.BytesIO(data))
    assert 0 < picture.width <= 900
    assert 0 < picture.height <= 240


def test_engines_get_a_place_without_other_words(monkeypatch, page):
    """They add a quarter of the height on each side; what is left of it is a twentieth."""
    places = []
    sheet = choose_words([checked(doubtful("office"))])
    sheet.paths["report.pdf"] = page
    monkeypatch.setattr(
        contact_sheet,
        "lines_read",
        lambda lines, limits: places.extend(lines[page]) or {page: [{}]},
    )
    fill_sheet(sheet, lambda *_: None)
    [(page_no, (left_edge, top, right, bottom), text)] = places
    assert (page_no, top, bottom, text) == (0, BOX[1], BOX[3], "office")
    margin = 0.25 * (bottom - top) * 260 / 200
    assert left_edge - margin == pytest.approx(BOX[0] - margin / 5, abs=0.001)
    assert right + margin == pytest.approx(BOX[2] + margin / 5, abs=0.001)


def filled(monkeypatch, page: Path, engines: dict[str, str], *texts: str):
    """A sheet of words of a page, as these engines read all of them."""
    sheet = choose_words([checked(doubtful(*texts))])
    monkeypatch.setattr(
        contact_sheet,
        "lines_read",
        lambda lines, limits: {path: [engines for _ in of] for path, of in lines.items()},
    )
    sheet.paths["report.pdf"] = page
    fill_sheet(sheet, lambda *_: None)
    return render_sheet(sheet)


def test_output_that_differs_from_the_layer_is_marked(monkeypatch, page):
    html = filled(monkeypatch, page, {"Tesseract": "office", "RapidOCR": "oﬃce"}, "office", "xx")
    rows = html.split("<tr>")[2:]
    assert [row.count("<mark>") for row in rows] == [0, 2]
    assert html.index('<th scope="col">RapidOCR') < html.index('<th scope="col">Tesseract')


def test_without_engines_there_are_words_and_pictures(monkeypatch, page):
    html = filled(monkeypatch, page, {}, "office")
    assert "No OCR engine read the words again" in html
    assert html.count("data:image/webp;base64,") == 1
    assert "<mark>" not in html


def test_a_page_that_cannot_be_drawn_keeps_its_words(monkeypatch, tmp_path):
    torn = tmp_path / "torn.pdf"
    torn.write_text("%PDF-1.4")
    html = filled(monkeypatch, torn, {}, "office")
    assert "office" in html
    assert "the page cannot be drawn" in html


HOSTILE = "</bdi><script>alert(1)</script>\u202egnp\x1b[31m\"'&\ud800"


def test_hostile_text_is_escaped_and_the_page_loads_nothing(monkeypatch, page):
    html = filled(monkeypatch, page, {"<b>": HOSTILE}, HOSTILE)
    assert "<script" not in html
    assert "\x1b" not in html
    assert "default-src 'none'" in html
    sources = re.findall(r'(?:src|href)="([^"]*)"', html)
    assert sources
    assert all(source.startswith("data:image/webp;base64,") for source in sources)
    # A letter that reverses what follows does so only within its element.
    assert re.search(r"<bdi[^>]*>[^<]*\u202e[^<]*</bdi>", html)
    html.encode()


def test_characters_that_nobody_recognises_are_named(monkeypatch, page):
    html = filled(monkeypatch, page, {}, "\uf0b7", "it’s", "plain")
    assert html.count("U+") == 1
    assert "U+F0B7" in html


def test_without_doubtful_words_the_sheet_says_so():
    sheet = choose_words([checked(RIGHT)])
    fill_sheet(sheet, lambda *_: None)
    assert "No word is doubtful." in render_sheet(sheet)
