"""Printer: dots as large as the letters ask for, broken strokes, faded ink."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ohr.plugins.perturbation import PageRecord
from perturb.image.letters import USUAL, capital_height
from perturb.image.printer import DOTS, Printer, PrinterRecord, scene_of
from tests.examples import examples
from tests.perturb.letters import page_of_text

SEEDS = range(8)


def printed(page: np.ndarray, intensity: float = 1.0, seed: int = 0) -> np.ndarray:
    return Printer().apply(page, intensity=intensity, rng=np.random.default_rng(seed)).value


def record(intensity: float, seed: int = 0) -> PrinterRecord:
    head = PageRecord(name=Printer.name, version="1", intensity=intensity, shape=(400, 300))
    return Printer().plan(head, np.random.default_rng(seed))


@pytest.mark.parametrize("size", [16, 24, 40])
def test_the_height_of_capitals_is_found(size: int) -> None:
    page = page_of_text(900, 900, size)
    assert capital_height(page, 1.0) == pytest.approx(0.73 * size, abs=2)
    assert capital_height(255 - page, 1.0) == pytest.approx(0.73 * size, abs=2)


def test_without_letters_a_usual_height_is_taken() -> None:
    assert capital_height(np.full((300, 300), 255, np.uint8), 2.0) == 2 * USUAL


def test_letters_are_found_where_only_the_top_has_some() -> None:
    page = np.full((4000, 900), 255, np.uint8)
    page[:900] = page_of_text(900, 900, 30)
    assert capital_height(page, 1.0) == pytest.approx(22, abs=2)


def ink(page: np.ndarray) -> float:
    return float(np.sum(255.0 - page))


def test_ink_is_lost_the_more_the_stronger() -> None:
    page = page_of_text()
    means = [np.mean([ink(printed(page, i, seed)) for seed in SEEDS]) for i in (0.25, 0.5, 1.0)]
    assert ink(page) > means[0] > means[1] > means[2] > 0.1 * ink(page)


def test_paper_stays_white() -> None:
    page = np.full((300, 200), 255, np.uint8)
    assert all(np.array_equal(printed(page, 1.0, seed), page) for seed in SEEDS)


def test_thin_strokes_break_before_thick_ones() -> None:
    page = np.full((300, 400), 255, np.uint8)
    page[20:280, 40:42] = 0  # two pixels
    page[20:280, 200:230] = 0
    thin, thick = [], []
    for seed in SEEDS:
        value = printed(page, 1.0, seed)
        thin.append(255 - value[20:280, 38:44].min(1))
        thick.append(255 - value[20:280, 205:225].mean(1))
    assert np.mean(thin) < np.mean(thick)


def test_colours_become_grey() -> None:
    page = np.full((300, 200, 3), 255, np.uint8)
    page[50:250, 50:150] = (200, 20, 20)
    value = printed(page, 0.6)
    assert (value == value[..., :1]).all()
    assert not (printed(page, 0.1) == printed(page, 0.1)[..., :1]).all()


def test_larger_letters_get_larger_dots() -> None:
    """Enlarging the page enlarges what the printer does, for it looks for the letters."""
    page = page_of_text(400, 400, 24)
    large = np.kron(page, np.ones((3, 3), np.uint8))
    differences = []
    for seed in SEEDS:
        small = np.kron(printed(page, 1.0, seed), np.ones((3, 3), np.uint8))
        differences.append(abs(ink(printed(large, 1.0, seed)) / ink(small) - 1))
    assert np.median(differences) < 0.15


@examples(30)
@given(low=st.floats(0.01, 1), high=st.floats(0.01, 1), seed=st.integers(0, 2**32))
def test_a_page_has_one_set_of_draws(low: float, high: float, seed: int) -> None:
    first, second = scene_of(record(low, seed)), scene_of(record(high, seed))
    assert first.dots == second.dots
    assert DOTS[0] <= first.dots <= DOTS[1]
    assert (first.band_height, first.everywhere) == (second.band_height, second.everywhere)
    assert first.patches == second.patches
    for name in ("weak", "bands", "blotches", "columns", "failed", "faded"):
        assert getattr(first, name) * high == pytest.approx(getattr(second, name) * low)


def test_weak_print_nests() -> None:
    """A little more intensity takes away almost only ink that a page without noise has."""
    page = page_of_text()
    for seed in range(4):
        low, high = printed(page, 0.5, seed), printed(page, 0.52, seed)
        changed = np.abs(low.astype(int) - high) > 60
        assert changed.mean() < 0.03
