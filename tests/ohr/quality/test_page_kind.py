"""The kind of a page by its picture, its words and its text layer."""

from __future__ import annotations

import numpy as np
import pytest

from ohr.quality.page_kind import (
    PAGE_KINDS,
    Picture,
    line_letters,
    page_kind,
    picture_of,
)
from ohr.types import Word

HEIGHT, WIDTH = 700, 500


def drawn(noise: float, shade: float) -> np.ndarray:
    """Lines of ink on paper with noise, and with light that falls off to the right."""
    rng = np.random.default_rng(0)
    page = np.full((HEIGHT, WIDTH), 245.0)
    page *= 1 - shade * np.linspace(0, 1, WIDTH)
    for top in range(60, HEIGHT - 60, 30):
        page[top : top + 8, 60 : WIDTH - 60 : 2] *= 0.2
    page += rng.normal(0, noise, page.shape) if noise else 0
    return np.clip(page, 0, 255).astype(np.uint8)


def words_of(letters: int, lines: int = 12) -> list[Word]:
    """Lines of words of four letters, each ten pixels wide and twenty high."""
    return [
        Word("word", 0.9, (50 * place, 40 * line, 50 * place + 40, 40 * line + 20))
        for line in range(lines)
        for place in range(letters // 5)
    ]


@pytest.mark.parametrize(
    ("noise", "shade", "letters", "expected"),
    [
        (0.0, 0.0, 90, "clean"),
        (6.0, 0.05, 90, "scan"),
        (6.0, 0.5, 90, "photograph"),
        (6.0, 0.05, 35, "slip"),
        (0.0, 0.0, 35, "slip"),
        (6.0, 0.5, 35, "photograph"),
    ],
)
def test_a_kind_is_what_the_picture_and_the_words_show(noise, shade, letters, expected):
    picture = picture_of(drawn(noise, shade))
    assert page_kind(picture, line_letters(words_of(letters))) == expected
    assert expected in PAGE_KINDS


def test_a_usable_layer_settles_it_and_without_a_picture_nothing_does():
    assert page_kind(Picture(0.01, 0.9), 30, has_layer=True) == "born-digital"
    assert page_kind(None, 30) == ""


def test_colour_changes_nothing():
    grey = drawn(6.0, 0.5)
    assert picture_of(np.dstack([grey] * 3)) == picture_of(grey)


@pytest.mark.parametrize("shape", [(0, 0), (0, 9), (1, 1), (3, 40), (40, 3)])
@pytest.mark.parametrize("value", [0, 255])
def test_any_picture_has_shares(shape, value):
    picture = picture_of(np.full(shape, value, np.uint8))
    assert (picture.paper, picture.shade) == (float(np.prod(shape) > 0), 0.0)


def test_ideographs_count_as_two_letters():
    wide = [Word("漢字", 0.9, (50 * n, 0, 50 * n + 40, 20)) for n in range(8)]
    narrow = [Word("word", 0.9, word.box) for word in wide]
    assert line_letters(wide) == pytest.approx(line_letters(narrow))
    assert line_letters(wide[:3]) is None
