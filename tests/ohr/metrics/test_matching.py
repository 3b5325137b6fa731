from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from rapidfuzz.fuzz import ratio

from ohr.metrics.matching import has_stretch_like

TEXTS = st.text("abc", min_size=1)


@given(TEXTS.filter(lambda t: len(t) < 9), TEXTS, st.sampled_from([0.01, 0.05, 0.1, 0.2, 0.4, 0.5]))
def test_a_stretch_is_found_where_one_of_all_is_near_enough(needle, text, tolerance):
    stretches = (text[i:j] for i in range(len(text)) for j in range(i + 1, len(text) + 1))
    best = max(ratio(needle, stretch) for stretch in stretches)
    assert has_stretch_like(needle, text, tolerance) == (best >= 100 * (1 - tolerance) - 1e-6)


def test_inserted_and_lost_letters_cost_the_same_wherever_they_stand():
    text = "xyz " * 500 + "the first notary files the affidavit" + " zyx" * 500
    needle = "the first notary files the affidavit"
    for edited in (needle.replace("notary", "notaaary"), needle.replace("notary", "noty")):
        share = 2 / (len(needle) + len(edited))
        assert has_stretch_like(edited, text, share)
        assert not has_stretch_like(edited, text, share * 0.99)


def test_nothing_is_like_nothing():
    assert not has_stretch_like("", "abc", 0.5)
    assert not has_stretch_like("abc", "", 0.5)
