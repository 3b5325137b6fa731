"""Marks the means of printed tables that are not shown to differ from their baseline."""

from __future__ import annotations

import pandas as pd

from ohr.analysis.comparison.differences import add_paired_intervals
from ohr.display.wording import ALPHA
from ohr.study.baselines import baselines_line
from ohr.study.notices.truth import truth_of

NOT_SHOWN = "ns"
"""Mark of a mean whose paired difference from its baseline is not shown."""


def mark_not_shown(cells: pd.DataFrame, differences: pd.DataFrame) -> pd.DataFrame:
    """The cells with :data:`NOT_SHOWN` in the column ``letters``, where they have no letters yet.

    ``differences`` are those of :func:`ohr.analysis.comparison.differences.run_differences`, also
    by group: a cell is marked if its corrected p is above .05, or it could not be tested. Cells
    without a baseline stay as they are. The column ``part`` has each cell's part of the loss, empty
    without a baseline.
    """
    letters = cells["letters"] if "letters" in cells else pd.Series("", cells.index)
    compared = add_paired_intervals(cells, differences)
    unshown = (compared["part"] != "") & ~(compared["p_adjusted"] <= ALPHA) & (letters == "")
    marked = cells.assign(letters=letters.mask(unshown, NOT_SHOWN), part=compared["part"])
    marked.attrs = dict(cells.attrs)
    return marked


def not_shown_note(cells: pd.DataFrame) -> list[str]:
    """The part of a caption that explains the mark; empty if no cell has it."""
    if "part" not in cells or not (cells["letters"] == NOT_SHOWN).any():
        return []
    baselines = baselines_line(set(cells["part"]), truth_of(cells))
    return [
        f"{NOT_SHOWN}: not shown to differ from its baseline, p over .05 or too few documents for "
        f"a test ({baselines}; all groups of questions of a metric together)"
    ]
