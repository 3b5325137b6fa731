"""How often the named engine is the wrong one: resumed, and with the right engine named."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from benchmarks import named_engine
from benchmarks.named_engine import name_engines
from ohr.adviser.own_pages import SUFFIXES
from ohr.quality.truth import TARGETS
from ohr.store.artefacts import ArtefactStore


def predictions(first: float, second: float, true_second: float, pages: int = 30) -> pd.DataFrame:
    """Two engines' predicted and true errors of documents of one page."""
    rng = np.random.default_rng(0)
    rows = [
        {"engine": engine, "doc_id": f"d{page}", "page_no": 0, "status": "ok", "truth": truth}
        | {"layer": 0.1, "has_layer": True, "assessed": True}
        | {f"{name}{end}": error + rng.normal(0, 0.01) for name in TARGETS for end in SUFFIXES}
        | {f"{name}_spread": 0.05 for name in TARGETS}
        | {f"true_{name}": np.nan for name in TARGETS}
        for engine, error, truth in (("a", first, 0.1), ("b", second, true_second))
        for page in range(pages)
    ]
    return pd.DataFrame(rows)


@pytest.mark.slow
def test_a_name_is_wrong_where_the_truth_is_the_other_way_round():
    (right,) = name_engines(predictions(0.1, 0.4, 0.5), [16], 3)
    assert (right.better, right.wrong, right.as_good) == (1, 0, 0)
    (wrong,) = name_engines(predictions(0.1, 0.4, 0.05), [16], 3)
    assert (wrong.better, wrong.wrong) == (1, 1)


@pytest.mark.slow
@pytest.mark.parametrize(("true_second", "worse"), [(0.099, 0), (0.05, 1)])
def test_an_engine_that_is_as_good_is_wrong_only_by_more_than_the_margin(true_second, worse):
    table = predictions(0.1, 0.103, true_second, pages=90)
    for name in TARGETS:  # so sure that the two are near each other
        table[f"{name}_spread"] = 0.001
    (row,) = name_engines(table, [90], 3)
    assert (row.better, row.as_good, row.worse) == (0, 1, worse)


@pytest.mark.slow
def test_rows_of_a_command_that_was_stopped_are_taken_from_the_cache(tmp_path, monkeypatch):
    store, table = ArtefactStore(tmp_path), predictions(0.1, 0.4, 0.5)
    before = name_engines(table, [1, 16], 2, store)
    monkeypatch.setattr(named_engine, "decide", None)
    pd.testing.assert_frame_equal(
        pd.DataFrame(name_engines(table, [1, 16], 2, store)), pd.DataFrame(before)
    )
    with pytest.raises(TypeError):
        name_engines(table, [1, 16], 3, store)
