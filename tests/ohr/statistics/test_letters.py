from __future__ import annotations

from itertools import combinations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from ohr.statistics import Clusters, letters, tie_letters

PAIRS = st.integers(1, 7).flatmap(
    lambda size: st.tuples(
        st.just(size), st.sets(st.sampled_from([*combinations(range(size), 2), (0, size)]))
    )
)


@given(PAIRS)
def test_two_share_a_letter_exactly_if_they_do_not_differ(drawn):
    size, pairs = drawn
    apart = sorted(pair for pair in pairs if pair[1] < size)
    named = letters(size, apart)
    assert all(named)
    assert "a" in named[0]
    for i, j in combinations(range(size), 2):
        assert bool(set(named[i]) & set(named[j])) == ((i, j) not in apart)


def test_the_usual_letters():
    assert letters(3, [(0, 2)]) == ["a", "ab", "b"]
    assert letters(3, []) == ["a", "a", "a"]
    assert letters(3, [(0, 1), (0, 2), (1, 2)]) == ["a", "b", "c"]


def test_more_than_an_alphabet():
    named = letters(30, list(combinations(range(30), 2)))
    assert named[25:28] == ["z", "(aa)", "(ab)"]


def test_letters_of_tests():
    rng = np.random.default_rng(0)
    index = np.repeat(np.arange(12), 5)
    noise = rng.normal(size=60)
    values = np.array([noise, noise + rng.normal(scale=0.01, size=60), noise + 1])
    assert tie_letters(values, Clusters.of(index, index)) == ["a", "a", "b"]
    few = np.zeros(60, int)
    assert tie_letters(values, Clusters.of(few, few)) == ["", "", ""]
