"""In which order pages are read, after how many the engines are compared, and when it stops."""

from __future__ import annotations

import math
from collections import Counter
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ohr.adviser.recommend.batches import (
    FIRST,
    are_enough,
    look_alpha,
    look_sizes,
    spread_order,
    stop_reason,
    verdict_first,
)
from ohr.adviser.recommend.verdicts import CLOSE, Candidate, MeasureVerdict
from ohr.quality import inference
from ohr.quality.inference import compare
from ohr.statistics.inference import ALPHA
from ohr.types import PageRef


@given(st.integers(1, 3000), st.integers(0, 3000))
def test_looks_double_and_end_with_all_pages(pages, least):
    sizes = look_sizes(pages, least)
    assert sizes[-1] == pages
    assert list(sizes) == sorted(set(sizes))
    assert all(size >= max(least, FIRST) for size in sizes[:-1])
    assert all(large >= 1.5 * small for small, large in pairwise(sizes))


def test_looks_of_the_default_budget():
    assert look_sizes(200) == (16, 32, 64, 128, 200)
    assert look_sizes(36) == (16, 36)
    assert look_sizes(12) == (12,)
    assert look_sizes(200, least=50) == (64, 128, 200)


@given(st.lists(st.integers(1, 40), min_size=1, max_size=8), st.integers(0, 5))
def test_every_beginning_is_spread_over_the_documents(lengths, seed):
    refs = [
        PageRef(f"d{number}", page) for number, count in enumerate(lengths) for page in range(count)
    ]
    order = spread_order(refs, seed)
    assert sorted(order) == sorted(refs)
    assert order == spread_order(refs, seed)
    for size in range(1, len(order) + 1):
        read = Counter(ref.doc_id for ref in order[:size])
        for number, count in enumerate(lengths):
            # Each document has its share of the pages, give or take one for each document.
            assert abs(read[f"d{number}"] - count * size / len(refs)) <= len(lengths)


def test_pages_that_the_verdict_is_about_are_read_first():
    order = [PageRef("d", number) for number in (5, 0, 9, 3, 1, 2, 4, 6, 7, 8)]
    needed = {PageRef("d", 9), PageRef("d", 2)}
    read = verdict_first(order, needed)
    assert [ref.page_no for ref in read] == [9, 2, 5, 0, 3, 1, 4, 6, 7, 8]
    assert verdict_first(order, set(order)) == order
    assert [ref.page_no for ref in verdict_first(order, set(order[1:]))][-2:] == [5, 8]


@pytest.mark.parametrize(
    ("read", "for_ocr", "enough"),
    [
        (range(16), [], True),  # every page has a layer: the verdict is about all
        (range(16), [0, 5], True),
        (range(16), [0, 5, 30], False),
        (range(16), [*range(7), *range(20, 40)], False),
        (range(16), [*range(8), *range(20, 40)], True),
    ],
)
def test_reading_goes_on_until_enough_pages_that_need_ocr_are_read(read, for_ocr, enough):
    """An engine was named for scans from 14 pages with a text layer and 2 scans."""
    refs = [PageRef("d", number) for number in read]
    assert are_enough(refs, {PageRef("d", number) for number in for_ocr}) == enough


def verdict(*rest: Candidate, needs_truth: bool = False) -> MeasureVerdict:
    best = Candidate("a", "a", 0.05, 0.04, 0.06)
    return MeasureVerdict("characters", (best, *rest), 16, 4, "", {}, needs_truth=needs_truth)


@pytest.mark.parametrize(
    ("others", "reason"),
    [
        ([Candidate("b", "b", 0.1, 0.0, 0.2, is_worse=True, behind=(0.01, 0.09))], "settled"),
        ([Candidate("b", "b", 0.06, 0.0, 0.1, behind=(-CLOSE / 2, CLOSE))], "settled"),
        ([Candidate("b", "b", 0.06, 0.0, 0.1, behind=(-CLOSE / 2, 2 * CLOSE))], ""),
        ([Candidate("b", "b", 0.06, 0.0, 0.1, behind=(-math.inf, math.inf))], ""),
        ([Candidate("b", "b", 0.06, 0.0, 0.1, behind=(math.nan, math.nan))], ""),
        ([], ""),
    ],
)
def test_a_verdict_is_settled_if_each_engine_is_worse_or_close(others, reason):
    assert stop_reason(verdict(*others)) == reason
    if others and not reason:
        assert stop_reason(verdict(*others, needs_truth=True)) == "undecidable"


def test_more_pages_cannot_help_where_predictions_are_too_uncertain():
    rng = np.random.default_rng(0)
    first, noise = rng.uniform(0, 0.2, 64), rng.normal(0, 0.01, 64)
    documents = [f"d{number % 8}" for number in range(64)]
    alike = compare(first, first + noise, documents, bias=0.05)
    assert alike.winner is None
    assert alike.needs_truth
    assert not compare(first, first + noise, documents, bias=0.0).needs_truth
    assert not compare(first, first + 0.3, documents, bias=0.05).needs_truth


def test_several_looks_make_the_interval_longer():
    rng = np.random.default_rng(1)
    first = rng.uniform(0, 0.2, 64)
    second, documents = first + rng.normal(0.01, 0.05, 64), [f"d{n % 8}" for n in range(64)]
    once = compare(first, second, documents, 0.0).difference
    often = compare(first, second, documents, 0.0, alpha=look_alpha(64, 32, 200)).difference
    assert often.low < once.low < once.high < often.high


@given(st.integers(1, 3000), st.integers(0, 3000))
def test_the_looks_spend_alpha_as_pages_are_read(pages, least):
    sizes = look_sizes(pages, least)
    alphas = [
        look_alpha(size, before, pages) for before, size in zip((0, *sizes), sizes, strict=False)
    ]
    assert all(alpha > 0 for alpha in alphas)
    assert np.cumsum(alphas) == pytest.approx([ALPHA * size / pages for size in sizes])


def shows_a_winner(seed: int, planned: int, *, is_spent: bool) -> bool:
    """Whether any look names a winner of two engines of which none is better."""
    rng = np.random.default_rng(seed)
    first, second = rng.normal(0.3, 0.1, (2, planned))
    documents, before = [f"d{page % 20}" for page in range(planned)], 0
    for size in look_sizes(planned):
        alpha = look_alpha(size, before, planned) if is_spent else ALPHA
        gap = compare(first[:size], second[:size], documents[:size], 0.0, alpha=alpha)
        if gap.winner is not None:
            return True
        before = size
    return False


@pytest.mark.slow
def test_all_looks_together_err_in_a_twentieth_of_the_readings(monkeypatch):
    # Room for a page unlike those read would hide what several looks cost.
    monkeypatch.setattr(inference, "UNSEEN", 0.0)
    spent, each = (
        np.mean([shows_a_winner(seed, 200, is_spent=is_spent) for seed in range(1000)])
        for is_spent in (True, False)
    )
    assert spent <= ALPHA < each
