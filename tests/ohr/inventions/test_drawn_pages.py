"""Pages without text, pages read again, and boxes of words."""

from __future__ import annotations

import json

import numpy as np
import pytest

from ohr.analysis.inventions.pages import SourcePage, boxes_file, number_lines, read_boxes
from ohr.analysis.inventions.repeats import CHANGES
from ohr.analysis.inventions.textless import KINDS
from ohr.errors import DatasetError, EngineError
from ohr.ocr.sources import PageSource
from ohr.types import PageRef
from tests.ohr.inventions.drawn import draw_words

PAGE, BOXES = draw_words([["harbour", "merchant"], ["seventy", "winters"]])


@pytest.mark.parametrize("kind", KINDS)
def test_a_page_without_text_depends_on_its_generator_alone(kind):
    shape = (120, 90)
    first, again, other = (
        KINDS[kind](shape, np.random.default_rng(seed), PAGE) for seed in (1, 1, 2)
    )
    assert first.dtype == np.uint8
    assert first.shape[:2] == shape
    assert (first == again).all()
    assert (first != other).any()


def test_what_shows_through_is_mirrored_and_faint():
    shape = (PAGE.shape[0], PAGE.shape[1])
    page = KINDS["bleed_through"](shape, np.random.default_rng(0), PAGE)
    ink = PAGE[:, ::-1] < 100
    assert page.min() > 130
    assert page[ink].mean() < page[~ink].mean() - 10
    blank = KINDS["blank"](shape, np.random.default_rng(0), PAGE)
    assert blank.std() < 3


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("colours", [1, 3])
def test_a_page_read_again_hardly_changes(change, colours):
    page = PAGE if colours == 1 else np.repeat(PAGE[..., None], 3, axis=2)
    changed = CHANGES[change](page)
    assert changed.dtype == np.uint8
    assert changed.ndim == page.ndim
    assert abs(changed.shape[0] - page.shape[0]) <= 0.03 * page.shape[0]
    assert abs(float(changed.mean()) - float(page.mean())) < 4
    if change == "moved":
        assert (changed[1:, 1:] == page[:-1, :-1]).all()


def test_words_with_a_wide_gap_are_of_two_lines():
    words = [
        ("one", (0.0, 0.0, 30.0, 10.0)),
        ("two", (35.0, 1.0, 60.0, 11.0)),
        ("column", (160.0, 0.0, 200.0, 10.0)),
        ("next", (0.0, 15.0, 30.0, 25.0)),
        (" ", (40.0, 15.0, 45.0, 25.0)),
    ]
    assert [(piece.text, piece.line) for piece in number_lines(words)] == [
        ("one", 0), ("two", 0), ("column", 1), ("next", 2),
    ]  # fmt: skip


@pytest.mark.parametrize(
    "text", ["{", "[1]", '[["a", 0, 1, 1, "w"]]', '[[NaN, 0, 1, 1, "w"]]', "7", "[[0, 0, 1, 1]]"]
)
def test_boxes_that_cannot_be_read_are_an_error_with_their_file(tmp_path, text):
    (tmp_path / "a.json").write_text(text)
    with pytest.raises(DatasetError, match=r"a\.json"):
        read_boxes(tmp_path / "a.json")


def test_boxes_are_found_by_the_name_of_the_image(tmp_path):
    (tmp_path / "deeper").mkdir()
    (tmp_path / "deeper" / "a.json").write_text(json.dumps(BOXES))
    source = PageSource(tmp_path / "a.png", "a", None, 150, None, "a.png")
    pieces = read_boxes(boxes_file(tmp_path, source))
    assert [piece.text for piece in pieces] == ["harbour", "merchant", "seventy", "winters"]
    x, y, width, height, _ = BOXES[0]
    assert pieces[0].box == (x, y, x + width, y + height)
    missing = PageSource(tmp_path / "b.png", "b", None, 150, None, "b.png")
    with pytest.raises(EngineError, match=r"no file b\.json"):
        boxes_file(tmp_path, missing)


def test_a_page_says_its_name():
    source = PageSource("x.png", "x", None, 150, None, "x.png")  # type: ignore[arg-type]
    assert SourcePage(source, PageRef("d/x", 2)).name == "d/x, page 3"
