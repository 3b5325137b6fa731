"""Edit distances of very long texts, and tokens that are kept."""

from __future__ import annotations

import random
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rapidfuzz.distance import Levenshtein

from ohr.metrics import long_texts
from ohr.metrics.long_texts import LONGEST_EXACT, distance

WORDS = [f"{a}{b}{c}" for a in "bcdfghk" for b in ("a", "eo", "iu") for c in "lmnprst"]


def _page(rng: random.Random, characters: int) -> str:
    return " ".join(rng.choices(WORDS, k=characters // 4))[:characters]


def _misread(rng: random.Random, text: str, share: float) -> str:
    return "".join(
        rng.choice(["", "x", char + "y"]) if rng.random() < share else char for char in text
    )


@given(st.lists(st.sampled_from("abc"), max_size=30), st.lists(st.sampled_from("abc"), max_size=30))
def test_a_distance_is_exact_up_to_the_limit(one, other):
    assert distance(one, other) == Levenshtein.distance(one, other)
    assert distance("".join(one), "".join(other), score_hint=3) == Levenshtein.distance(one, other)


@given(st.text("ab ", max_size=60), st.text("ab ", max_size=60))
def test_beyond_it_it_is_no_less_than_the_exact_one_and_no_more_than_the_longer_text(one, other):
    sizes = {"LONGEST_EXACT": 5, "_PART": 4, "_LONGEST_PART": 8, "_RUN_OF_CHARACTERS": 2}
    with patch.multiple(long_texts, **sizes, _RUN_OF_WORDS=1, _SPACING=1):
        for a, b in ((one, other), (one.split(), other.split())):
            exact = Levenshtein.distance(a, b)
            assert exact <= distance(a, b) <= max(len(a), len(b))
            assert distance(a, a) == 0


@pytest.mark.slow
@pytest.mark.parametrize("share", [0.02, 0.3])
def test_a_long_page_read_in_its_order_has_about_the_exact_distance(share):
    rng = random.Random(share)
    truth = _page(rng, LONGEST_EXACT + 20_000)
    read = _misread(rng, truth, share)
    read = read[:30_000] + read[45_000:] + _page(rng, 10_000)  # something is left out and added
    exact = Levenshtein.distance(read, truth)
    assert exact <= distance(read, truth) <= 1.01 * exact


@pytest.mark.slow
def test_another_long_text_is_about_as_far_as_the_exact_distance():
    one, other = (_page(random.Random(seed), LONGEST_EXACT + 10_000) for seed in (1, 2))
    exact = Levenshtein.distance(one, other)
    assert exact <= distance(one, other) <= 1.05 * exact
