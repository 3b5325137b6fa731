"""Predicted errors beside what engines say of themselves: one row per engine and noise."""

from __future__ import annotations

import pandas as pd
import pytest

from ohr.adviser.quality import check


def test_engines_stand_in_the_order_of_the_table_and_each_is_ranked_alone(monkeypatch):
    table = pd.DataFrame(
        [
            {"engine": engine, "noise": noise, "confidence": sure, "true_edit_distance": error}
            for engine, noise in (("tesseract", "none"), ("rapidocr", "semantic"))
            for sure, error in ((0.9, 0.1), (0.5, 0.4), (None, 0.2), (0.2, 0.8))
        ]
    ).assign(docling=[0.1, 0.2, 0.3, 0.4, 0.4, 0.3, 0.2, 0.1], layer=None)

    def predicted(rows: pd.DataFrame, models: object) -> pd.DataFrame:
        return pd.DataFrame({"edit_distance": rows["true_edit_distance"] ** 2})

    monkeypatch.setattr(check, "_predicted", predicted)
    rows = check.compare_with_engines(table, {})
    assert rows["engine"].tolist() == ["tesseract", "rapidocr"]
    assert rows["noise"].tolist() == ["none", "semantic"]
    assert rows["n"].tolist() == [3, 3]
    assert rows["spearman_predicted"].tolist() == pytest.approx([1, 1])
    assert rows["spearman_confidence"].tolist() == pytest.approx([-1, -1])
    assert rows["spearman_docling"].tolist() == pytest.approx([1, -1])
