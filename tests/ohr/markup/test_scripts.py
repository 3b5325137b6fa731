"""Digits below and above the line are the same however they are written."""

from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ohr.markup.scripts import join_scripts, script_glyphs
from ohr.markup.strip import strip_markup
from ohr.metrics import default, reference

SAME = [
    ("H2O", "H₂O", "H_2O", "H_{2}O", "$H_2O$", "$H_{2}O$", "H$_2$O", "H<sub>2</sub>O"),
    ("m²", "m^2", "m^{2}", "$m^2$", "m$^{2}$", "m<sup>2</sup>"),
    ("10⁵", "10^5", "10^{5}", "$10^{5}$", "10$^5$", "10<sup>5</sup>", "10<SUP>5</SUP>"),
    ("Ca²⁺", "Ca^{2+}", "$Ca^{2+}$", "Ca<sup>2+</sup>"),
    ("H₂SO₄", "H_2SO_4", "$H_{2}SO_{4}$", "H2SO4"),
    ("x₁²", "x_{1}^{2}", "$x_1^2$"),
]


@pytest.mark.parametrize(
    ("one", "other"), [pair for group in SAME for pair in combinations(group, 2)]
)
def test_the_same_formula_is_one_for_every_measure(one: str, other: str) -> None:
    first, second = f"a glass of {one} here", f"a glass of {other} here"
    assert default.tokens(first) == default.tokens(second)
    assert default.em(first, second) == default.f1(first, second) == 1
    assert default.lcs(first, second) == 1
    assert default.edit_distance(first, second) == default.cer(first, second) == 0
    assert default.tokens(strip_markup(first)) == default.tokens(strip_markup(second))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        *(("10⁵", "105"), ("10^{5}", "105"), ("10<sup>5</sup>", "105"), ("$10^5$", "10^6")),
        *(("H_2O", "H_3O"), ("x_{12}", "x_{1}"), ("m^2", "m^3"), ("2^{10}", "210")),
    ],
)
def test_other_formulas_stay_others(one: str, other: str) -> None:
    assert default.tokens(one) != default.tokens(other)
    assert default.em(one, other) == 0
    assert default.edit_distance(one, other) > 0


def test_what_is_no_script_stays() -> None:
    assert default.tokens("page_2 of file_name_10") == ["page", "2", "of", "file", "name", "10"]
    assert default.tokens("x_{i} + x_{1}y") == ["x", "i", "+", "x1", "y"]
    assert script_glyphs("x²") != script_glyphs("x2"), "an edit distance is of what is seen"
    assert script_glyphs("costs $5 and $10_000 $") == "costs $5 and $10_000 $"


def test_the_published_evaluation_sees_none_of_it() -> None:
    assert reference.tokens("H_{2}O H₂O") == ["h2o", "h₂o"]
    assert reference.edit_distance("H_{2}O", "H₂O") > 0


@given(st.text("Hx12_^{}$ 5²₂<sub>/p", max_size=30))
def test_both_come_to_rest_and_leave_text_without_marks_alone(text: str) -> None:
    for fold in (join_scripts, script_glyphs):
        bare = "".join(char for char in text if char not in "_^<²₂")
        assert fold(bare) == bare
        assert len(fold(text)) <= len(text) + text.count("_") + text.count("^") + text.count("<")
