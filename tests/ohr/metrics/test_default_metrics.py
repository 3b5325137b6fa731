from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ohr import registry
from ohr.metrics import default, reference
from ohr.metrics.scores import SCORING
from ohr.plugins.metric import PageCase


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Costs -5 or 3.14, not 1,234,567.50", ["costs", "-5", "or", "3.14", "not", "1234567.50"]),
        ("minus \u22127 %", ["minus", "-7", "%"]),
        ("years 2016-2017", ["years", "2016", "2017"]),
        ("Option A", ["option", "a"]),
        ("A dog, an owl and The end", ["dog", "owl", "and", "end"]),
        ("the", ["the"]),
        ("first-in, first-out", ["first", "in", "first", "out"]),
        ("company's Q1 10-K", ["companys", "q1", "10", "k"]),
        ("总部，２０１７年", ["总", "部", "2017", "年"]),
        ("カタカナ", list("カタカナ")),
        ("±", ["±"]),
        ("...", ["..."]),
        ("", []),
    ],
)
def test_tokens(text, expected):
    assert default.tokens(text) == expected


def test_each_quirk_is_mended():
    assert default.f1("-5", "5") == 0.0
    assert default.em("3.14", "314") == 0.0
    assert default.f1("1,000", "1000") == 1.0
    assert default.f1("Option A", "Option B") == 0.5
    assert (default.em("", ""), default.f1("", ""), default.lcs("", "")) == (0.0, 0.0, 0.0)
    assert default.lcs("公司总部位于北京", "总部位于北京") == 1.0


@given(st.text(max_size=60), st.text(max_size=60))
def test_scores_stay_in_range_and_are_perfect_on_equal_text(one, other):
    for score in (default.f1, default.em, default.lcs, default.cer, default.wer):
        assert 0 <= score(one, other) <= 1
    if default.tokens(one):
        assert default.em(one, one) == default.f1(one, one) == default.lcs(one, one) == 1
    assert default.wer(one, one) == default.cer(one, one) == 0


@given(st.text(max_size=60), st.text(max_size=60))
def test_lcs_never_falls_when_text_is_added(prediction, reference):
    assert default.lcs(f"{prediction}\n\n{reference}", reference) >= default.lcs(
        prediction, reference
    )


def test_error_rates():
    assert default.cer("abcd", "abce") == 0.25
    assert default.cer("x" * 100, "ab") == 1.0
    assert default.wer("one two four", "one two three four") == 0.25
    assert (default.cer("", ""), default.cer("a", "")) == (0.0, 1.0)


_FLAGGED = ("quote", "headers", "page", "irrelevant_headers")


def test_metrics_are_plugins_of_either_protocol():
    assert registry.create("metric", "f1").score("Option A", "Option B") == 0.5
    assert registry.create("metric", "f1:reference").score("-5", "5") == 1.0
    metrics = {name: registry.plugin_class("metric", name) for name in registry.known("metric")}
    less_is_better = {name for name, metric in metrics.items() if not metric.higher_is_better}
    assert less_is_better == {
        *("edit_distance", "cer", "wer", "formula_distance", "order_distance"),
        *("r_noise", "r_noise_content", "r_noise_reference", "refused"),
        *("page_not_found", "text_missing"),
        *("silent_numbers", "dropped_numbers", "added_numbers", "wrong_number"),
        *("number_changed", "misled", "invented_words", "invented_passage", "repeated_words"),
        *(f"{what}_flag{of}" for what in _FLAGGED for of in ("", "_clean")),
    }
    missing_is_none = {
        *("refused", "text_missing", "silent_numbers", "added_numbers", "wrong_number"),
        *("number_changed", "misled", "invented_words", "invented_passage", "repeated_words"),
    }
    for name, metric in metrics.items():
        assert (metric.worst, metric.best) == ((1, 0) if name in less_is_better else (0, 1))
        assert metric.missing == (0 if name in missing_is_none else metric.worst)
        assert metric.title
    assert set(SCORING) == {"default", "reference"}


SAME_GLYPHS = [
    (unicodedata.normalize("NFD", "école Müller"), "école Müller"),
    ("o\ufb03ce \ufb02ow", "office flow"),
    ("co\u00adoperate govern\u00adment", "cooperate government"),
    ("\ufeffzero\u200bwidth", "zerowidth"),
    ("10\u2060000", "10000"),
    ("\uff11\uff12\uff13\uff21\uff22", "123AB"),
    ("non\u2011zero well\u2010known", "non-zero well-known"),
    ("\u2714\ufe0f 5\u00a0kg", "\u2714 5 kg"),
    (unicodedata.normalize("NFD", "한국어"), "한국어"),
    ("don\u02bct", "don\u2019t"),
]


@pytest.mark.parametrize(("read", "truth"), SAME_GLYPHS)
def test_the_same_glyphs_in_other_code_points_are_no_errors(read, truth):
    assert default.tokens(read) == default.tokens(truth)
    case = PageCase(read, truth, SCORING["default"])
    for name in ("edit_distance", "cer", "wer"):
        metric = registry.create("metric", name)
        assert metric.score(read, truth) == metric.measure(case) == 0, name
    published = PageCase(read, truth, SCORING["reference"])
    distance = reference.edit_distance(read, truth)
    assert registry.create("metric", "edit_distance").measure(published) == distance
    assert registry.create("metric", "edit_distance:reference").score(read, truth) == distance > 0


@pytest.mark.parametrize(
    ("read", "truth"),
    [("office", "Office"), ("x2", "x²"), ("1/2", "½"), ('"x"', "“x”"), ("5-6", "5–6"), ("a", "á")],
)
def test_what_a_reader_can_tell_apart_is_an_error_of_characters(read, truth):
    assert default.edit_distance(read, truth) > 0
    assert default.cer(read, truth) > 0


@pytest.mark.parametrize(
    ("text", "same", "other"),
    [
        ("1½", "1 1/2", "11/2"),
        ("45.3¹", "45.3 1", "45.31"),
        ("in 1945.¹", "in 1945. 1", "in 1945.1"),
        ("10⁵", "10^5", "105"),
        ("10⁻⁵", "10^{-5}", "10-5"),
        ("¹2020", "1 2020", "12020"),
        ("①②", "1 2", "12"),
        ("m²", "m2", "m"),
        ("CO₂", "CO2", "CO"),
        ("Foo™", "Foo TM", "FooTM"),
    ],
)
def test_numbers_keep_scripts_and_fractions_apart(text, same, other):
    assert default.tokens(text) == default.tokens(same) != default.tokens(other)


@pytest.mark.parametrize(
    "marked",
    ["45.3^1", "45.3$^1$", "45.3$^{1}$", "$45.3^{1}$", "45.3<sup>1</sup>", "45.3<sub>1</sub>"],
)
def test_scripts_in_markup_are_no_digits_of_their_number_either(marked):
    tokens = SCORING["default"].content_tokens
    assert tokens(marked) == tokens("45.3¹") == ["45.3", "1"]
    assert tokens(marked.replace("45.3", "m")) == tokens("m¹") == ["m1"]
    assert tokens(r"1\frac{1}{2}") == tokens("1½") == ["1", "1", "2"]
