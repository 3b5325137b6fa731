"""What two outputs of a page say of each other's error, whatever the truth is."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ohr.metrics.default import edit_distance
from ohr.quality.bounds import (
    BOUNDED,
    Apart,
    apart,
    possible_errors,
    read_apart,
    write_apart,
)
from ohr.quality.truth import targets

texts = st.text(alphabet="abcd", max_size=14)
rates = st.floats(0, 1)


@given(texts, texts, texts)
@example("bcdef", "abcde", "abcdef")
@example("", "abc", "abcd")
def test_no_truth_whatever_contradicts_the_bounds(truth, first, second):
    found = apart(first, second)
    for name in BOUNDED:
        errors = [targets(each, truth)[name] for each in (first, second)]
        assert found[name].allows(*errors)
        assert max(errors) >= found[name].least - 1e-6
        assert errors[0] >= found[name].least_first(errors[1]) - 1e-6
        assert errors[1] >= found[name].swapped().least_first(errors[0]) - 1e-6


def test_errors_over_the_longer_text_obey_no_triangle_inequality():
    """A truth that is longer than both outputs: half of their distance would be too much."""
    truth, first, second = "abcdef", "bcdef", "abcde"
    between = edit_distance(first, second)
    errors = [edit_distance(each, truth) for each in (first, second)]
    assert max(errors) < between / 2
    assert max(errors) == pytest.approx(between / (2 + between))
    assert apart(first, second)["edit_distance"].least == pytest.approx(max(errors), abs=1e-6)


@given(st.integers(1, 60), rates)
def test_outputs_of_equal_length_have_the_bound_of_the_docstring(length, share):
    edits = round(share * length)
    distance = edits / length
    assert Apart(edits, length, length).least == pytest.approx(distance / (2 + distance), abs=1e-6)


def test_one_empty_output_says_that_one_error_is_everything():
    assert apart("", "some text")["edit_distance"].least == pytest.approx(1.0)
    assert apart("", "")["edit_distance"].least == 0.0


pairs_of_outputs = st.dictionaries(st.sampled_from("xyz"), texts, min_size=2)


@given(pairs_of_outputs, st.lists(rates, min_size=3, max_size=3))
def test_raised_errors_are_possible_and_nothing_is_lowered(outputs, values):
    predicted = dict(zip(outputs, values, strict=False))
    pairs = {
        (one, other): apart(outputs[one], outputs[other])["edit_distance"]
        for one in outputs
        for other in outputs
        if one < other
    }
    found = possible_errors(predicted, pairs)
    assert all(predicted[name] <= found[name] <= 1 for name in predicted)
    for (one, other), pair in pairs.items():
        assert pair.allows(found[one], found[other])
        assert max(found[one], found[other]) >= pair.least - 1e-6
    turned = {(other, one): pair.swapped() for (one, other), pair in pairs.items()}
    again = possible_errors(dict(reversed(predicted.items())), turned)
    assert again == pytest.approx(found, abs=1e-6)


def test_two_predictions_of_a_page_that_engines_read_otherwise_cannot_both_be_low():
    """Predicted .08 and .09 on a page of which the outputs differ by .87."""
    pair = Apart(870, 1000, 1000)
    found = possible_errors({"one": 0.08, "two": 0.09}, {("one", "two"): pair})
    assert max(found.values()) >= 0.87 / 2.87
    assert found["one"] / found["two"] == pytest.approx(0.08 / 0.09)


def test_what_is_written_is_read():
    of = {"rapidocr": apart("a *b*", "ab c"), "an, other": apart("", "x")}
    assert read_apart(write_apart(of)) == of
    assert read_apart(write_apart({})) == {}
    assert read_apart(float("nan")) == {}
