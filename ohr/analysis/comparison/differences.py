"""What a run lost: each knowledge base less its own baseline, on the same questions."""

from __future__ import annotations

from functools import lru_cache

import pandas as pd

from ohr.analysis.comparison.table import COLUMNS, comparisons
from ohr.display.labels import shown_measures, shown_readings
from ohr.errors import OhrError
from ohr.study.results import KNOWLEDGE_BASE, Run, knowledge_base_name

BY_GROUP = ("source:", "domain:")
"""The groups of questions within which losses are counted too."""
SETTING = ("system", "chunker", "retriever", "reader", "top_k")


@lru_cache(maxsize=4)
def run_differences(run: Run, groups: bool = False) -> pd.DataFrame:
    """The paired differences of what tables show of a run (see :func:`comparisons`).

    A row for each knowledge base that has a baseline, setting and measure, and with ``groups``
    for each evidence source and domain. Empty where there is one knowledge base, and where no two
    can be paired: then ``attrs["not_compared"]`` says why.
    """
    empty = pd.DataFrame(columns=list(COLUMNS))
    if len(run.cells[list(KNOWLEDGE_BASE)].drop_duplicates()) < 2:
        return empty
    metrics = shown_measures(run.cells, parts=True) or shown_readings(run.cells)
    pairs = [(stage, metric) for stage, metric, _ in metrics]
    try:
        return comparisons([run], "knowledge_base", pairs, groups=BY_GROUP * groups)
    except OhrError as error:  # a study without a comparison is still a study
        empty.attrs["not_compared"] = str(error)
        return empty


def with_paired_intervals(cells: pd.DataFrame, differences: pd.DataFrame) -> pd.DataFrame:
    """Cells whose interval is that of the paired change from their own baseline.

    It is drawn around the cell's mean; a cell without a baseline has none. ``p_holm`` is that of
    the change, NaN where there was no test, and ``part`` what it is of the loss. Without
    differences, the intervals stay.
    """
    if differences.empty:
        return cells.assign(p_holm=float("nan"), part="")
    keys = ["other", *SETTING, "stage", "metric", "group"]
    values = ["difference", "ci_low", "ci_high", "ci_unit", "p_holm", "part"]
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
        p_holm=joined["p_holm"],
        part=joined["part"].fillna(""),
    )
    result.attrs = dict(cells.attrs)
    return result


def _texts(table: pd.DataFrame) -> pd.DataFrame:
    """With the settings as texts: rows and cells write what is not there in two ways."""
    return table.assign(
        **{name: table[name].astype("string").fillna("").astype(str) for name in SETTING}
    )
