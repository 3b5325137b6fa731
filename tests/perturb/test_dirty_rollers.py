"""Dirty rollers: streaks nest, are as many and as wide as the paper says, and translucent."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from perturb.image.dirty_rollers import (
    DARK_OPACITY,
    LIGHT_OPACITY,
    PAPER_PROBABILITY,
    SEVERE_PROBABILITY,
    DirtyRollers,
    DirtyRollersParams,
)
from tests.examples import examples

seeds = st.integers(0, 2**53 - 1)


def streaked(page, intensity=1.0, seed=0, direction="rows", **params):
    operator = DirtyRollers(DirtyRollersParams(**params))
    record = operator.apply(page, intensity=intensity, rng=np.random.default_rng(0)).record
    return operator.replay(page, record | {"direction": direction, "seed": seed})


def runs(mask):
    """Lengths of the runs of True."""
    edges = np.flatnonzero(np.diff(np.concatenate([[0], mask.astype(int), [0]])))
    return edges[1::2] - edges[::2]


@examples(40)
@given(
    levels=st.tuples(st.floats(0, 1), st.floats(0, 1)).map(sorted),
    seed=seeds,
    direction=st.sampled_from(["rows", "columns"]),
    probability=st.sampled_from([0.05, 0.5]),
    colour=st.booleans(),
)
def test_a_streak_looks_the_same_at_any_higher_intensity(
    levels, seed, direction, probability, colour
):
    page = np.full((90, 80, 3) if colour else (90, 80), 128, np.uint8)
    low, high = (
        streaked(page, level, seed, direction, probability=probability) for level in levels
    )
    changed = low != page
    assert np.array_equal(high[changed], low[changed])


@pytest.mark.parametrize("direction", ["rows", "columns"])
@pytest.mark.parametrize("intensity", [0.25, 0.5, 1.0])
def test_lines_start_a_streak_as_often_as_asked_for(direction, intensity):
    page = np.full((10_000, 32), 128, np.uint8)
    page = page if direction == "rows" else page.T
    hit = (streaked(page, intensity, 5, direction) != page).any(axis=int(direction == "rows"))
    # A line stays clean if it starts none, and the two above none that reaches it.
    p = SEVERE_PROBABILITY * intensity
    covered = 1 - (1 - p) * (1 - p * 2 / 3) * (1 - p / 3)
    assert hit.mean() == pytest.approx(covered, abs=4 * np.sqrt(3 * covered / len(hit)))


def test_streaks_are_one_to_three_pixels_wide_and_equally_often():
    page = np.full((10_000, 32), 128, np.uint8)
    widths = runs((streaked(page, 1, 5, probability=0.01) != page).any(axis=1))
    share = np.bincount(widths)[1:4] / len(widths)
    assert share == pytest.approx([1 / 3] * 3, abs=0.12)
    assert share.sum() > 0.95  # the rest are neighbours


@pytest.mark.parametrize("dpi", [75, 300, 450])
def test_streaks_have_their_number_and_width_on_paper(dpi):
    scale = dpi / 150
    page = np.full((round(3000 * scale), 32), 128, np.uint8)
    out = streaked(page, 1, 5, probability=0.01, dpi=dpi)
    at_150 = np.full((3000, 32), 128, np.uint8)
    expected = streaked(at_150, 1, 5, probability=0.01)
    darkness = [np.abs(128.0 - value).sum(axis=1) for value in (out, expected)]
    if scale > 1:
        widths = runs(darkness[0] > 0)
        assert set(widths) >= {scale, 2 * scale, 3 * scale}
    covered = [value.mean() for value in darkness]
    assert covered[0] == pytest.approx(covered[1], rel=0.1)


def test_columns_are_rows_turned():
    page = np.random.default_rng(0).integers(0, 256, (120, 150, 3), dtype=np.uint8)
    turned = np.ascontiguousarray(page.swapaxes(0, 1))
    rows, columns = streaked(page, 1, 9, "rows"), streaked(turned, 1, 9, "columns")
    assert np.array_equal(rows, columns.swapaxes(0, 1))


def test_both_directions_are_drawn():
    page = np.full((40, 40), 128, np.uint8)
    drawn = [
        DirtyRollers().apply(page, intensity=0, rng=np.random.default_rng(seed)).record["direction"]
        for seed in range(100)
    ]
    assert 30 < drawn.count("rows") < 70


@examples(20)
@given(seed=seeds, direction=st.sampled_from(["rows", "columns"]))
def test_a_smaller_page_shows_the_corner_of_a_larger_one(seed, direction):
    page = np.full((300, 260), 128, np.uint8)
    corner = streaked(page[:100, :120].copy(), 1, seed, direction)
    assert np.array_equal(streaked(page, 1, seed, direction)[:100, :120], corner)


@examples(20)
@given(seed=seeds, paper=st.sampled_from([255, 180]))
def test_print_shows_through_every_streak(seed, paper):
    page = np.full((400, 200), paper, np.uint8)
    page[:, 90:110] = 20
    out = streaked(page, 1, seed, probability=0.2).astype(int)
    # Along a streak the opacity changes slowly, so ink and the paper beside it share one.
    contrast = out[:, 80:90].mean(axis=1) - out[:, 90:100].mean(axis=1)
    strongest = max(DARK_OPACITY[1], LIGHT_OPACITY[1])
    assert contrast.min() > (paper - 20) * (1 - strongest) * 0.5
    assert np.abs(np.diff(out[:, 110:].astype(int), axis=1)).max() <= 8


def test_streaks_darken_and_lighten():
    page = np.full((2000, 40), 128, np.uint8)
    out = streaked(page, 1, 1)
    darker, lighter = (out < 128).any(axis=1).mean(), (out > 128).any(axis=1).mean()
    assert 0.25 < lighter / darker < 1.5
    out = out.astype(int)
    assert out.min() > 128 - 128 * DARK_OPACITY[1]
    assert out.max() < 128 + 128 * LIGHT_OPACITY[1]


def test_the_paper_lies_on_the_scale():
    assert 0 < PAPER_PROBABILITY <= SEVERE_PROBABILITY
    page = np.full((40, 40), 128, np.uint8)
    position = DirtyRollers.paper_intensity
    record = DirtyRollers().apply(page, intensity=position, rng=np.random.default_rng(0)).record
    assert record["probability"] == pytest.approx(PAPER_PROBABILITY)


def test_the_streaks_of_a_seed_are_pinned():
    """A record written today must replay for ever, under any NumPy."""
    page = np.full((64, 32), 128, np.uint8)
    out = streaked(page, 1, 2**53 - 1, probability=0.1)
    streaks = {int(y): int(out[y, 0]) for y in np.flatnonzero((out != page).any(axis=1))}
    assert streaks == {
        2: 178,
        4: 148,
        7: 91,
        12: 113,
        13: 118,
        14: 108,
        26: 106,
        33: 121,
        34: 112,
        35: 122,
        36: 156,
    }
