"""A table declared once, by its columns, for the terminal, CSV, Markdown and LaTeX."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from ohr.display.text_tables import TextTable
from ohr.statistics.numbers import number

Row = Mapping[Any, Any]
"""The values of a row by name."""


@dataclass(frozen=True)
class Column:
    """A column: its heading, and the text of its cell in a row."""

    heading: str
    text: Callable[[Row], str]
    is_text: bool = False
    """Text is aligned to the left, other columns to the right."""


def text_column(key: str, heading: str = "") -> Column:
    """A column of text: a value as it is. The heading is by default the key, in words."""
    return Column(heading or _words(key), lambda row: str(row[key]), is_text=True)


def value_column(key: str, heading: str = "") -> Column:
    """A column of values as they are, aligned to the right."""
    return Column(heading or _words(key), lambda row: str(row[key]))


def number_column(key: str, heading: str = "") -> Column:
    """A column of numbers with three decimals; a dash for NaN."""
    return Column(heading or _words(key), lambda row: number(row[key]))


def make_table(
    columns: Sequence[Column], rows: pd.DataFrame | Iterable[Row], caption: str = ""
) -> TextTable:
    """The table of some rows: ready for files, and for a terminal by ``terminal_table``."""
    records = rows.to_dict("records") if isinstance(rows, pd.DataFrame) else rows
    return TextTable(
        [column.heading for column in columns],
        [[column.text(row) for column in columns] for row in records],
        caption,
        left=0,
        texts=frozenset(i for i, column in enumerate(columns) if column.is_text),
    )


def _words(key: str) -> str:
    return key.replace("_", " ")
