from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ohr.metrics import default, reference

WORDS = st.lists(st.sampled_from("red green blue black white".split()), max_size=12).map(" ".join)


def table_lcs(one: list[str], other: list[str]) -> int:
    """The textbook's table."""
    row = [0] * (len(other) + 1)
    for a in one:
        previous = list(row)
        for j, b in enumerate(other):
            row[j + 1] = previous[j] + 1 if a == b else max(previous[j + 1], row[j])
    return row[-1]


@given(WORDS, WORDS)
def test_it_is_the_f_measure_of_the_lcs(prediction, truth):
    p, t = prediction.split(), truth.split()
    common = table_lcs(p, t)
    precision, recall = (common / len(x) if x else 0.0 for x in (p, t))
    expected = 2 * precision * recall / (precision + recall) if common else 0.0
    for protocol in (default, reference):
        assert protocol.rouge_l(prediction, truth) == pytest.approx(expected)
        assert protocol.rouge_l(truth, prediction) == pytest.approx(expected)
        assert protocol.rouge_l(prediction, truth) <= protocol.f1(prediction, truth) + 1e-9


@pytest.mark.slow
@settings(deadline=None)  # the first example imports the library
@given(WORDS, WORDS)
def test_it_agrees_with_the_rouge_score_library(prediction, truth):
    scorer = pytest.importorskip("rouge_score.rouge_scorer").RougeScorer(["rougeL"])
    expected = scorer.score(truth, prediction)["rougeL"].fmeasure
    assert default.rouge_l(prediction, truth) == pytest.approx(expected)


@pytest.mark.slow
def test_order_counts_where_f1_does_not_look():
    assert default.f1("blue red", "red blue") == 1
    assert default.rouge_l("blue red", "red blue") == 0.5
    assert default.rouge_l("costs -5 euros", "costs 5 euros") == pytest.approx(2 / 3)
    assert reference.rouge_l("costs -5 euros", "costs 5 euros") == 1
    assert default.rouge_l("", "x") == default.rouge_l("x", "") == reference.rouge_l("", "") == 0
    assert default.rouge_l("合同于五月", "合同五月") == pytest.approx(8 / 9)
    assert 0 < reference.rouge_l("合同于五月生效", "合同五月生效") < 1
