from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

from hypothesis import given
from hypothesis import strategies as st

from ohr.store.text_cache import TextCache


@given(st.lists(st.lists(st.text(max_size=9), max_size=5), max_size=6), st.integers(0, 20))
def test_results_are_those_of_the_function_whatever_is_kept(batches, most):
    kept = TextCache.from_function(str.upper, most)
    for texts in batches:
        assert kept.many(texts) == [text.upper() for text in texts]
        for text in texts:
            assert kept(text) == text.upper()
        assert sum(map(len, kept._results)) == kept._characters <= most


def test_equal_texts_are_worked_out_once_until_they_are_forgotten():
    asked: list[str] = []

    def length(text: str) -> int:
        asked.append(text)
        return len(text)

    kept = TextCache.from_function(length, most_characters=6)
    assert kept.many(["abc", "de", "abc"]) == [3, 2, 3]
    assert kept("abc") == 3
    assert asked == ["abc", "de"]
    assert kept("fg") == 2  # seven characters: the first text goes
    assert kept.many(["de", "abc"]) == [2, 3]
    assert asked == ["abc", "de", "fg", "abc"]


def test_threads_share_a_cache():
    kept = TextCache.from_function(str.upper, most_characters=50)
    texts = [f"text {n % 40}" for n in range(2000)]
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(kept, texts)) == [text.upper() for text in texts]
    assert sum(map(len, kept._results)) == kept._characters <= 50
