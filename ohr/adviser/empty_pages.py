"""What is known of pages on which an engine reads nothing."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import product

import pandas as pd

from ohr.adviser.own_pages import SUFFIXES
from ohr.quality.truth import TARGETS
from ohr.types import FAILED, PageRef, Status

UNREAD = "no engine reads anything on it, and it is not blank"
"""Why a page with ink is not assessed on which all engines read nothing."""


def settle_empty(
    table: pd.DataFrame, is_blank: Callable[[str, PageRef], bool | None]
) -> pd.DataFrame:
    """The table of predictions with what is known of outputs without text.

    On a page without text they are right, for certain. Where the page has ink and every engine
    reads nothing, that they agree shows nothing: the page is not assessed. ``is_blank`` says of an
    engine's output whether its page has text, None if that is not known.
    """
    rows = table.to_dict("records")
    refs = [PageRef(str(row["doc_id"]), int(row["page_no"])) for row in rows]
    without_text = {str(status) for status in (Status.EMPTY, *FAILED)}
    read = {ref for ref, row in zip(refs, rows, strict=True) if row["status"] not in without_text}
    blank, unread = [], []
    for ref, row in zip(refs, rows, strict=True):
        nothing_there = is_blank(str(row["engine"]), ref)
        is_empty = row["status"] == Status.EMPTY and nothing_there is not None
        blank.append(is_empty and bool(nothing_there))
        unread.append(is_empty and not nothing_there and ref not in read)
    # Where no page is assessed the column has no truth value, and so is one of numbers.
    table = table.astype({"in_range": object})
    for target, suffix in product(TARGETS, SUFFIXES):
        table.loc[blank, target + suffix] = 0.0
        table.loc[unread, target + suffix] = math.nan
    table.loc[blank, ["assessed", "in_range"]] = True
    table.loc[unread, "assessed"] = False
    table.loc[unread, "not_assessed"] = UNREAD
    return table
