"""How tables of results are written as CSV: alike everywhere, to the byte.

What a spreadsheet would take for a formula begins with an apostrophe: texts come from documents,
file names and models. Numbers stay numbers.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd

from ohr.store.atomic import write_text

_FORMULA = re.compile(r"'*[=+\-@\t\r]")
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?|[+-]inf")


def no_formula(text: str) -> str:
    """Text that no spreadsheet evaluates; :func:`as_it_was` undoes it."""
    return f"'{text}" if _FORMULA.match(text) and not _NUMBER.fullmatch(text) else text


def as_it_was(text: str) -> str:
    """Text as it was before :func:`no_formula`."""
    return text[1:] if text.startswith("'") and _FORMULA.match(text) else text


def csv_text(table: pd.DataFrame) -> str:
    """Six decimals, no index, and no negative zeros; what is missing is empty."""
    safe = table.rename(columns=lambda name: no_formula(str(name)))
    return _with_texts(safe, no_formula).to_csv(index=False, float_format="{:z.6f}".format)


def from_csv(table: pd.DataFrame) -> pd.DataFrame:
    """A table that was read from such a CSV, with its texts as they were."""
    return _with_texts(table, as_it_was)


def _with_texts(table: pd.DataFrame, change: Callable[[str], str]) -> pd.DataFrame:
    changed = table.copy()
    for place in range(len(table.columns)):
        values = table.iloc[:, place]
        if not pd.api.types.is_numeric_dtype(values):
            texts = [change(v) if isinstance(v, str) else v for v in values]
            changed.isetitem(place, np.array(texts, dtype=object))
    return changed


def write_csv(path: Path, table: pd.DataFrame) -> None:
    """Write :func:`csv_text` at once or not at all."""
    write_text(path, csv_text(table))
