"""Selects from cells."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas as pd


def distinct(column: pd.Series) -> list[str]:
    """The non-empty values of a column, each once, in order."""
    return [str(value) for value in column.drop_duplicates() if value != ""]


def cells_of(cells: pd.DataFrame, stage: str, metric: str, group: str) -> pd.DataFrame:
    """Cells of one stage, metric and group."""
    return cells[
        (cells["stage"] == stage) & (cells["metric"] == metric) & (cells["group"] == group)
    ]
