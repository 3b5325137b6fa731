"""Furniture: rules, logo and bar code in blank rows alone."""

from __future__ import annotations

import numpy as np
import pytest

from perturb.image.furniture import INK, Furniture
from tests.perturb.letters import page_of_text

SEEDS = range(12)


def furnished(page: np.ndarray, intensity: float = 1.0, seed: int = 0) -> np.ndarray:
    return Furniture().apply(page, intensity=intensity, rng=np.random.default_rng(seed)).value


def spaced_page() -> np.ndarray:
    """Text, and blank rows for a logo and a bar code."""
    page = np.full((1100, 450), 255, np.uint8)
    page[200:800] = page_of_text(600, 450)
    return page


def test_rows_with_text_stay_as_they_are() -> None:
    page = spaced_page()
    rows = (page < INK).any(1)
    for seed in SEEDS:
        assert np.array_equal(furnished(page, 1.0, seed)[rows], page[rows])


def test_it_only_blackens_and_adds_with_the_intensity() -> None:
    page = spaced_page()
    added = []
    for seed in SEEDS:
        values = [furnished(page, i, seed) for i in (0.3, 0.7, 1.0)]
        assert (values[0] <= page).all()
        assert (values[1] <= values[0]).all()
        assert (values[2] <= values[1]).all()
        added.append([(value != page).sum() for value in values])
    few, more, all_of_it = np.mean(added, axis=0)
    assert 0 < few < more < all_of_it


def test_a_page_without_a_blank_row_has_none_of_it() -> None:
    page = np.full((300, 200), 255, np.uint8)
    page[::3, 20:180] = 0
    assert all(np.array_equal(furnished(page, 1.0, seed), page) for seed in SEEDS)


@pytest.mark.slow
@pytest.mark.parametrize(("part", "share"), [(slice(0, 200), 0.5), (slice(800, 1100), 0.3)])
def test_a_logo_is_above_and_a_bar_code_below(part: slice, share: float) -> None:
    page = spaced_page()
    dark = [(furnished(page, 1.0, seed)[part] < INK).sum() for seed in range(80)]
    # Rules are thin: of 450 pixels each, a few rows.
    assert np.mean(np.array(dark) > 2200) == pytest.approx(share, abs=0.15)


def test_rules_are_spread_along_a_long_page() -> None:
    page = np.full((4000, 200), 255, np.uint8)
    page[::40, 20:180] = 0
    changed = np.mean([(furnished(page, 1.0, seed) != page).any(1) for seed in SEEDS], axis=0)
    quarters = changed.reshape(4, -1).mean(1)
    assert quarters.min() > 0.5 * quarters.max()
