"""An engine that is named is shown to be better, or as good; one that is only ahead is not."""

from __future__ import annotations

import pytest

from ohr.adviser.recommend.decision import decide
from ohr.adviser.recommend.verdicts import CLOSE, Candidate, MeasureVerdict


def verdict(second: Candidate) -> MeasureVerdict:
    first = Candidate("best", "best", 0.1, 0.08, 0.12)
    return MeasureVerdict("characters", (first, second), 40, 10, "", {})


@pytest.mark.parametrize(
    ("second", "is_shown"),
    [
        (Candidate("other", "other", 0.3, 0.2, 0.4, is_worse=True, behind=(0.1, 0.3)), True),
        (Candidate("other", "other", 0.15, 0.1, 0.2, behind=(-0.02, 0.12)), False),
        (Candidate("other", "other", 0.11, 0.1, 0.12, behind=(-CLOSE / 2, CLOSE)), True),
        (Candidate("other", "other", 0.1, 0.08, 0.12, is_same=True), True),
    ],
)
def test_what_is_shown(second, is_shown):
    decision = decide([verdict(second)], {})
    assert decision.engine == "best"
    assert decision.is_shown == is_shown
    assert decision.is_better == second.is_worse
    assert ("other may be better" in decision.reason) == (not is_shown)
    as_good = is_shown and not (second.is_worse or second.is_same)
    assert ("as good as other" in decision.reason) == as_good


def test_an_engine_beside_one_with_the_same_scores_is_as_good_as_a_third():
    same = Candidate("same", "same", 0.1, 0.08, 0.12, is_same=True)
    close = Candidate("close", "close", 0.11, 0.1, 0.12, behind=(-CLOSE / 2, CLOSE))
    first = Candidate("best", "best", 0.1, 0.08, 0.12)
    decision = decide([MeasureVerdict("characters", (first, same, close), 40, 10, "", {})], {})
    assert decision.is_shown
    assert decision.reason == (
        "by wrong characters the same as same on every page, and as good as close within 0.02"
    )


def test_the_engine_that_remains_is_named_and_without_an_engine_nothing_is_shown():
    worse = Candidate("other", "other", 0.3, 0.2, 0.4, is_worse=True, behind=(0.1, 0.3))
    alone = MeasureVerdict("characters", (worse,), 40, 10, "", {})
    assert decide([alone], {}, vetoed=["best"]).is_shown
    assert not decide([alone], {}).is_shown
