"""Curves are named at their right ends where the names fit, else in a legend."""

from __future__ import annotations

from itertools import combinations, pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.figure import Figure
from matplotlib.text import Text

from ohr.figures.ends import MOST, name_curves, spread
from ohr.figures.style import figure

NAMES = ("alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta")


def drawn(names: tuple[str, ...], *, columns: int = 2, missing: str = "") -> Figure:
    """Curves that end close together; ``missing`` is not in the last panel."""
    with figure(6.9, 4.0) as fig:
        axes = fig.subplots(2, columns, squeeze=False)
        for ax in axes.flat:
            for number, name in enumerate(names):
                if name != missing or ax not in axes[:, -1]:
                    ax.plot([0, 1], [1, 0.5 + 0.01 * number], color=f"C{number}", label=name)
        name_curves(fig, axes)
    fig.draw_without_rendering()
    return fig


def test_names_are_at_the_ends_of_each_row_in_the_colours_of_the_curves():
    fig = drawn(NAMES[:4])
    assert not fig.legends
    first, last = fig.axes[0], fig.axes[1]
    assert not first.texts
    assert [text.get_text() for text in last.texts] == list(NAMES[:4])
    assert [text.get_color() for text in last.texts] == [f"C{number}" for number in range(4)]
    boxes = [Text.get_window_extent(text) for text in last.texts]  # without the lines to ends
    for box in boxes:
        assert box.x0 > last.bbox.x1
        assert box.x1 <= fig.bbox.x1
    heights = [text.get_position()[1] for text in last.texts]
    assert heights == sorted(heights)
    assert not any(
        abs(one - other) * last.bbox.height < 7 * fig.dpi / 72
        for one, other in combinations(heights, 2)
    )


@pytest.mark.parametrize(
    ("names", "columns", "missing"),
    [
        (NAMES, 2, ""),
        (("a name that is far too long for its place", "beta"), 2, ""),
        (NAMES[:3], 2, "beta"),
        (NAMES[:3], 14, ""),
    ],
    ids=["too many", "too long", "not in the last panel", "narrow panels"],
)
def test_names_that_do_not_fit_are_in_a_legend(names, columns, missing):
    fig = drawn(names, columns=columns, missing=missing)
    [legend] = fig.legends
    assert [text.get_text() for text in legend.get_texts()] == list(names)
    assert not any(ax.texts for ax in fig.axes)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=MOST), st.floats(0.01, 1 / MOST))
def test_names_are_apart_inside_the_panel_and_in_order(places, least):
    moved = spread(sorted(places), least)
    assert all(after - before >= least - 1e-9 for before, after in pairwise(moved))
    assert moved[0] >= least / 2 - 1e-9
    assert moved[-1] <= 1 - least / 2 + 1e-9
    assert np.allclose(spread(moved, least), moved)


def test_names_that_are_far_apart_stay_where_their_curves_end():
    assert spread([0.2, 0.5, 0.8], 0.1) == pytest.approx([0.2, 0.5, 0.8])
    assert spread([0.5, 0.5], 0.2) == pytest.approx([0.4, 0.6])
