"""Whether an engine's predicted noise is within what a small loss of retrieval allows."""

from __future__ import annotations

import json
import math

import pytest

from ohr.adviser.recommend.noise_budget import BROKEN_AT, KEPT_UP_TO, noise_budget
from ohr.adviser.recommend.verdicts import Candidate, MeasureVerdict


def verdict(measure, *candidates):
    return MeasureVerdict(measure, candidates, 20, 10, "predicted", {})


@pytest.mark.parametrize(
    ("ends", "standing", "words"),
    [
        ((0.05, KEPT_UP_TO), "within", "tesseract is within it"),
        ((BROKEN_AT, 0.9), "above", "tesseract is above it"),
        ((KEPT_UP_TO + 0.01, 0.9), "undecided", "whether tesseract is within it cannot be said"),
        ((0.0, 1.0), "undecided", "cannot be said"),
    ],
)
def test_the_whole_interval_decides(ends, standing, words):
    low, high = ends
    mine = Candidate("tesseract", "tesseract", (low + high) / 2, low, high)
    other = Candidate("other", "other", 0.0, 0.0, 0.0)
    budget = noise_budget(
        [verdict("characters", other), verdict("content_r_noise", mine)], mine.engine
    )
    assert budget is not None
    assert budget.standing == standing
    assert words in budget.sentence
    assert "OHR-Bench, not yours" in budget.sentence
    assert budget.json_content()["kept_up_to"] == KEPT_UP_TO


def test_without_a_prediction_there_is_no_budget():
    errors = verdict("characters", Candidate("a", "a", 0.1, 0.0, 0.2))
    assert noise_budget([errors, verdict("content_r_noise")], "a") is None
    assert noise_budget([errors], "") is None


def test_without_an_interval_nothing_is_decided():
    mine = Candidate("a", "a", 0.1, math.nan, math.nan)
    budget = noise_budget([verdict("content_r_noise", mine)], "a")
    assert budget is not None
    assert budget.standing == "undecided"
    assert "0.10 (no interval)" in budget.sentence
    assert json.loads(json.dumps(budget.json_content(), allow_nan=False))["low"] is None
