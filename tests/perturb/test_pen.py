"""Pen: marks over the text, as large as the letters, more of them with the intensity."""

from __future__ import annotations

import numpy as np
import pytest

from perturb.image import pen
from perturb.image.pen import KINDS, Pen
from tests.perturb.letters import page_of_text

SEEDS = range(10)


def written(page: np.ndarray, intensity: float = 1.0, seed: int = 0) -> np.ndarray:
    return Pen().apply(page, intensity=intensity, rng=np.random.default_rng(seed)).value


def marked(page: np.ndarray, intensity: float, seed: int) -> np.ndarray:
    changed: np.ndarray = written(page, intensity, seed) != page
    return changed


def test_marks_only_darken() -> None:
    page = page_of_text(900, 600)
    for seed in SEEDS:
        assert (written(page, 1.0, seed) <= page).all()


def test_less_intensity_shows_some_of_the_marks_of_more() -> None:
    page = np.full((900, 600), 250, np.uint8)
    for seed in SEEDS:
        low, middle, high = (marked(page, i, seed) for i in (0.2, 0.6, 1.0))
        assert not (low & ~middle).any()
        assert not (middle & ~high).any()
    shares = [np.mean([marked(page, i, seed).mean() for seed in SEEDS]) for i in (0.2, 0.6, 1.0)]
    assert 0 < shares[0] < shares[1] < shares[2] < 0.2


def test_marks_are_spread_along_a_long_page() -> None:
    page = np.full((4000, 200), 250, np.uint8)
    rows = np.mean([marked(page, 1.0, seed).any(1) for seed in SEEDS], axis=0)
    quarters = rows.reshape(4, -1).mean(1)
    assert quarters.min() > 0.4 * quarters.max()


def test_marks_are_as_large_as_the_letters_ask_for() -> None:
    small, large = page_of_text(1200, 900, 16), page_of_text(1200, 900, 48)
    shares = [np.mean([marked(p, 1.0, seed).mean() for seed in SEEDS]) for p in (small, large)]
    assert shares[1] > 3 * shares[0]


def test_ink_has_colour_on_a_page_in_colour() -> None:
    page = np.full((900, 600, 3), 250, np.uint8)
    values = [written(page, 1.0, seed).astype(int) for seed in SEEDS]
    red = [((v[..., 0] - v[..., 2]) > 40).sum() for v in values]
    blue = [((v[..., 2] - v[..., 0]) > 40).sum() for v in values]
    assert max(red) > 20
    assert max(blue) > 20


every_kind = pytest.mark.parametrize("outline", [kind for _, kind in KINDS])


@every_kind
def test_each_kind_of_mark_is_whole_in_its_frame(outline) -> None:
    for seed in range(5):
        rng = np.random.default_rng(seed)
        cover, middle = outline(20.0, 2.0, lambda low, high, rng=rng: float(rng.uniform(low, high)))
        assert cover.dtype == np.uint8
        assert cover.max() > 150
        assert 0 <= middle[0] <= cover.shape[1]
        assert 0 <= middle[1] <= cover.shape[0]
        edge = np.concatenate([cover[0], cover[-1], cover[:, 0], cover[:, -1]])
        assert edge.max() == 0


@every_kind
def test_no_mark_needs_more_draws_than_it_has(outline) -> None:
    calls = []

    def draw_value(low: float, high: float) -> float:
        calls.append(low)
        return (low + high) / 2

    outline(20.0, 2.0, draw_value)
    # Shown, place, kind, ink, stroke and light come first, two draws for a hole after it.
    assert 7 + len(calls) + 2 <= pen.DRAWS


def test_the_shares_of_the_kinds_add_up() -> None:
    assert sum(share for share, _ in KINDS) == pytest.approx(1)
