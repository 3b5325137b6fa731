"""Which output of a page is taken, and whether it is trusted."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ohr.adviser.auto.choice import Reading, choose_reading, layer_choice
from ohr.types import PageRef

REF = PageRef("a/b", 0)


def first(**fields):
    return Reading(**{"engine": "fast", "error": 0.3, "characters": 100, "seconds": 1.0} | fields)


def second(**fields):
    return Reading(**{"engine": "slow", "error": 0.05, "characters": 100, "seconds": 4.0} | fields)


def test_a_layer_is_trusted_and_free():
    choice = layer_choice(REF)
    assert (choice.route, choice.is_trusted, choice.seconds) == ("layer", True, 0.0)


def test_the_second_engine_is_taken_where_it_is_predicted_to_be_better():
    choice = choose_reading(REF, first(), second(), 0.1)
    assert (choice.route, choice.doubt, choice.seconds) == ("slow", "", 5.0)
    assert choice.reason == "read by both: predicted error 0.05 for 0.30"


@pytest.mark.parametrize(
    ("own", "other", "reason"),
    [
        ({}, {"error": 0.4}, "predicted error 0.30 for 0.40"),
        ({}, {"characters": 80}, "slow has only 80 % of its characters"),
        ({}, {"invents": True}, "slow writes text that the page does not have"),
        ({}, {"failed": True}, "slow failed"),
    ],
)
def test_the_first_engine_is_kept_where_the_second_is_not_better(own, other, reason):
    choice = choose_reading(REF, first(**own), second(**other), 0.1)
    assert choice.route == "fast"
    assert choice.reason == f"read by both: {reason}"
    assert choice.doubt == "predicted error of fast above 0.10"


@pytest.mark.parametrize(
    ("fields", "doubt"),
    [
        ({"error": 0.1}, ""),
        ({"error": 0.11}, "predicted error of fast above 0.10"),
        ({"error": math.nan}, "fast cannot be assessed"),
        ({"error": math.nan, "not_assessed": "no such kind"}, "cannot be assessed: no such kind"),
        ({"error": 0.0, "invents": True}, "fast writes text that the page does not have"),
        ({"error": 0.0, "in_range": False}, "that predictions were checked on"),
        ({"error": 0.0, "failed": True}, "fast failed"),
    ],
)
def test_what_is_not_trusted(fields, doubt):
    choice = choose_reading(REF, first(**fields), None, 0.1, "one engine")
    assert choice.is_trusted == (doubt == "")
    assert choice.doubt.endswith(doubt)
    assert choice.reason == ("read by fast" if choice.is_trusted else "one engine")


def test_an_engine_that_cannot_be_assessed_gives_way():
    choice = choose_reading(REF, first(error=math.nan), second(error=math.nan), 0.1)
    assert (choice.route, choice.doubt) == ("slow", "slow cannot be assessed")


def test_an_engine_without_letters_of_the_page_gives_way_in_either_place():
    """It writes Latin letters on a Chinese page, and neither output is assessed."""
    without = {"error": math.nan, "writes_script": False}
    choice = choose_reading(REF, first(error=math.nan), second(**without), 0.1)
    assert choice.route == "fast"
    assert choice.reason == "read by both: slow does not write the page's writing system"
    choice = choose_reading(REF, first(**without), second(error=math.nan), 0.1)
    assert choice.route == "slow"


errors = st.one_of(st.just(math.nan), st.floats(0, 1))
outputs = st.fixed_dictionaries(
    {
        "error": errors,
        "characters": st.integers(0, 200),
        "invents": st.booleans(),
        "failed": st.booleans(),
    }
)


@given(outputs, outputs, st.floats(0, 1))
def test_no_output_that_fails_or_invents_is_taken_where_another_does_not(own, other, most):
    readings = {"fast": first(**own), "slow": second(**other)}
    choice = choose_reading(REF, readings["fast"], readings["slow"], most)
    taken = readings[choice.route]
    rest = readings["slow" if choice.route == "fast" else "fast"]
    assert choice.reading == taken
    if taken.failed:
        assert rest.failed
    if taken.invents and not taken.failed:
        assert rest.invents or rest.failed
    if choice.is_trusted:
        assert taken.error <= most
        assert not taken.failed
        assert not taken.invents
