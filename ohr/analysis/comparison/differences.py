"""The losses of a run: each knowledge base less its baseline, on the same questions."""

from __future__ import annotations

from functools import lru_cache

import pandas as pd

from ohr.analysis.comparison.table import COLUMNS, comparisons
from ohr.display.labels import shown_measures, shown_readings
from ohr.errors import OhrError
from ohr.study.results import KNOWLEDGE_BASE, StudyRun, knowledge_base_name

BY_GROUP = ("source:", "domain:")
"""Prefixes of the groups of questions with losses."""
SETTING = ("system", "chunker", "retriever", "reader", "top_k")


@lru_cache(maxsize=4)
def run_differences(run: StudyRun, groups: bool = False) -> pd.DataFrame:
    """The paired differences of the metrics that tables show (see :func:`comparisons`).

    One row per knowledge base with a baseline, setting and metric, and with ``groups`` per evidence
    source and domain. Empty with one knowledge base, and if no two can be paired:
    ``attrs["not_compared"]`` then has the reason.
    """
    empty = pd.DataFrame(columns=list(COLUMNS))
    if len(run.cells[list(KNOWLEDGE_BASE)].drop_duplicates()) < 2:
        return empty
    metrics = shown_measures(run.cells, parts=True) or shown_readings(run.cells)
    pairs = [(stage, metric) for stage, metric, _ in metrics]
    try:
        return comparisons([run], "knowledge_base", pairs, groups=BY_GROUP * groups)
    except OhrError as error:  # a study without comparisons must not fail
        empty.attrs["not_compared"] = str(error)
        return empty


def add_paired_intervals(cells: pd.DataFrame, differences: pd.DataFrame) -> pd.DataFrame:
    """Replace the cells' intervals by those of the paired change from their baseline.

    They lie around the cell's mean; a cell without a baseline has none. ``p_adjusted`` is that of
    the change, NaN without a test, ``part`` is its part of the loss, ``n_documents`` how many it
    is over. Without differences the intervals stay.
    """
    if differences.empty:
        return cells.assign(p_adjusted=float("nan"), part="")
    keys = ["other", *SETTING, "stage", "metric", "group"]
    values = ["difference", "ci_low", "ci_high", "ci_unit", "p_adjusted", "part", "n_documents"]
    changes = _texts(differences)[[*keys, *values]]
    names = {
        tuple(base): knowledge_base_name(pd.Series(base, KNOWLEDGE_BASE))
        for base in cells[list(KNOWLEDGE_BASE)].drop_duplicates().itertuples(index=False, name=None)
    }
    other = [names[base] for base in cells[list(KNOWLEDGE_BASE)].itertuples(index=False, name=None)]
    placed = _texts(cells).assign(other=other)[keys]
    joined = placed.merge(changes, on=keys, how="left").set_index(cells.index)
    result = cells.assign(
        ci_low=cells["mean"] + joined["ci_low"] - joined["difference"],
        ci_high=cells["mean"] + joined["ci_high"] - joined["difference"],
        ci_unit=joined["ci_unit"].fillna(""),
        p_adjusted=joined["p_adjusted"],
        part=joined["part"].fillna(""),
        n_documents=joined["n_documents"],
    )
    result.attrs = dict(cells.attrs)
    return result


def _texts(table: pd.DataFrame) -> pd.DataFrame:
    """The table with settings as texts: rows and cells write missing ones differently."""
    return table.assign(
        **{name: table[name].astype("string").fillna("").astype(str) for name in SETTING}
    )
