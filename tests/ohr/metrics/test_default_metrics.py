from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ohr import registry
from ohr.metrics import default
from ohr.metrics.scores import SCORING


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
        *(f"{what}_flag{of}" for what in _FLAGGED for of in ("", "_clean")),
    }
    for name, metric in metrics.items():
        assert (metric.worst, metric.best) == ((1, 0) if name in less_is_better else (0, 1))
        assert metric.missing == (0 if name == "refused" else metric.worst)
        assert metric.title
    assert set(SCORING) == {"default", "reference"}
