"""What is known of pages on which an engine reads nothing."""

from __future__ import annotations

import math

import pandas as pd

from ohr.adviser.empty_pages import UNREAD, settle_empty
from ohr.adviser.own_pages import SUFFIXES
from ohr.quality.truth import TARGETS

PREDICTED = 0.25


def table_of(*rows: tuple[str, int, str]) -> pd.DataFrame:
    table = pd.DataFrame(rows, columns=["engine", "page_no", "status"]).assign(
        doc_id="d", assessed=True, not_assessed="", in_range=True
    )
    return table.assign(**{target + suffix: PREDICTED for target in TARGETS for suffix in SUFFIXES})


def settled(is_blank: bool | None, *rows: tuple[str, int, str]) -> pd.DataFrame:
    return settle_empty(table_of(*rows), lambda engine, ref: is_blank)


def test_nothing_is_right_on_a_blank_page() -> None:
    result = settled(True, ("one", 0, "empty"), ("other", 0, "ok"))
    assert result["edit_distance"].tolist() == [0.0, PREDICTED]
    assert result["assessed"].all()


def test_engines_that_all_read_nothing_of_a_page_with_ink_prove_nothing() -> None:
    result = settled(False, ("one", 0, "empty"), ("other", 0, "empty"), ("other", 1, "ok"))
    assert result["edit_distance_high"].isna().tolist() == [True, True, False]
    assert result["assessed"].tolist() == [False, False, True]
    assert result["not_assessed"].tolist() == [UNREAD, UNREAD, ""]


def test_an_engine_that_reads_nothing_where_another_reads_text_keeps_its_prediction() -> None:
    result = settled(False, ("one", 0, "empty"), ("other", 0, "ok"))
    assert result["edit_distance"].tolist() == [PREDICTED, PREDICTED]


def test_pages_of_which_none_is_assessed_are_settled_too() -> None:
    table = table_of(("one", 0, "ok"), ("one", 1, "empty")).assign(
        assessed=False, in_range=math.nan
    )
    result = settle_empty(table, lambda engine, ref: True)
    assert result["assessed"].tolist() == [False, True]
    assert result["in_range"].iloc[0] is not True
    assert result["in_range"].iloc[1] is True


def test_a_page_that_was_not_judged_keeps_its_prediction() -> None:
    result = settled(None, ("one", 0, "empty"), ("other", 0, "empty"))
    assert result["edit_distance"].tolist() == [PREDICTED, PREDICTED]
