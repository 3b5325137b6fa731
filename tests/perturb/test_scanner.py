"""Scanner: soft, grainy, hardened, black beside the sheet; nothing moves."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ohr.plugins.perturbation import PageRecord
from perturb.image.scanner import Scanner, ScannerRecord, scene_of
from tests.examples import examples
from tests.perturb.letters import page_of_text

SEEDS = range(40)


def record(intensity: float, seed: int = 0) -> ScannerRecord:
    head = PageRecord(name=Scanner.name, version="1", intensity=intensity, shape=(400, 300))
    return Scanner().plan(head, np.random.default_rng(seed))


def scanned(page: np.ndarray, intensity: float = 1.0, seed: int = 0) -> np.ndarray:
    return Scanner().apply(page, intensity=intensity, rng=np.random.default_rng(seed)).value


def test_steep_edges_get_soft() -> None:
    page = page_of_text()
    steps = [
        np.median(
            [np.abs(np.diff(scanned(page, i, s).astype(int))).max(1).mean() for s in range(8)]
        )
        for i in (0.25, 1.0)
    ]
    assert steps[0] > 1.1 * steps[1]


def test_what_is_beside_the_sheet_is_dark_and_narrow() -> None:
    page = np.full((400, 300), 255, np.uint8)
    dark = [(scanned(page, 1.0, seed) < 100).mean() for seed in SEEDS]
    assert min(dark) < 0.001
    assert 0.005 < max(dark) < 0.25
    middles = [scanned(page, 1.0, seed)[80:320, 60:240].mean() for seed in SEEDS]
    assert min(middles) > 180


@pytest.mark.parametrize("side", range(4))
def test_every_side_and_corner_may_be_cut(side: int) -> None:
    page = np.full((400, 300), 255, np.uint8)
    turned = [np.rot90(scanned(page, 1.0, seed), side) for seed in SEEDS]
    assert any((value[0, 100:200] < 100).all() for value in turned)
    assert any((value[:6, :6] < 100).all() and value[0, 150] > 100 for value in turned)


def test_strips_lie_inside_the_page() -> None:
    for seed in SEEDS:
        for outline in scene_of(record(1.0, seed)).outlines:
            points = np.array(outline)
            assert (points >= 0).all()
            assert (points <= [300, 400]).all()


@examples(30)
@given(low=st.floats(0.01, 1), high=st.floats(0.01, 1), seed=st.integers(0, 2**32))
def test_a_page_has_one_set_of_draws(low: float, high: float, seed: int) -> None:
    first, second = scene_of(record(low, seed)), scene_of(record(high, seed))
    for name in ("softness", "mottling", "noise"):
        assert getattr(first, name) * high == pytest.approx(getattr(second, name) * low)
    assert (first.contrast - 1) * high == pytest.approx((second.contrast - 1) * low)
    assert (first.threshold, first.beside) == (second.threshold, second.beside)
    assert len(first.outlines) == len(second.outlines)


@examples(30)
@given(low=st.floats(0, 1), high=st.floats(0, 1), seed=st.integers(0, 2**32))
def test_the_specks_of_less_intensity_are_among_those_of_more(low, high, seed) -> None:
    low, high = sorted((low, high))
    few, many = (scene_of(record(i, seed)).specks for i in (low, high))
    assert {tuple(speck) for speck in few.tolist()} <= {tuple(speck) for speck in many.tolist()}


def test_one_page_in_eight_is_nearly_black_and_white() -> None:
    contrasts = [scene_of(record(1.0, seed)).contrast for seed in range(400)]
    assert np.mean(np.array(contrasts) > 1.9) == pytest.approx(0.125, abs=0.05)


def test_strips_of_rows_leave_no_seam() -> None:
    page = np.full((600, 300), 200, np.uint8)
    value = scanned(page, 1.0, seed=3).astype(int)
    steps = np.abs(np.diff(value[:, 40:260], axis=0)).mean(axis=1)
    assert steps[60:68].max() < 2 * np.median(steps) + 3
