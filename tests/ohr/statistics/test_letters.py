from __future__ import annotations

from itertools import combinations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from ohr.statistics import (
    PAGE,
    Clusters,
    Ties,
    compare_paired,
    holm,
    letters,
    tie_letters,
    ties,
)

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


@st.composite
def scored(draw):
    """Scores of conditions on units of documents, some of them unknown."""
    size, documents = draw(st.integers(2, 5)), draw(st.integers(3, 9))
    rng = np.random.default_rng(draw(st.integers(0, 1000)))
    index = np.repeat(np.arange(documents), 4)
    worse = np.array(draw(st.lists(st.sampled_from([0.0, 0.3, 0.9]), min_size=size, max_size=size)))
    scores = rng.random((1, len(index))) - worse[:, None] + rng.normal(0, 0.05, (size, len(index)))
    scores[rng.random(scores.shape) < draw(st.sampled_from([0, 0.02]))] = np.nan
    return scores, Clusters.of(index, index)


@given(scored(), st.randoms(use_true_random=False))
def test_letters_stay_with_their_conditions_in_any_order(drawn, random):
    scores, clusters = drawn
    result = ties(scores, clusters)
    order = list(range(len(scores)))
    random.shuffle(order)
    assert ties(scores[order], clusters).letters == tuple(result.letters[i] for i in order)
    assert ties(-scores, clusters, higher_is_better=False) == result


@given(scored())
def test_letters_agree_with_the_paired_tests_after_holm(drawn):
    scores, clusters = drawn
    known = ~np.isnan(scores).any(axis=0)
    values = scores[:, known]
    documents = clusters.index[known]
    shared = Clusters.of(documents, documents)
    result = ties(scores, clusters)
    if not shared.unit:
        assert result.reason
        return
    pairs = list(combinations(range(len(scores)), 2))
    p = holm(np.array([compare_paired(values[i] - values[j], shared).p for i, j in pairs]))
    for (i, j), adjusted in zip(pairs, p, strict=True):
        share = bool(set(result.letters[i]) & set(result.letters[j]))
        assert share == (adjusted > 0.05)
    assert "a" in result.letters[int(values.mean(axis=1).argmax())]


def test_what_is_not_tested_has_no_letter_and_says_why():
    index = np.repeat(np.arange(8), 3)
    clusters = Clusters.of(index, index)
    scores = np.random.default_rng(0).random((3, 24))
    assert ties(scores[:1], clusters) == Ties(("",), "only one condition")
    assert ties(scores[:0], clusters).letters == ()
    pages = Clusters.of(np.zeros(24, int), index)
    assert pages.unit == PAGE
    assert ties(scores, pages) == Ties(("", "", ""), "fewer than 3 documents")
    apart = scores.copy()
    apart[0, ::2], apart[1, 1::2] = np.nan, np.nan
    assert "no question" in ties(apart, clusters).reason
    nothing = scores.copy()
    nothing[1] = np.nan
    assert ties(nothing, clusters).letters == ("a", "", "a")
    few = scores.copy()
    few[0, 6:] = np.nan  # two documents are left
    assert ties(few, clusters).reason == "fewer than 3 documents"
