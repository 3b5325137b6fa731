from __future__ import annotations

from itertools import combinations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from ohr.statistics import (
    PAGE,
    Clusters,
    Ties,
    infer,
    letters,
    ties,
)
from ohr.statistics.pairs import all_pairs

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


@st.composite
def scored(draw):
    """Scores of conditions on units of documents, some of them unknown."""
    size, documents = draw(st.integers(2, 5)), draw(st.integers(3, 9))
    rng = np.random.default_rng(draw(st.integers(0, 1000)))
    index = np.repeat(np.arange(documents), 4)
    worse = np.array(draw(st.lists(st.sampled_from([0.0, 0.3, 0.9]), min_size=size, max_size=size)))
    scores = rng.random((1, len(index))) - worse[:, None] + rng.normal(0, 0.05, (size, len(index)))
    scores[rng.random(scores.shape) < draw(st.sampled_from([0, 0.02]))] = np.nan
    return scores, Clusters.from_labels(index, index)


@given(scored(), st.randoms(use_true_random=False))
def test_letters_stay_with_their_conditions_in_any_order(drawn, random):
    scores, clusters = drawn
    result = ties(scores, clusters)
    order = list(range(len(scores)))
    random.shuffle(order)
    assert ties(scores[order], clusters).letters == tuple(result.letters[i] for i in order)
    assert ties(-scores, clusters, higher_is_better=False) == result


@given(scored())
def test_letters_intervals_and_stars_come_from_one_test(drawn):
    scores, clusters = drawn
    result = ties(scores, clusters)
    pairs = all_pairs(scores, clusters)
    if clusters.size < 6:
        assert result.reason.startswith(f"{clusters.size} documents: the smallest possible p is 0.")
        return
    for pair, each in zip(pairs, infer([pair.paired for pair in pairs]), strict=True):
        share = set(result.letters[pair.first]) & set(result.letters[pair.second])
        assert bool(share) == (each.p_adjusted > 0.05) == (not each.is_shown)
        assert each.is_shown == (each.interval.low > 0 or each.interval.high < 0)
    assert "a" in result.letters[int(np.nanmean(scores, axis=1).argmax())]


def test_what_is_not_tested_has_no_letter_and_says_why():
    index = np.repeat(np.arange(8), 3)
    clusters = Clusters.from_labels(index, index)
    scores = np.random.default_rng(0).random((3, 24))
    assert ties(scores[:1], clusters) == Ties(("",), "only one condition")
    assert ties(scores[:0], clusters).letters == ()
    pages = Clusters.from_labels(np.zeros(24, int), index)
    assert pages.unit == PAGE
    assert ties(scores, pages).reason == "fewer than 3 documents"
    apart = scores[:2].copy()
    apart[0, ::2], apart[1, 1::2] = np.nan, np.nan
    assert "no question" in ties(apart, clusters).reason
    nothing = scores.copy()
    nothing[1] = np.nan
    assert ties(nothing, clusters).letters == ("a", "", "a")
    few = scores.copy()
    few[0, 6:] = np.nan  # of two pairs, two documents are left
    assert ties(few, clusters).letters == ("a", "a", "a")
