"""Writes tables of results as CSV: the same bytes everywhere, and no formulas."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ohr.files.safe_text import escape_formula, unescape_formula
from ohr.store.atomic import write_text

if TYPE_CHECKING:
    import pandas as pd


def csv_text(table: pd.DataFrame) -> str:
    """A table as CSV: six decimals, no index, no negative zeros; missing values are empty."""
    safe = table.rename(columns=lambda name: escape_formula(str(name)))
    return _change_texts(safe, escape_formula).to_csv(index=False, float_format="{:z.6f}".format)


def unescape_table(table: pd.DataFrame) -> pd.DataFrame:
    """Undo the escaping of formulas in a table that was read from such a CSV."""
    return _change_texts(table, unescape_formula)


def _change_texts(table: pd.DataFrame, change: Callable[[str], str]) -> pd.DataFrame:
    import pandas as pd

    changed = table.copy()
    for place in range(len(table.columns)):
        values = table.iloc[:, place]
        if not pd.api.types.is_numeric_dtype(values):
            texts = [change(v) if isinstance(v, str) else v for v in values]
            changed.isetitem(place, np.array(texts, dtype=object))
    return changed


def write_csv(path: Path, table: pd.DataFrame) -> None:
    """Write :func:`csv_text` as a whole or not at all. Raises StoreError."""
    write_text(path, csv_text(table))
