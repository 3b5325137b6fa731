"""The rows of a CSV of questions, as spreadsheets and people write it."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ohr.bounded import read_bounded
from ohr.collection import ValidationReport
from ohr.errors import DatasetError

REQUIRED_COLUMNS = ("question", "answer", "document", "page")
OPTIONAL_COLUMNS = ("evidence", "id", "evidence_source", "answer_form", "task", "category")
_SHOWN = 20
SEPARATORS = {",": "comma", ";": "semicolon", "\t": "tab"}


@dataclass(frozen=True, slots=True)
class Row:
    """One row: the line of the file that it begins on (1 is the header), and its fields."""

    line: int
    fields: Mapping[str, str]

    def __getitem__(self, column: str) -> str:
        return self.fields.get(column, "").strip()


def read_rows(path: Path, report: ValidationReport) -> list[Row]:
    """The rows below the header; those with too many or too few fields go into the report.

    The separator is the comma, semicolon or tab with which the header has most of the columns.
    Columns are known whatever their case and their spaces. Raises DatasetError.
    """
    text = _text(path)
    separator = max(SEPARATORS, key=lambda sign: _known(_header(text, sign)))
    records = _records(text, separator, path)
    if not records:
        raise DatasetError(f"{path} is empty: it needs a header and a row for each question")
    names = [_column(name) for name in records[0][1]]
    missing = [name for name in REQUIRED_COLUMNS if name not in names]
    if missing:
        raise DatasetError(
            f"{path}: no column {', '.join(missing)} in the header, which has, separated by a "
            f"{SEPARATORS[separator]}: {', '.join(name[:_SHOWN] for name in names[:_SHOWN])}"
        )
    twice = [name for name in REQUIRED_COLUMNS + OPTIONAL_COLUMNS if names.count(name) > 1]
    if twice:
        raise DatasetError(f"{path}: the header has two columns {twice[0]!r}")
    rows = []
    for line, fields in records[1:]:
        if len(fields) > len(names):
            report.add(
                "malformed_question",
                f"line {line}: {len(fields)} fields under a header of {len(names)}: put a field "
                f"that holds a {SEPARATORS[separator]} in quotes",
            )
            continue
        rows.append(Row(line, dict(zip(names, fields, strict=False))))
    if not rows and not report:
        raise DatasetError(f"no questions can be asked: {path} has no rows below its header")
    return rows


def _text(path: Path) -> str:
    try:
        return read_bounded(path).decode("utf-8-sig")
    except OSError as error:
        raise DatasetError(f"cannot read questions from {path}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise DatasetError(f'{path}: not UTF-8: save it as "CSV UTF-8"') from error


def _header(text: str, separator: str) -> Sequence[str]:
    try:
        reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator)
        return next(filter(any, reader), [])
    except csv.Error:
        return []


def _known(header: Sequence[str]) -> int:
    return len({_column(name) for name in header} & {*REQUIRED_COLUMNS, *OPTIONAL_COLUMNS})


def _column(name: str) -> str:
    """``Evidence Source`` -> ``evidence_source``."""
    return "_".join(name.casefold().replace("_", " ").split())


def _records(text: str, separator: str, path: Path) -> list[tuple[int, list[str]]]:
    """Each record that is not blank, with the line that it begins on. Raises DatasetError."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
    records: list[tuple[int, list[str]]] = []
    begins = 1
    try:
        for fields in reader:
            if any(field.strip() for field in fields):
                records.append((begins, fields))
            begins = reader.line_num + 1
    except csv.Error as error:
        place = f"line {begins}" if begins > 1 else "the header"
        raise DatasetError(
            f"{path}: {place}: {error}: is a quote left open, or not doubled within quotes?"
        ) from error
    return records
