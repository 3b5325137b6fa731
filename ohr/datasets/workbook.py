"""Reads the first sheet of a workbook (``.xlsx``) as rows of text, as it shows them."""

from __future__ import annotations

import datetime
import io
import re
import zipfile
from collections.abc import Sequence
from typing import Any

from ohr.errors import MissingDependencyError
from ohr.files.bounded import MOST_BYTES

INSTALL = "pip install 'ohr[xlsx]'"
MOST_ROWS = 1_000_000
_PERCENT = re.compile(r"0(?:\.(0+))?\s*%")


def is_workbook(data: bytes) -> bool:
    """Whether a file is an ``.xlsx`` workbook, whatever its name."""
    if not data.startswith(b"PK\x03\x04"):
        return False
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            return "xl/workbook.xml" in archive.namelist()
    except zipfile.BadZipFile:
        return False


def workbook_records(data: bytes) -> tuple[list[tuple[int, list[str]]], list[str]]:
    """The rows of the first sheet that are not blank, with their numbers; the names of all sheets.

    Formulas give the values that the spreadsheet program saved. Raises ValueError for a workbook
    that cannot be read or is too large, MissingDependencyError without openpyxl.
    """
    try:
        import openpyxl
    except ImportError as error:
        raise MissingDependencyError(
            f"a workbook of questions needs openpyxl, which is not installed: {INSTALL}, or save "
            'it as "CSV UTF-8"'
        ) from error
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        unpacked = sum(entry.file_size for entry in archive.infolist())
    if unpacked > MOST_BYTES:
        raise ValueError(f"it unpacks to more than {MOST_BYTES / 1e6:g} MB")
    try:
        book = openpyxl.load_workbook(io.BytesIO(data), read_only=True, data_only=True)
        sheets = book.worksheets
        rows = _rows(sheets[0]) if sheets else []
        names = [str(sheet.title) for sheet in sheets]
        book.close()
    except Exception as error:  # openpyxl raises anything for a damaged workbook
        raise ValueError(f"it cannot be read as a workbook: {error}") from error
    return rows, names


def _rows(sheet: Any) -> list[tuple[int, list[str]]]:
    sheet.reset_dimensions()  # some programs write wrong ones
    rows: list[tuple[int, list[str]]] = []
    for number, cells in enumerate(sheet.iter_rows(max_row=MOST_ROWS), start=1):
        texts = [cell_text(cell.value, str(cell.number_format or "")) for cell in cells]
        while texts and not texts[-1].strip():
            texts.pop()
        if texts:
            rows.append((number, texts))
    return _even(rows)


def _even(rows: Sequence[tuple[int, list[str]]]) -> list[tuple[int, list[str]]]:
    """The rows with at least as many fields as the header: a sheet has no ends of rows."""
    width = len(rows[0][1]) if rows else 0
    return [(number, texts + [""] * (width - len(texts))) for number, texts in rows]


def cell_text(value: object, number_format: str = "") -> str:
    """A cell as text: ``12``, not ``12.0``; ``2024-05-03``; ``TRUE``; ``12%`` where shown so."""
    match value:
        case None:
            return ""
        case bool():
            return str(value).upper()
        case int() | float() if percent := _PERCENT.search(number_format):
            return f"{value * 100:.{len(percent[1] or '')}f}%"
        case float():
            return f"{value:.15g}" if abs(value) > 1e15 or value % 1 else f"{value:.0f}"
        case datetime.datetime() if value.time() == datetime.time():
            return value.date().isoformat()
        case datetime.datetime() | datetime.date() | datetime.time():
            return value.isoformat()
    return str(value)
