from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ohr.statistics.shapley import attribute, coalitions, mirrored_orders

CAUSES = ("a", "b", "c")
SETS = [frozenset(s) for n in range(4) for s in combinations(CAUSES, n)]
score = st.floats(0, 1, allow_nan=False)


def games(units):
    return st.lists(
        st.lists(score, min_size=units, max_size=units), min_size=len(SETS), max_size=len(SETS)
    ).map(lambda rows: {s: np.array(row) for s, row in zip(SETS, rows, strict=True)})


@given(games(4))
def test_the_values_add_up_to_the_whole_gain(scores):
    values = attribute(scores, CAUSES).values
    assert values.sum(axis=0) == pytest.approx(scores[frozenset(CAUSES)] - scores[frozenset()])


@given(games(3))
def test_the_order_in_which_causes_are_named_does_not_matter(scores):
    one, other = attribute(scores, CAUSES), attribute(scores, CAUSES[::-1])
    assert one.values == pytest.approx(other.values[::-1])


@given(games(3))
def test_the_mean_lies_between_the_extremes_of_the_orders(scores):
    found = attribute(scores, CAUSES)
    low, high = found.extremes(np.arange(3))
    means = found.values.mean(axis=1)
    assert (low <= means + 1e-12).all()
    assert (means <= high + 1e-12).all()


def test_a_gain_that_needs_two_is_shared_and_depends_on_the_order():
    scores = {s: np.array([1.0 if {"a", "b"} <= s else 0.0]) for s in SETS}
    found = attribute(scores, CAUSES)
    assert found.values[:, 0].tolist() == [0.5, 0.5, 0.0]
    low, high = found.extremes(np.array([0]))
    assert (low.tolist(), high.tolist()) == ([0, 0, 0], [1, 1, 0])


def test_a_cause_that_acts_alone_has_one_value_in_every_order():
    scores = {s: np.array([0.2 + 0.3 * ("c" in s)]) for s in SETS}
    found = attribute(scores, CAUSES)
    assert found.values[:, 0] == pytest.approx([0, 0, 0.3])
    low, high = found.extremes(np.array([0]))
    assert low == pytest.approx(high)


def test_some_orders_give_parts_that_add_up():
    orders = mirrored_orders(3, 1, np.random.default_rng(0))
    assert orders[1] == orders[0][::-1]
    sets = coalitions(CAUSES, orders)
    assert sets[0] == frozenset()
    assert len(sets) == len(set(sets)) == 6  # both orders share their ends
    rng = np.random.default_rng(1)
    scores = {own: rng.random(5) for own in sets}
    parts = attribute(scores, CAUSES, orders).values.sum(axis=0)
    assert parts == pytest.approx(scores[frozenset(CAUSES)] - scores[frozenset()])
