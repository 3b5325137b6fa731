"""Reads CSV as spreadsheets and people write it: encoding, separator and records."""

from __future__ import annotations

import csv
import io
from collections.abc import Collection, Sequence

from ohr.datasets.decoding import decode, other_kind

SEPARATORS = {",": "comma", ";": "semicolon", "\t": "tab"}


def csv_text(data: bytes) -> str:
    """The text of a CSV file: UTF-8, or the encoding of its byte-order mark.

    Raises ValueError with the first line that is not valid, or the kind of file if it is no CSV.
    """
    if kind := other_kind(data):
        raise ValueError(f"it is no CSV but {kind}")
    try:
        return decode(data)
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise ValueError(
            f'line {line}: not UTF-8 (byte {data[error.start]:#04x}): save it as "CSV UTF-8"'
        ) from error


def separator_of(text: str, known_values: Collection[str]) -> str:
    """The separator (comma, semicolon or tab) with which the header has most known columns."""
    return max(
        SEPARATORS,
        key=lambda sign: len({column(name) for name in _header(text, sign)} & {*known_values}),
    )


def column(name: str) -> str:
    """The normalised name of a column: ``Evidence Source`` is ``evidence_source``."""
    return "_".join(name.casefold().replace("_", " ").split())


def records(text: str, separator: str) -> list[tuple[int, list[str]]]:
    """The records that are not blank, each with its first line.

    Raises ValueError with the line of an error.
    """
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
    rows: list[tuple[int, list[str]]] = []
    begins = 1
    try:
        for fields in reader:
            if any(field.strip() for field in fields):
                rows.append((begins, fields))
            begins = reader.line_num + 1
    except csv.Error as error:
        place = f"line {begins}" if begins > 1 else "the header"
        raise ValueError(
            f"{place}: {error}: is a quote left open, or not doubled within quotes?"
        ) from error
    return rows


def _header(text: str, separator: str) -> Sequence[str]:
    try:
        reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator)
        return next(filter(any, reader), [])
    except csv.Error:
        return []
