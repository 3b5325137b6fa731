"""Quality against seconds and cost: which engines are worth it."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.figure import Figure

from ohr.display.costs import COST, SECONDS, engine_costs, frontier
from ohr.figures import pareto
from tests.experiments.figures.test_geometry import (
    TWO_ENGINES,
    check_marks,
    check_scales,
    check_texts,
    drawn,
)

BASES = {
    "tesseract, clean": {"taken": {"pages": 10.0, "median_wall_s": 1.2, "median_cpu_s": 1.1}},
    "rapidocr, clean": {
        "taken": {
            "pages": 10.0, "median_wall_s": 40.0, "median_cpu_s": 0.1, "cost": 0.05,
            "prompt_tokens": 20_000.0, "completion_tokens": 500.0, "refused": 2.0,
        }
    },
}  # fmt: skip


def test_costs_are_of_the_clean_pages_that_were_measured() -> None:
    costs = engine_costs(TWO_ENGINES, BASES).set_index("engine")
    assert costs.loc["tesseract", SECONDS] == 1.2
    assert np.isnan(costs.loc["tesseract", COST])
    assert costs.loc["rapidocr", COST] == pytest.approx(5)
    assert costs.loc["rapidocr", "prompt_tokens"] == 2000
    assert costs.loc["rapidocr", "refused"] == 2
    assert engine_costs(TWO_ENGINES, {"tesseract, clean": {}}).empty


points = st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), max_size=12)


@given(points, st.booleans())
def test_the_frontier_is_what_nothing_dominates(given_points, higher) -> None:
    expense = [float(cost) for cost, _ in given_points]
    quality = [float(one) for _, one in given_points]
    kept = frontier(expense, quality, higher_is_better=higher)
    sign = 1 if higher else -1
    for position in range(len(given_points)):
        dominated = any(
            expense[other] <= expense[position]
            and sign * quality[other] >= sign * quality[position]
            and (expense[other], quality[other]) != (expense[position], quality[position])
            for other in range(len(given_points))
        )
        same = any((expense[k], quality[k]) == (expense[position], quality[position]) for k in kept)
        assert same is not dominated


@pytest.mark.slow
@pytest.mark.arranged
def test_nothing_covers_another() -> None:
    made: Figure = drawn(
        lambda cells, folder: pareto.pareto_charts(cells, BASES, folder), TWO_ENGINES
    )
    check_texts(made)
    check_marks(made)
    check_scales(made)


@pytest.mark.slow
def test_axes_say_which_way_is_better_and_notes_what_the_bars_do_not_show(tmp_path) -> None:
    files = pareto.pareto_charts(TWO_ENGINES, BASES, tmp_path)
    texts = {path.suffix: path.read_text() for path in files if path.suffix in (".svg", ".txt")}
    assert texts[".svg"].count("(better ↑)<") == 4
    assert texts[".svg"].count("(better ←)<") == 2
    assert "do not show whether two engines differ" in texts[".txt"]


def test_runs_without_measured_reading_have_no_chart(tmp_path) -> None:
    assert pareto.pareto_charts(TWO_ENGINES, {}, tmp_path) == []
    assert not list(tmp_path.iterdir())
