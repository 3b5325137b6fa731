"""Reads and writes files with other wordings of a dataset's questions."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from ohr.datasets.csv_table import SEPARATORS, column, csv_text, records, separator_of
from ohr.datasets.json_text import parse_records
from ohr.datasets.values import described, name_of, reason_of
from ohr.errors import ConfigError
from ohr.files.bounded import read_bounded
from ohr.files.safe_text import escape_formula, unescape_formula
from ohr.types import Question

_COLUMNS: Mapping[str, tuple[str, ...]] = {
    "qid": ("qid", "id", "question_id"),
    "question": ("question", "questions"),
}
"""Column -> its accepted names; the first one that the file has counts."""


def read_wordings(path: Path) -> dict[str, str]:
    """Question ID -> its other wording.

    The file is a CSV with the columns ``qid`` and ``question``, with the separators of question
    files, or JSON: an object of such pairs, or a list or JSON Lines of objects with ``ID`` and
    ``questions`` as in the Q&A files of OHR-Bench. Raises ConfigError for a file that cannot be
    read, an ID that comes twice, or an empty wording.
    """
    try:
        text = csv_text(read_bounded(path))
        is_json = text.lstrip().startswith(("[", "{"))
        pairs = list(_pairs(parse_records(text)) if is_json else _rows(text))
    except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
        reason = " ".join(reason_of(error).split())
        raise ConfigError(
            f"cannot read the wordings of {path}: {reason}; write a CSV with the columns qid and "
            "question"
        ) from error
    wordings: dict[str, str] = {}
    for qid, wording in pairs:
        if qid in wordings:
            raise ConfigError(f"{path}: question {qid!r} comes twice")
        if not wording.strip():
            raise ConfigError(f"{path}: the wording of question {qid!r} is empty")
        wordings[qid] = wording.strip()
    return wordings


def _rows(text: str) -> Iterable[tuple[str, str]]:
    separator = separator_of(text, [name for names in _COLUMNS.values() for name in names])
    header, *rows = records(text, separator) or [(1, [])]
    names = [column(name) for name in header[1]]
    places = {
        role: next((names.index(name) for name in called if name in names), None)
        for role, called in _COLUMNS.items()
    }
    if missing := [role for role, place in places.items() if place is None]:
        raise ValueError(f"no column {missing[0]}, separated by a {SEPARATORS[separator]}")
    for line, fields in rows:
        if len(fields) != len(names):
            fix = f": put a field that holds a {SEPARATORS[separator]} in quotes"
            raise ValueError(
                f"line {line}: {len(fields)} fields under a header of {len(names)}"
                + fix * (len(fields) > len(names))
            )
        qid, question = (unescape_formula(fields[place or 0]) for place in places.values())
        yield qid, question


def _pairs(content: Any) -> Iterable[tuple[str, str]]:
    if isinstance(content, Mapping) and not {"ID", "questions"} <= content.keys():
        return [(qid, _worded(wording)) for qid, wording in content.items()]
    entries = [content] if isinstance(content, Mapping) else content
    return [(name_of(entry["ID"], "ID"), _worded(entry["questions"])) for entry in entries]


def _worded(wording: Any) -> str:
    if not isinstance(wording, str):
        raise ValueError(f"{described(wording)} is no wording")
    return wording


def apply_wordings(questions: Sequence[Question], wordings: Mapping[str, str]) -> list[Question]:
    """The questions that have another wording, with that wording.

    Raises ConfigError for an unknown question.
    """
    ids = {question.qid for question in questions}
    if unknown := [qid for qid in wordings if qid not in ids]:
        raise ConfigError(
            f"dataset.rewritten: {len(unknown)} questions are not among the {len(ids)} that are "
            f"asked, such as {unknown[0]!r}"
        )
    return [replace(q, text=wordings[q.qid]) for q in questions if q.qid in wordings]


def wordings_csv(wordings: Mapping[str, str]) -> str:
    """Wordings as the text of a CSV that :func:`read_wordings` reads."""
    sink = io.StringIO()
    writer = csv.writer(sink, lineterminator="\n")
    writer.writerow(("qid", "question"))
    writer.writerows(map(escape_formula, pair) for pair in wordings.items())
    return sink.getvalue()
