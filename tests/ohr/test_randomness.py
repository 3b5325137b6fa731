from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from ohr.plugins.randomness import generator_for
from ohr.types import PageRef

KEYS = st.tuples(st.integers(0, 2**32), st.text(), st.text(), st.integers(0, 10_000))


@given(KEYS, KEYS)
def test_streams_depend_on_the_key_alone(one, other):
    def draw(key):
        return generator_for(key[0], key[1], PageRef(key[2], key[3])).random(4).tolist()

    assert draw(one) == draw(one)
    assert (draw(one) == draw(other)) == (one == other)
