"""Exact search among sparse vectors, against the products of dense ones."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from rag.retrievers import _sparse
from rag.retrievers._sparse import SparseVectors

WEIGHTS = st.sampled_from([0.0, 0.0, 0.5, 1.0, 2.0])


def table(rows: int):
    """Dense weights, ``(rows, terms)``; texts and queries need not know the same terms."""
    return st.integers(0, 6).flatmap(
        lambda terms: arrays.arrays(np.float32, (rows, terms), elements=WEIGHTS)
    )


def sparse(dense):
    return [np.stack([np.flatnonzero(row), row[row > 0]]).astype(np.float32) for row in dense]


@given(st.integers(0, 7).flatmap(table), st.integers(0, 5).flatmap(table), st.integers(1, 9))
def test_sparse_search_is_a_stable_sort_of_the_products(texts, queries, k):
    shared = min(texts.shape[1], queries.shape[1])
    products = queries[:, :shared].astype(float) @ texts[:, :shared].T
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_sparse, "QUERIES", 2)
        found = SparseVectors(sparse(texts)).search(sparse(queries), k)
    assert len(found) == len(queries)
    for row, hits in zip(products, found, strict=True):
        order = [i for i in np.argsort(-row, kind="stable") if row[i] > 0][:k]
        assert hits == [(i, pytest.approx(row[i])) for i in order]
