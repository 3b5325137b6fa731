"""Reads the rows of a CSV or workbook of questions, as spreadsheets and people write it."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

from ohr.collection import ValidationReport
from ohr.datasets.csv_table import SEPARATORS, column, csv_text, records, separator_of
from ohr.datasets.workbook import is_workbook, workbook_records
from ohr.datasets.written_pages import names_pages
from ohr.errors import DatasetError
from ohr.files.bounded import read_bounded
from ohr.files.safe_text import unescape_formula

REQUIRED_COLUMNS = ("question", "answer")
PLACE_COLUMNS = ("document", "page")
"""Columns that a file of questions may lack; if it has them, every row needs their fields."""
OPTIONAL_COLUMNS = ("evidence", "id", "evidence_source", "answer_form", "task", "category")
ALSO_CALLED: Mapping[str, tuple[str, ...]] = {
    "question": ("questions", "query", "prompt", "question_text", "frage"),
    "answer": (
        *("answers", "gold_answer", "expected_answer", "reference_answer", "correct_answer"),
        *("ground_truth", "antwort"),
    ),
    "document": (
        *("doc", "doc_name", "document_name", "doc_id", "file", "filename", "file_name", "pdf"),
        *("pdf_name", "dokument", "datei"),
    ),
    "page": (
        *("page_no", "page_num", "page_number", "pages", "evidence_page", "evidence_page_no"),
        *("evidence_page_num", "evidence_page_number", "seite"),
    ),
    "evidence": ("evidence_text", "evidence_context", "passage", "quote", "excerpt"),
    "id": ("qid", "question_id", "nr"),
}
"""Column -> other names, which count if a file has no column of the right name."""
_SHOWN = 20
_FIRST = (*REQUIRED_COLUMNS, *PLACE_COLUMNS)
_KNOWN = frozenset((*_FIRST, *OPTIONAL_COLUMNS, *chain(*ALSO_CALLED.values())))


@dataclass(frozen=True, slots=True)
class Row:
    """A row: its first line in the file (1 is the header), and its fields."""

    line: int
    fields: Mapping[str, str]

    def __getitem__(self, column: str) -> str:
        return self.fields.get(column, "").strip()


def read_rows(path: Path, report: ValidationReport) -> list[Row]:
    """The rows below the header; rows with too many or too few fields go into the report.

    The separator is the comma, semicolon or tab with which the header has most known columns. The
    file is UTF-8, or UTF-16 with a byte-order mark, as in the "Unicode text" of spreadsheets, or a
    workbook (``.xlsx``), of which the first sheet is read. Case and spaces of column names do not
    matter; other names (:data:`ALSO_CALLED`) are accepted and reported. Raises DatasetError, also
    for rows that were swallowed by an open quote, and MissingDependencyError.
    """
    separator = None
    try:
        data = read_bounded(path)
        if is_workbook(data):
            lines, sheets = workbook_records(data)
            if rest := sheets[1:]:
                report.skipped.append(
                    f"the sheets {', '.join(map(repr, rest))}: only the first, {sheets[0]!r}, is "
                    "read"
                )
        else:
            text = csv_text(data)
            separator = separator_of(text, _KNOWN)
            lines = records(text, separator)
    except OSError as error:
        raise DatasetError(f"cannot read questions from {path}: {error.strerror}") from error
    except ValueError as error:
        raise DatasetError(f"{path}: {error}") from error
    if not lines:
        raise DatasetError(f"{path} is empty: it needs a header and a row for each question")
    header = lines[0][1]
    names = _named([column(name) for name in header], header, report)
    missing = [name for name in REQUIRED_COLUMNS if name not in names]
    if missing:
        raise DatasetError(
            f"{path}: no column {', '.join(missing)} in the header, which has"
            f"{f', separated by a {SEPARATORS[separator]}' if separator else ''}: "
            f"{', '.join(name[:_SHOWN] for name in names[:_SHOWN])}"
        )
    twice = [name for name in (*_FIRST, *OPTIONAL_COLUMNS) if names.count(name) > 1]
    if twice:
        raise DatasetError(f"{path}: the header has two columns {twice[0]!r}")
    if separator:
        _nothing_swallowed(lines[1:], names, separator, path)
    fewest = 1 + max(names.index(name) for name in _FIRST if name in names)
    rows = []
    for line, fields in lines[1:]:
        if len(fields) > len(names):
            report.add(
                "malformed_question",
                f"line {line}: {len(fields)} fields under a header of {len(names)}: put a field "
                + (
                    f"that holds a {SEPARATORS[separator]} in quotes"
                    if separator
                    else "in its column"
                ),
            )
            continue
        if len(fields) < fewest:
            report.add(
                "malformed_question",
                f"line {line}: {len(fields)} fields under a header of {len(names)}: at least "
                f"{fewest} are needed, of which some may be empty",
            )
            continue
        texts = map(unescape_formula, fields)
        rows.append(Row(line, dict(zip(names, texts, strict=False))))
    if not rows and not report:
        raise DatasetError(f"no questions can be asked: {path} has no rows below its header")
    return rows


def _named(names: list[str], header: Sequence[str], report: ValidationReport) -> list[str]:
    """The columns' names, with other names replaced by the right ones."""
    for name, rest in ALSO_CALLED.items():
        others_present = [other for other in rest if other in names]
        if name not in names and others_present:
            position = names.index(others_present[0])
            names[position] = name
            report.notes.append(f"column {header[position].strip()[:_SHOWN]!r} is read as {name}")
    return names


def _nothing_swallowed(
    rows: Sequence[tuple[int, list[str]]], names: Sequence[str], separator: str, path: Path
) -> None:
    """Raise DatasetError if a line within a field is itself a row.

    A row has a field for each column, pages in the page column, and a document that another row
    names too. Without these two columns, a row cannot be recognised.
    """
    if not set(PLACE_COLUMNS) <= set(names):
        return
    page, document = names.index("page"), names.index("document")
    is_known = {fields[document].strip() for _, fields in rows if len(fields) > document} - {""}
    for begins, fields in rows:
        for field in fields:
            for line in field.splitlines()[1:]:
                if line.count(separator) < len(names) - 1:
                    continue
                inner = next(csv.reader([line], delimiter=separator), [])
                if (
                    len(inner) > max(page, document)
                    and names_pages(inner[page])
                    and inner[document].strip() in is_known
                ):
                    raise DatasetError(
                        f"{path}: line {begins}: a quote left open swallows the rows below it, "
                        f"the first of which begins {line[:_SHOWN]!r}: close it"
                    )
