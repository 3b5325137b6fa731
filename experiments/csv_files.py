"""How tables of results are written as CSV: alike everywhere, to the byte."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from ohr.atomic import write_text


def csv_text(table: pd.DataFrame) -> str:
    """Six decimals, no index, and no negative zeros; what is missing is empty."""
    return table.to_csv(index=False, float_format="{:z.6f}".format)


def write_csv(path: Path, table: pd.DataFrame) -> None:
    """Write :func:`csv_text` at once or not at all."""
    write_text(path, csv_text(table))
