"""The alignment of what is left between two words that have a place."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from ohr.metrics.placement import _cheapest, _cheapest_of_few, page_content

_COSTS = st.sampled_from([0.0, 0.2, 0.3, 0.6, 0.75, 1.0, 1.5])


@given(st.integers(1, 8), st.integers(1, 8), st.data())
def test_small_gaps_are_aligned_as_large_ones(rows, columns, data):
    values = data.draw(st.lists(_COSTS, min_size=rows * columns, max_size=rows * columns))
    costs = np.array(values, np.float32).reshape(rows, columns)
    assert _cheapest_of_few(costs) == _cheapest(costs)


def test_a_number_is_a_word_alone():
    content = page_content("Fee(1,200EUR) of 12%, and 4,8l2")
    words = [content.text[word.start : word.end] for word in content.words]
    assert words == ["Fee(", "1,200", "EUR)", "of", "12", "and", "4,8l2"]
    assert [word.number is not None for word in content.words] == [
        False, True, False, False, True, False, False,
    ]  # fmt: skip


def test_special_spaces_between_thousands_stay_in_a_number():
    words = page_content("sum 1\u00a0234\u202f567 and 3").words
    assert [word.number.digits for word in words if word.number] == ["1234567", "3"]
