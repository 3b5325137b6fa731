"""Settings choose the cells that a plain selection by columns chooses."""

from __future__ import annotations

import math
from dataclasses import astuple

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ohr.display.settings import COLUMNS, Block, Means, Setting, Value, texts
from tests.examples import examples

NAMES = {
    "chunker": ["tokens", ""],
    "retriever": ["bm25", "7", "", None],
    "top_k": [1, 2, None],
    "reader": ["a", "b", "", None],
    "system": ["rag", "grep", ""],
}
MEASURES = {"stage": ["ocr", "overall"], "metric": ["f1", "lcs"], "group": ["all", "domain:law"]}


def cell(top_k):
    parts = {name: st.sampled_from(values) for name, values in (NAMES | MEASURES).items()}
    n, mean = st.integers(0, 3), st.sampled_from([0.1, 0.2, 0.7, math.nan])
    return st.fixed_dictionaries({**parts, "top_k": st.sampled_from(top_k), "n": n, "mean": mean})


def frames(top_k, dtype):
    """Cells as they are made (numbers of hits among empty texts) or read back (``Int64``)."""
    columns = [*NAMES, *MEASURES, "n", "mean"]
    cells = st.lists(cell(top_k), max_size=12)
    return cells.map(lambda rows: pd.DataFrame(rows, columns=columns).astype({"top_k": dtype}))


cells_of_a_run = frames([1, 2, None], "Int64") | frames([1, 2, ""], "object")
settings = st.builds(
    Setting,
    st.sampled_from(["tokens", ""]),
    st.sampled_from(["bm25", "7", ""]),
    st.sampled_from(["1", "2", ""]),
    st.sampled_from(["a", "b", ""]),
    st.sampled_from(["rag", "grep"]),
)


def selected(setting, cells):
    """The cells of a setting, a column at a time."""
    kept = pd.Series(True, index=cells.index, dtype=bool)
    for name, value in zip(COLUMNS, astuple(setting), strict=True):
        kept &= texts(cells, name).isin([value, ""])
    return cells[kept]


def mean_of(block, cells, **measure):
    """The mean of a block's cells, by selecting them."""
    for name, value in measure.items():
        cells = cells[cells[name] == value]
    places = [place for one in block.settings for place in selected(one, cells).index]
    cells = cells.loc[list(dict.fromkeys(places))]
    cells = cells[pd.to_numeric(cells["n"]) > 0]
    mean = cells["mean"].mean()
    return None if np.isnan(mean) else Value(mean, cells["n"].min(), cells["n"].max())


@pytest.mark.slow
@examples(200)
@given(cells=cells_of_a_run, chosen=st.lists(settings, min_size=1, max_size=3))
def test_blocks_and_their_means_are_of_the_cells_whose_columns_agree(cells, chosen):
    block = Block("", tuple(chosen))
    for one in chosen:
        pd.testing.assert_frame_equal(one.select(cells), selected(one, cells))
    means = Means(cells)
    for stage in MEASURES["stage"]:
        given_back = means.find(block, stage, "f1", "all")
        assert given_back == mean_of(block, cells, stage=stage, metric="f1", group="all")
