"""A cover takes whole words, and doses nest."""

from __future__ import annotations

from itertools import pairwise

import cv2
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ohr.analysis.inventions.covers import Covering, hiding_order, ink_of, units_of_dose
from ohr.analysis.inventions.pages import Piece, number_lines
from ohr.analysis.inventions.variants import COVERS
from tests.ohr.inventions.drawn import draw_words, word

DOSES = (0.05, 0.2, 0.5, 1.0)


def drawn(seed: int = 1, lines: int = 6, columns: int = 5) -> tuple[np.ndarray, list[Piece]]:
    rng = np.random.default_rng(seed)
    image, boxes = draw_words([[word(rng) for _ in range(columns)] for _ in range(lines)])
    return image, number_lines([(text, (x, y, x + w, y + h)) for x, y, w, h, text in boxes])


@pytest.mark.parametrize("kind", COVERS)
@pytest.mark.parametrize("colours", [1, 3])
def test_what_a_dose_covers_a_larger_one_covers_with_the_same_pixels(kind, colours):
    image, pieces = drawn()
    image = image if colours == 1 else np.repeat(image[..., None], 3, axis=2)
    covering = Covering(image, pieces, kind, np.random.default_rng(3))
    results = [covering.cover(dose) for dose in DOSES]
    for less, more in pairwise(results):
        assert set(less.hidden) < set(more.hidden)
        assert (more.mask | ~less.mask).all()
        assert (more.image[less.mask] == less.image[less.mask]).all()
    assert (results[0].image[~results[0].mask] == image[~results[0].mask]).all()
    assert results[-1].hidden == tuple(range(len(pieces)))
    assert len(results[1].hidden) >= 0.2 * len(pieces)


@pytest.mark.parametrize("kind", COVERS)
@pytest.mark.parametrize("inset", [0, 3])
def test_no_pixel_of_a_covered_word_remains(kind, inset):
    """Also if its box is too small: the descender of a p hangs out of it."""
    texts = ["spagety", "gruppe", "pyjama", "juggle"]
    image, boxes = draw_words([texts] * 6, size=0.5)
    pieces = number_lines(
        [(text, (x + inset, y + inset, x + w - inset, y + h - inset)) for x, y, w, h, text in boxes]
    )
    blank = np.full_like(image, 255)
    for seed in range(5):
        covered = Covering(image, pieces, kind, np.random.default_rng(seed)).cover(0.4)
        for index in covered.hidden:
            x, y, _, h, text = boxes[index]
            alone = blank.copy()
            cv2.putText(alone, text, (x, y + h), cv2.FONT_HERSHEY_SIMPLEX, 0.5, 0, 1, cv2.LINE_AA)
            assert covered.mask[alone < 220].all(), text


def test_most_of_what_is_not_covered_stays_as_it_was():
    image, pieces = drawn(lines=12)
    covered = Covering(image, pieces, "white", np.random.default_rng(0)).cover(0.3)
    ink = ink_of(image)
    for index, piece in enumerate(pieces):
        left, top, right, bottom = map(int, piece.box)
        part = np.s_[top:bottom, left:right]
        if index not in covered.hidden:
            assert (covered.mask & ink)[part].sum() < 0.2 * ink[part].sum()


@given(seed=st.integers(0, 100))
def test_every_word_with_ink_is_in_one_unit_of_one_line(seed):
    _, pieces = drawn()
    ink = np.ones((400, 600), bool)
    units = hiding_order(pieces, ink, np.random.default_rng(seed))
    assert sorted(index for unit in units for index in unit) == list(range(len(pieces)))
    assert all(len({pieces[index].line for index in unit}) == 1 for unit in units)
    chosen = units_of_dose(units, [1] * len(pieces), 0.3)
    assert chosen == units[: len(chosen)]
    assert sum(map(len, chosen)) >= 9 > sum(map(len, chosen[:-1]))


def test_lines_runs_and_single_words_are_covered():
    rng = np.random.default_rng(0)
    image, pieces = drawn(lines=30, columns=8)
    sizes = {len(unit) for unit in hiding_order(pieces, ink_of(image), rng)}
    assert {1, 8} < sizes


def test_a_word_that_is_not_drawn_is_not_covered():
    image, pieces = drawn()
    image[:40] = 255
    covered = Covering(image, pieces, "grey", np.random.default_rng(0)).cover(1.0)
    assert covered.hidden
    assert all(pieces[index].box[1] > 35 for index in covered.hidden)


def test_a_page_without_paper_has_a_texture_too():
    image = np.random.default_rng(0).integers(0, 256, (60, 80), dtype=np.uint8)
    pieces = number_lines([("word", (10.0, 10.0, 40.0, 20.0))])
    covered = Covering(image, pieces, "texture", np.random.default_rng(0)).cover(1.0)
    assert covered.hidden == (0,)
    assert covered.image.dtype == np.uint8


def test_the_texture_is_that_of_the_paper():
    image, pieces = drawn()
    rng = np.random.default_rng(0)
    paper = np.clip(200 + rng.normal(0, 6, image.shape), 0, 255)
    page = np.where(image < 200, image, paper).astype(np.uint8)
    covered = Covering(page, pieces, "texture", np.random.default_rng(0)).cover(1.0)
    inside = covered.image[covered.mask]
    assert abs(inside.mean() - 200) < 4
    assert 3 < inside.std() < 9
