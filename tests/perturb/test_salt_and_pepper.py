"""Salt and pepper: the hits nest, are as many as asked for, and are white or black."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from perturb.image.salt_and_pepper import (
    PAPER_FRACTION,
    SEVERE_FRACTION,
    SaltAndPepper,
    SaltAndPepperParams,
)
from tests.examples import examples


def noisy(page, intensity, seed=0, **params):
    operator = SaltAndPepper(SaltAndPepperParams(**params))
    return operator.apply(page, intensity=intensity, rng=np.random.default_rng(seed)).value


# Half of all pixels hit: sites come up twice all the time, and the first hit must win.
@examples(40)
@given(
    levels=st.tuples(st.floats(0, 1), st.floats(0, 1)).map(sorted),
    seed=st.integers(0, 2**32),
    fraction=st.sampled_from([0.01, 0.5]),
    colour=st.booleans(),
)
def test_edits_nest_in_the_intensity(levels, seed, fraction, colour):
    page = np.full((80, 70, 3) if colour else (80, 70), 128, np.uint8)
    low, high = (noisy(page, level, seed, fraction=fraction) for level in levels)
    changed = low != page
    assert np.array_equal(high[changed], low[changed])


@pytest.mark.parametrize("fraction", [0.01, 0.3])
@pytest.mark.parametrize("intensity", [0.25, 0.5, 1.0])
def test_the_share_of_pixels_hit_is_the_one_asked_for(fraction, intensity):
    page = np.full((700, 500), 128, np.uint8)
    out = noisy(page, intensity, fraction=fraction)
    share = fraction * intensity
    deviation = np.sqrt(share / page.size)
    assert abs((out != page).mean() - share) < 5 * deviation
    assert abs((out == 255).mean() - (out == 0).mean()) < 5 * deviation
    assert set(np.unique(out)) == {0, 128, 255}


def test_hits_fall_evenly_on_the_page():
    page = np.full((600, 400), 128, np.uint8)
    hit = noisy(page, 1.0, fraction=0.2) != page
    tiles = hit.reshape(6, 100, 4, 100).mean((1, 3))
    assert np.abs(tiles - 0.2).max() < 0.025
    assert hit[[0, -1]].any()
    assert hit[:, [0, -1]].any()


@pytest.mark.slow
def test_hits_fall_evenly_on_a_page_of_more_grains_than_pixels():
    page = np.full((2600, 2200), 128, np.uint8)  # of 30 dpi: 25 grains a pixel
    hit = np.abs(noisy(page, 1.0, dpi=30).astype(int) - 128)
    tiles = hit.reshape(10, 260, 10, 220).mean((1, 3))
    assert np.abs(tiles / tiles.mean() - 1).max() < 0.05


def test_grey_and_colour_pages_are_hit_alike():
    grey = np.full((100, 90), 128, np.uint8)
    colour = np.repeat(grey[..., None], 3, axis=2)
    expected = noisy(grey, 0.8)
    for channel in np.moveaxis(noisy(colour, 0.8), 2, 0):
        assert np.array_equal(channel, expected)


def test_the_paper_lies_on_the_scale():
    assert 0 < PAPER_FRACTION <= SEVERE_FRACTION


def test_the_sequence_of_sites_is_pinned():
    """A record written today must replay for ever, under any NumPy."""
    record = (
        SaltAndPepper()
        .apply(np.zeros((32, 32), np.uint8), intensity=0, rng=np.random.default_rng(0))
        .record
    )
    record |= {"intensity": 1.0, "seed": 2**53 - 1, "count": 4, "scale": 1.0}
    out = SaltAndPepper().replay(np.full((32, 32), 128, np.uint8), record)
    hits = [(int(y), int(x), int(out[y, x])) for y, x in np.argwhere(out != 128)]
    assert hits == [(5, 0, 0), (17, 6, 255), (19, 12, 255), (25, 5, 255)]


@pytest.mark.parametrize("dpi", [100, 200, 300])
def test_the_share_and_the_size_on_paper_do_not_depend_on_the_resolution(dpi):
    """A page of the same inches: as many grains, as much of it hit."""
    inches = 4
    page = np.full((inches * dpi, inches * dpi), 128, np.uint8)
    out = noisy(page, 1.0, fraction=0.05, dpi=dpi).astype(float)
    covered = np.where(out > 128, (out - 128) / 127, (128 - out) / 128).mean()
    # At 100 dpi black and white grains may share a pixel and cancel.
    assert covered == pytest.approx(0.05, rel=0.06)
    if dpi == 300:
        blocks = out.reshape(600, 2, 600, 2)
        assert (blocks == blocks[:, :1, :, :1]).all()  # each grain is two by two pixels
    if dpi == 100:
        assert len(np.unique(out)) > 3  # grains smaller than a pixel shade it
