from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from ohr.statistics import summarise_seeds


def test_by_hand():
    found = summarise_seeds(np.array([1.0, 2.0, 3.0, np.nan]))
    assert (found.n_seeds, found.mean, found.variance, found.sd) == (3, 2.0, 1.0, 1.0)
    assert found.high - 2 == pytest.approx(4.302653 / math.sqrt(3))
    theirs = stats.ttest_1samp([1, 2, 3], 0).confidence_interval()
    assert (found.low, found.high) == pytest.approx((theirs.low, theirs.high))


def test_one_seed_has_no_variance():
    found = summarise_seeds(np.array([0.5]))
    assert found.mean == 0.5
    assert math.isnan(found.sd)
    assert math.isnan(found.low)
